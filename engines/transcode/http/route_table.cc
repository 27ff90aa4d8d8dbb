#include "http/route_table.h"

#include <algorithm>
#include <cstring>

#include "http/head.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace transcode {
namespace {

constexpr uint32_t kUnknown = 0xffffffff;  // a method or verb that no rule has
constexpr uint32_t kAnyMethod = 0;
constexpr uint32_t kNoVerb = 0;

uint64_t Load(const char* p, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, p, size);
  return value;
}

// The 1 to 8 bytes of p as a number, without a read behind them.
uint64_t LoadShort(const char* p, size_t size) {
  if (size >= 4) return Load(p, 4) | Load(p + size - 4, 4) << 32;
  return static_cast<uint64_t>(static_cast<uint8_t>(p[0])) |
         static_cast<uint64_t>(static_cast<uint8_t>(p[size / 2])) << 8 |
         static_cast<uint64_t>(static_cast<uint8_t>(p[size - 1])) << 16;
}

// Segments are short: cheaper than a call of memcmp.
bool SameBytes(const char* a, const char* b, size_t size) {
  for (; size > 8; a += 8, b += 8, size -= 8) {
    if (Load(a, 8) != Load(b, 8)) return false;
  }
  return size == 0 || LoadShort(a, size) == LoadShort(b, size);
}

uint64_t Mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

struct RouteTable::Query {
  const char* path;
  const PathMatch::Span* segments;
  uint32_t count;
  uint32_t method;
  uint32_t verb;
  uint32_t rule = kNone;
  std::vector<uint32_t>* methods = nullptr;  // where set, every method is collected

  std::string_view segment(uint32_t at) const {
    return {path + segments[at].begin, segments[at].size};
  }
};

RouteTable::RouteTable() : RouteTable(Options()) {}

RouteTable::RouteTable(const Options& options) : options_(options), edges_(64) {
  NewNode();
  methods_.push_back("*");
  AddChild(kMethods, "*", kAnyMethod);
}

uint64_t RouteTable::Hash(uint32_t parent, std::string_view text) {
  constexpr uint64_t kA = 0x9e3779b97f4a7c15;
  constexpr uint64_t kB = 0xd6e8feb86659fd93;
  const char* p = text.data();
  size_t size = text.size();
  uint64_t hash = (static_cast<uint64_t>(parent) << 32 | size) ^ kB;
  for (; size > 8; p += 8, size -= 8) hash = Mix(hash ^ Load(p, 8), kA);
  if (size != 0) hash = Mix(hash ^ LoadShort(p, size), kA);
  return Mix(hash, kB);
}

uint32_t RouteTable::Child(uint32_t parent, std::string_view text) const {
  const size_t mask = edges_.size() - 1;
  for (size_t at = Hash(parent, text) & mask;; at = (at + 1) & mask) {
    const Edge& edge = edges_[at];
    if (edge.child == kNone) return kNone;
    if (edge.parent == parent && edge.size == text.size() &&
        SameBytes(texts_.data() + edge.text, text.data(), text.size())) {
      return edge.child;
    }
  }
}

void RouteTable::InsertEdge(const Edge& edge) {
  const size_t mask = edges_.size() - 1;
  size_t at = Hash(edge.parent, std::string_view(texts_).substr(edge.text, edge.size)) & mask;
  while (edges_[at].child != kNone) at = (at + 1) & mask;
  edges_[at] = edge;
}

uint32_t RouteTable::AddChild(uint32_t parent, std::string_view text, uint32_t child_if_new) {
  if (4 * ++edge_count_ > edges_.size()) {  // sparse: most lookups end at the first slot
    std::vector<Edge> old(2 * edges_.size());
    old.swap(edges_);
    for (const Edge& edge : old) {
      if (edge.child != kNone) InsertEdge(edge);
    }
  }
  Edge edge{parent, child_if_new, static_cast<uint32_t>(texts_.size()),
            static_cast<uint32_t>(text.size())};
  texts_ += text;
  InsertEdge(edge);
  return child_if_new;
}

uint32_t RouteTable::NewNode() {
  nodes_.emplace_back();
  return static_cast<uint32_t>(nodes_.size() - 1);
}

Result<> RouteTable::Add(std::string_view method, std::string_view path_template, uint32_t rule) {
  Result<PathTemplate> parsed = PathTemplate::Parse(path_template);
  if (!parsed.ok()) return parsed.error();
  if (!IsToken(method)) {
    Error error = MakeError(Code::kInvalidArgument, "the method of a rule");
    error.expected = "letters, digits and !#$%&'*+-.^_`|~";
    error.got = method;
    return error;
  }

  uint32_t node = 0;
  const auto literal = [this, &node](std::string_view text) {
    uint32_t child = Child(node, text);
    if (child == kNone) child = AddChild(node, text, NewNode());
    nodes_[node].literals = true;
    node = child;
  };
  const auto wildcard = [this, &node](uint32_t Node::*member) {
    if (nodes_[node].*member == kNone) {
      const uint32_t child = NewNode();
      nodes_[node].*member = child;
    }
    node = nodes_[node].*member;
  };
  const std::vector<PathTemplate::Segment>& segments = parsed->segments;
  size_t at = 0;
  for (; at < segments.size() && segments[at].kind != PathTemplate::Kind::kDoubleStar; ++at) {
    if (segments[at].kind == PathTemplate::Kind::kLiteral) {
      literal(segments[at].literal);
    } else {
      wildcard(&Node::star);
    }
  }
  if (at < segments.size()) {
    wildcard(&Node::rest);
    for (size_t last = segments.size() - 1; last > at; --last) literal(segments[last].literal);
  }

  Leaf leaf{Child(kMethods, method), kNoVerb, rule};
  if (leaf.method == kNone) {
    leaf.method = AddChild(kMethods, method, static_cast<uint32_t>(methods_.size()));
    methods_.emplace_back(method);
  }
  if (!parsed->verb.empty()) {
    leaf.verb = Child(kVerbs, parsed->verb);
    if (leaf.verb == kNone) leaf.verb = AddChild(kVerbs, parsed->verb, verb_count_++);
  }
  for (const Leaf& other : nodes_[node].leaves) {
    if (other.method == leaf.method && other.verb == leaf.verb) {
      return MakeError(Code::kAlreadyExists,
                       std::string(method) + " " + std::string(path_template) +
                           " matches the same paths as " + templates_[other.rule].text);
    }
  }
  nodes_[node].leaves.push_back(leaf);
  if (templates_.size() <= rule) templates_.resize(rule + 1);
  templates_[rule] = {std::move(*parsed), std::string(path_template)};
  return {};
}

// One pass over the target: where the segments are, and which verb follows them.
void RouteTable::Split(std::string_view target, PathMatch& match, uint32_t& verb) const {
  match.segments.clear();
  match.query = {};
  verb = kNoVerb;
  if (target.empty()) return;
  const char* const data = target.data();
  size_t end = target.size();
  uint32_t begin = 1;
  uint32_t colon = kNone;
  const auto special = [&](size_t at) {  // false: the path ends here
    const char c = data[at];
    if (c == '/') {
      match.segments.push_back({begin, static_cast<uint32_t>(at) - begin});
      begin = static_cast<uint32_t>(at) + 1;
    } else if (c == ':') {
      colon = static_cast<uint32_t>(at);
    } else {
      match.query = target.substr(at + 1);
      end = at;
      return false;
    }
    return true;
  };
  size_t at = 1;
#if defined(__SSE2__)
  for (; at + 16 <= target.size() && at < end; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + at));
    const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')),
                                      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(':')),
                                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('?'))));
    uint32_t mask = static_cast<uint32_t>(_mm_movemask_epi8(hits));
    for (; mask != 0; mask &= mask - 1) {
      if (!special(at + static_cast<size_t>(__builtin_ctz(mask)))) break;
    }
  }
#endif
  for (; at < end; ++at) {
    if ((data[at] == '/' || data[at] == ':' || data[at] == '?') && !special(at)) break;
  }
  if (colon != kNone && colon >= begin) {
    const std::string_view text = target.substr(colon + 1, end - colon - 1);
    const uint32_t found = Child(kVerbs, text);
    if (found != kNone || options_.any_verb) {
      verb = found == kNone ? kUnknown : found;
      end = colon;
    }
  }
  match.segments.push_back({begin, static_cast<uint32_t>(end) - begin});
  while (!match.segments.empty() && match.segments.back().size == 0) match.segments.pop_back();
}

bool RouteTable::Accept(Query& query, uint32_t node) const {
  uint32_t any = kNone;
  for (const Leaf& leaf : nodes_[node].leaves) {
    if (leaf.verb != query.verb) continue;
    if (query.methods != nullptr) {
      query.methods->push_back(leaf.method);
    } else if (leaf.method == query.method) {
      query.rule = leaf.rule;
      return true;
    } else if (leaf.method == kAnyMethod) {
      any = leaf.rule;
    }
  }
  query.rule = any;
  return any != kNone;
}

// The literals at the end of the path down the reversed trie below a "**", which keeps at least
// one segment; the longest that has a rule wins.
bool RouteTable::WalkRest(Query& query, uint32_t node, uint32_t at, uint32_t end) const {
  if (nodes_[node].literals && end > at + 1) {
    const uint32_t child = Child(node, query.segment(end - 1));
    if (child != kNone && WalkRest(query, child, at, end - 1)) return true;
  }
  return Accept(query, node);
}

bool RouteTable::Walk(Query& query, uint32_t node, uint32_t at) const {
  const Node& here = nodes_[node];
  if (at == query.count) {
    return Accept(query, node) || (here.rest != kNone && Accept(query, here.rest));
  }
  if (here.literals) {
    const uint32_t child = Child(node, query.segment(at));
    if (child != kNone && Walk(query, child, at + 1)) return true;
  }
  if (here.star != kNone && Walk(query, here.star, at + 1)) return true;
  return here.rest != kNone && WalkRest(query, here.rest, at, query.count);
}

void RouteTable::Bind(std::string_view target, PathMatch& match) const {
  const size_t count = match.segments.size();
  const std::vector<PathTemplate::Variable>& variables = templates_[match.rule].parsed.variables;
  match.bindings.clear();
  match.decoded.Clear();
  if (variables.empty()) return;
  const bool escapes = target.find('%') != target.npos;
  if (escapes) match.decoded.Reserve(target.size());
  for (uint32_t i = 0; i < variables.size(); ++i) {
    const PathTemplate::Variable& v = variables[i];
    const size_t end = v.end_from_back ? count - v.end : v.end;
    std::string_view value;
    if (end > v.first) {
      const PathMatch::Span& last = match.segments[end - 1];
      const uint32_t begin = match.segments[v.first].begin;
      value = target.substr(begin, last.begin + last.size - begin);
    }
    if (!escapes) {
      match.bindings.push_back({i, value});
      continue;
    }
    const Unescape unescape = v.multi_segment ? options_.multi_segment : Unescape::kAll;
    match.bindings.push_back({i, PercentDecode(value, unescape, false, match.decoded)});
  }
}

bool RouteTable::Find(std::string_view method, std::string_view target, PathMatch& match) const {
  if (!target.empty() && target[0] != '/') return false;
  Query query;
  Split(target, match, query.verb);
  query.path = target.data();
  query.segments = match.segments.data();
  query.count = static_cast<uint32_t>(match.segments.size());
  query.method = Child(kMethods, method);
  if (!Walk(query, 0, 0)) return false;
  match.rule = query.rule;
  Bind(target, match);
  return true;
}

std::vector<std::string> RouteTable::MethodsOf(std::string_view target, PathMatch& scratch) const {
  std::vector<uint32_t> found;
  std::vector<std::string> methods;
  if (!target.empty() && target[0] != '/') return methods;
  Query query;
  Split(target, scratch, query.verb);
  query.path = target.data();
  query.segments = scratch.segments.data();
  query.count = static_cast<uint32_t>(scratch.segments.size());
  query.method = kUnknown;
  query.methods = &found;
  Walk(query, 0, 0);
  for (const uint32_t method : found) methods.push_back(methods_[method]);
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  return methods;
}

}  // namespace transcode
