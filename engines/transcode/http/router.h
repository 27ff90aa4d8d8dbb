#pragma once

// Routes of a schema: which method, with which body and bindings, an HTTP request is for. All of
// the google.api.http rules is checked when the router is made, none when a request comes.

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "http/route_table.h"
#include "schema/schema.h"

namespace transcode {

using FieldPath = std::vector<const Field*>;

struct Route {
  const Method* method = nullptr;
  std::string verb;  // GET, ..., or the kind of a custom rule; "*" is any
  std::string path;  // the template

  bool has_body = false;    // false: the request may not have a body
  FieldPath body;           // the field that the body is; empty with has_body: the whole message
  FieldPath response_body;  // empty: the whole message
  std::vector<FieldPath> variables;  // of the template, in order
  bool raw_request = false;          // the body is a google.api.HttpBody: bytes of any type
  bool raw_response = false;         // the response (or its response_body) is one

  // "*" for the whole message, else a field path; "" for none.
  std::string BodyText() const;
};

struct RouterOptions {
  // Only these services (full names); empty: all.
  std::vector<std::string> services;
  // Methods also get POST /pkg.Service/Method with body "*". Methods without a rule get only it.
  bool auto_mapping = false;
  // body and response_body may be paths such as "shelf.name", not only fields of the message.
  bool nested_body = true;
  Unescape multi_segment = Unescape::kAllExceptReserved;
  bool any_verb = false;  // see RouteTable::Options
};

// A rule that is not from the descriptors.
struct ExtraRule {
  std::string selector;  // pkg.Service.Method
  HttpRule rule;
};

// The answer of Router::Find; reused between calls. Views point into the target or into `path`.
struct Match {
  enum class Outcome : uint8_t { kFound, kNotFound, kMethodNotAllowed };

  Outcome outcome = Outcome::kNotFound;
  const Route* route = nullptr;  // of kFound
  PathMatch path;  // path.bindings[i]: value of route->variables[variable]; path.query
};

class Router {
 public:
  // Errors: INVALID_ARGUMENT or ALREADY_EXISTS that names the method, the template and what is
  // wrong: syntax, unknown or unsuitable fields, two rules for the same paths (both are named).
  static Result<Router> Make(const Schema& schema, const RouterOptions& options = {},
                             std::span<const ExtraRule> extra = {});

  // `target` is the path with its query, as it stands in the request line. `match` is filled,
  // its route when the outcome is kFound. Does not allocate in steady state when found.
  Match::Outcome Find(std::string_view method, std::string_view target, Match& match) const;

  // For answers 405: the methods that the path has, sorted, with ", " between them.
  std::string Allow(std::string_view target) const;

  const std::deque<Route>& routes() const { return routes_; }
  // One line for each rule that no request can reach.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  explicit Router(const RouterOptions& options);
  Result<> Add(const Method& method, const HttpRule& rule, const RouterOptions& options);

  RouteTable table_;
  std::deque<Route> routes_;
  std::vector<std::string> warnings_;
};

}  // namespace transcode
