#include "http/router.h"

#include <algorithm>

namespace transcode {
namespace {

constexpr std::string_view kHttpBody = "google.api.HttpBody";

// The fields of "a.b.c", all but the last of which are singular messages.
Result<FieldPath> Resolve(const Message& message, std::string_view path) {
  FieldPath fields;
  const Message* at = &message;
  while (true) {
    const size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (at == nullptr || (!fields.empty() && fields.back()->repeated)) {
      return MakeError(Code::kInvalidArgument,
                       "field \"" + std::string(fields.back()->name) + "\" is not a message");
    }
    const Field* field = at->FindField(name);
    if (field == nullptr) {
      return MakeError(Code::kInvalidArgument,
                       "no field \"" + std::string(name) + "\" in " + std::string(at->full_name));
    }
    fields.push_back(field);
    if (dot == path.npos) return fields;
    at = field->message;
    path.remove_prefix(dot + 1);
  }
}

// Whether JSON has the message as a string (or number), so that a path segment can hold it.
bool HasTextForm(const Message& message) {
  return IsWrapper(message.well_known) || message.well_known == WellKnown::kTimestamp ||
         message.well_known == WellKnown::kDuration || message.well_known == WellKnown::kFieldMask;
}

bool IsHttpBody(const Message& message, const FieldPath& fields) {
  if (fields.empty()) return message.full_name == kHttpBody;
  const Field& last = *fields.back();
  return last.message != nullptr && !last.repeated && last.message->full_name == kHttpBody;
}

// A character that no path has as it stands.
bool NeverInPath(char c) { return c <= ' ' || c >= 0x7f || c == '?' || c == '#'; }

Error Named(const Method& method, const HttpRule& rule, const Error& cause) {
  Error error = cause;
  error.message = std::string(method.full_name) + " (" + std::string(rule.verb) + " " +
                  std::string(rule.path) + "): " + cause.message;
  return error;
}

}  // namespace

std::string Route::BodyText() const {
  if (!has_body) return "";
  if (body.empty()) return "*";
  std::string text;
  for (const Field* field : body) {
    if (!text.empty()) text += '.';
    text += field->name;
  }
  return text;
}

Router::Router(const RouterOptions& options) : table_({options.multi_segment, options.any_verb}) {}

Result<> Router::Add(const Method& method, const HttpRule& rule, const RouterOptions& options) {
  const auto fail = [&](std::string message) {
    return Named(method, rule, MakeError(Code::kInvalidArgument, std::move(message)));
  };
  if (rule.path.empty()) {
    warnings_.push_back(fail("never matches: it has no path").message);
    return {};
  }
  Route route;
  route.method = &method;
  route.verb = rule.verb;
  route.path = rule.path;
  for (const auto& [text, fields] :
       {std::pair(rule.body, &route.body), std::pair(rule.response_body, &route.response_body)}) {
    const bool response = fields == &route.response_body;
    if (text.empty()) continue;
    route.has_body |= !response;
    if (text == "*" && !response) continue;
    Result<FieldPath> resolved = Resolve(response ? *method.output : *method.input, text);
    if (!resolved.ok()) return Named(method, rule, resolved.error());
    if (resolved->size() > 1 && !options.nested_body) {
      return fail("\"" + std::string(text) + "\" is not a field of the message itself");
    }
    *fields = std::move(*resolved);
  }
  route.raw_request = route.has_body && IsHttpBody(*method.input, route.body);
  route.raw_response = IsHttpBody(*method.output, route.response_body);

  const uint32_t index = static_cast<uint32_t>(routes_.size());
  if (Result<> added = table_.Add(rule.verb, rule.path, index); !added.ok()) {
    Error error = Named(method, rule, added.error());
    if (error.code != Code::kAlreadyExists) return error;
    // Name the other one too: it is what the same paths and method lead to.
    for (const Route& other : routes_) {
      if (error.message.ends_with(" " + other.path) && other.verb == route.verb) {
        error.message += " of " + std::string(other.method->full_name);
        break;
      }
    }
    return error;
  }
  for (const PathTemplate::Variable& variable : table_.TemplateOf(index).variables) {
    Result<FieldPath> fields = Resolve(*method.input, variable.field_path);
    if (!fields.ok()) return Named(method, rule, fields.error());
    const Field& last = *fields->back();
    if (last.repeated || (last.is_message() && !HasTextForm(*last.message))) {
      return fail("variable \"" + variable.field_path + "\" is not a singular scalar field");
    }
    route.variables.push_back(std::move(*fields));
  }
  for (const PathTemplate::Segment& segment : table_.TemplateOf(index).segments) {
    if (std::any_of(segment.literal.begin(), segment.literal.end(), NeverInPath)) {
      warnings_.push_back(fail("never matches: no path has \"" + segment.literal + "\"").message);
    }
  }
  routes_.push_back(std::move(route));
  return {};
}

Result<Router> Router::Make(const Schema& schema, const RouterOptions& options,
                            std::span<const ExtraRule> extra) {
  Router router(options);
  for (const std::string& name : options.services) {
    if (schema.FindService(name) == nullptr) {
      return MakeError(Code::kInvalidArgument, "no service \"" + name + "\" in the descriptors");
    }
  }
  for (const Service& service : schema.services()) {
    if (!options.services.empty() && std::find(options.services.begin(), options.services.end(),
                                               service.full_name) == options.services.end()) {
      continue;
    }
    for (const Method& method : service.methods) {
      for (const HttpRule& rule : method.http_rules) {
        if (Result<> added = router.Add(method, rule, options); !added.ok()) return added.error();
      }
    }
  }
  for (const ExtraRule& rule : extra) {
    std::string path = "/" + rule.selector;
    if (const size_t dot = path.rfind('.'); dot != path.npos) path[dot] = '/';
    const Method* method = schema.FindMethod(path);
    if (method == nullptr) {
      return MakeError(Code::kInvalidArgument, "no method \"" + rule.selector + "\"");
    }
    if (Result<> added = router.Add(*method, rule.rule, options); !added.ok()) {
      return added.error();
    }
  }
  if (options.auto_mapping) {
    for (const Service& service : schema.services()) {
      for (const Method& method : service.methods) {
        const HttpRule rule{"POST", method.path, "*", ""};
        Result<> added = router.Add(method, rule, options);
        if (!added.ok() && added.error().code != Code::kAlreadyExists) return added.error();
      }
    }
  }
  return router;
}

Match::Outcome Router::Find(std::string_view method, std::string_view target, Match& match) const {
  match.route = nullptr;
  if (table_.Find(method, target, match.path)) {
    match.route = &routes_[match.path.rule];
    return match.outcome = Match::Outcome::kFound;
  }
  PathMatch scratch;
  const bool other = !table_.MethodsOf(target, scratch).empty();
  return match.outcome = other ? Match::Outcome::kMethodNotAllowed : Match::Outcome::kNotFound;
}

std::string Router::Allow(std::string_view target) const {
  PathMatch scratch;
  std::string text;
  for (const std::string& method : table_.MethodsOf(target, scratch)) {
    if (!text.empty()) text += ", ";
    text += method;
  }
  return text;
}

}  // namespace transcode
