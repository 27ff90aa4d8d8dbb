#pragma once

// A compiled set of (method, path template) pairs: a trie of path segments in flat arrays.
//
// Order of preference: a literal before "*" before "**", from the first segment on, with
// backtracking; at equal templates the method itself before the method "*". A path ends before
// '?', trailing slashes do not count. What follows the last ':' of the last segment is a verb only
// where some template has that verb. A match costs one hash lookup per segment tried; backtracking
// is bounded by the number of nodes of the trie. Nothing is allocated for a match once the
// PathMatch has grown to the longest path.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "http/percent.h"
#include "http/template.h"

namespace transcode {

// Segments of a request path and what they matched. Reused between calls.
struct PathMatch {
  struct Binding {
    uint32_t variable = 0;   // index in the variables of the template
    std::string_view value;  // in the path, or decoded in `decoded`
  };

  uint32_t rule = 0;  // as given to Add
  std::vector<Binding> bindings;
  std::string_view query;  // behind the '?', may be empty
  Buffer decoded;

 private:
  friend class RouteTable;
  struct Span {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  std::vector<Span> segments;
};

class RouteTable {
 public:
  struct Options {
    Unescape multi_segment = Unescape::kAllExceptReserved;
    bool any_verb = false;  // a verb that no template has splits the path too (and never matches)
  };

  RouteTable();
  explicit RouteTable(const Options& options);

  // Adds a rule of the caller's number. `method` is case-sensitive; "*" is any.
  // Errors: INVALID_ARGUMENT of the template; ALREADY_EXISTS for a rule that has the same method
  // and matches the same paths as an earlier one (which stays). O(length of the template).
  Result<> Add(std::string_view method, std::string_view path_template, uint32_t rule);

  // True and `match` filled, or false.
  bool Find(std::string_view method, std::string_view target, PathMatch& match) const;

  // The methods that have a rule for the path, sorted. Slow: for answers 405.
  std::vector<std::string> MethodsOf(std::string_view target, PathMatch& scratch) const;

  const PathTemplate& TemplateOf(uint32_t rule) const { return templates_[rule].parsed; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  // Parents of names that are not segments.
  static constexpr uint32_t kMethods = 0xfffffffe;
  static constexpr uint32_t kVerbs = 0xfffffffd;

  struct Leaf {
    uint32_t method;
    uint32_t verb;
    uint32_t rule;
  };
  struct Node {
    uint32_t star = kNone;
    uint32_t rest = kNone;  // "**"; the literals behind it hang below it in reverse order
    std::vector<Leaf> leaves;
    bool literals = false;
  };
  struct Edge {
    uint32_t parent = kNone;
    uint32_t child = kNone;
    uint32_t text = 0;  // in texts_
    uint32_t size = 0;
  };
  struct Template {
    PathTemplate parsed;
    std::string text;
  };
  struct Query;  // of one lookup

  static uint64_t Hash(uint32_t parent, std::string_view text);
  uint32_t Child(uint32_t parent, std::string_view text) const;
  uint32_t AddChild(uint32_t parent, std::string_view text, uint32_t child_if_new);
  void InsertEdge(const Edge& edge);
  uint32_t NewNode();
  void Split(std::string_view target, PathMatch& match, uint32_t& verb) const;
  bool Walk(Query& query, uint32_t node, uint32_t at) const;
  bool WalkRest(Query& query, uint32_t node, uint32_t at, uint32_t end) const;
  bool Accept(Query& query, uint32_t node) const;
  void Bind(std::string_view target, PathMatch& match) const;

  Options options_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;  // open addressing, a power of two
  size_t edge_count_ = 0;
  std::string texts_;
  std::vector<std::string> methods_;
  uint32_t verb_count_ = 1;  // 0: no verb
  std::vector<Template> templates_;
};

}  // namespace transcode
