#include "http/template.h"

namespace transcode {
namespace {

bool IsIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsIdentifierPart(char c) { return IsIdentifierStart(c) || (c >= '0' && c <= '9'); }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<PathTemplate> Parse() {
    if (!Take('/')) return Fail("a template starts with '/'");
    if (at_ == text_.size()) return std::move(out_);  // the root
    if (!Segments(false)) return Fail(problem_);
    if (Take(':')) {
      const std::string_view verb = Literal();
      if (verb.empty()) return Fail("empty verb");
      out_.verb = verb;
    }
    if (at_ != text_.size()) return Fail("unexpected character");
    for (PathTemplate::Variable& v : out_.variables) FixEnd(v);
    return std::move(out_);
  }

 private:
  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool Problem(const char* text) {
    problem_ = text;
    return false;
  }

  Error Fail(const char* what) const {
    Error error =
        MakeError(Code::kInvalidArgument, "path template \"" + std::string(text_) + "\": " + what);
    error.offset = at_;
    return error;
  }

  std::string_view Literal() {
    const size_t start = at_;
    while (at_ < text_.size() && std::string_view("/{}:*").find(text_[at_]) == text_.npos) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool Segments(bool in_variable) {
    do {
      if (!Segment(in_variable)) return false;
    } while (Take('/'));
    return true;
  }

  bool Segment(bool in_variable) {
    if (Take('{')) {
      if (in_variable) return Problem("a variable inside a variable");
      return Variable();
    }
    PathTemplate::Segment segment{PathTemplate::Kind::kLiteral, {}};
    if (Take('*')) {
      segment.kind = Take('*') ? PathTemplate::Kind::kDoubleStar : PathTemplate::Kind::kStar;
      if (at_ < text_.size() && std::string_view("/}:").find(text_[at_]) == text_.npos) {
        return Problem("a wildcard is a segment of its own");
      }
    } else {
      segment.literal = Literal();
      if (segment.literal.empty()) return Problem("empty segment");
    }
    return Add(std::move(segment));
  }

  bool Add(PathTemplate::Segment segment) {
    if (out_.segments.size() == PathTemplate::kMaxSegments) return Problem("too many segments");
    if (has_double_star_ && segment.kind != PathTemplate::Kind::kLiteral) {
      return Problem("only literals may follow \"**\"");
    }
    has_double_star_ |= segment.kind == PathTemplate::Kind::kDoubleStar;
    out_.segments.push_back(std::move(segment));
    return true;
  }

  bool Variable() {
    const size_t start = at_;
    do {
      if (at_ == text_.size() || !IsIdentifierStart(text_[at_])) {
        return Problem("expected the name of a field");
      }
      while (at_ < text_.size() && IsIdentifierPart(text_[at_])) ++at_;
    } while (Take('.'));
    PathTemplate::Variable variable;
    variable.field_path = text_.substr(start, at_ - start);
    for (const PathTemplate::Variable& other : out_.variables) {
      if (other.field_path == variable.field_path) return Problem("a variable twice");
    }
    variable.first = static_cast<uint16_t>(out_.segments.size());
    if (Take('=')) {
      if (!Segments(true)) return false;
    } else if (!Add({PathTemplate::Kind::kStar, {}})) {
      return false;
    }
    if (!Take('}')) return Problem("expected '}'");
    variable.end = static_cast<uint16_t>(out_.segments.size());
    out_.variables.push_back(std::move(variable));
    return true;
  }

  void FixEnd(PathTemplate::Variable& v) const {
    for (size_t i = 0; i < v.end; ++i) {
      v.end_from_back |= out_.segments[i].kind == PathTemplate::Kind::kDoubleStar;
    }
    v.multi_segment = v.end_from_back || v.end - v.first != 1;
    if (v.end_from_back) v.end = static_cast<uint16_t>(out_.segments.size() - v.end);
  }

  std::string_view text_;
  size_t at_ = 0;
  const char* problem_ = "";
  bool has_double_star_ = false;
  PathTemplate out_;
};

}  // namespace

Result<PathTemplate> PathTemplate::Parse(std::string_view text) { return Parser(text).Parse(); }

}  // namespace transcode
