#include "codec/lenient.h"

#include <algorithm>

namespace transcode {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool StartsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  LenientText Run() {
    if (text_.empty()) made_.json = "{}";
    while (at_ < text_.size()) Token();
    if (comma_) out() += ',';
    Token(text_.size());
    return std::move(made_);
  }

 private:
  std::string& out() { return made_.json; }

  void Token(size_t at) { made_.tokens.emplace_back(out().size(), at); }

  void Token() {
    const char c = text_[at_];
    if (IsBlank(c)) {
      ++at_;
      return;
    }
    if (c == ',' && !comma_ && !out().empty() && out().back() != '[' && out().back() != '{') {
      comma_ = true;  // unless a bracket closes behind it
      comma_at_ = at_++;
      return;
    }
    if (comma_) {
      comma_ = false;
      if (c != '}' && c != ']') {
        Token(comma_at_);
        out() += ',';
      }
    }
    Token(at_);
    if (c == '"' || c == '\'') {
      String(c);
    } else if (StartsWord(c)) {
      Word();
    } else if (IsDigit(c) || c == '-') {
      Number();
    } else {
      out() += c;
      ++at_;
    }
  }

  void String(char quote) {
    static constexpr char kHex[] = "0123456789abcdef";
    out() += '"';
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        out() += '"';
        return;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        Escape(text_[++at_]);
      } else if (c == '"') {
        out() += "\\\"";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        out().append("\\u00") += kHex[c >> 4];
        out() += kHex[c & 15];
      } else {
        out() += c;
      }
    }
  }

  void Escape(char c) {
    if (std::string_view("\"\\/bfnrtu").find(c) != std::string_view::npos) {
      out() += '\\';
      out() += c;
    } else if (c == 'v') {
      out() += "\\u000b";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      --at_;  // the loop writes it
      Raw();
    } else {
      out() += c;
    }
  }

  // A control character behind a backslash stands for itself.
  void Raw() {
    static constexpr char kHex[] = "0123456789abcdef";
    const char c = text_[++at_];
    out().append("\\u00") += kHex[c >> 4];
    out() += kHex[c & 15];
  }

  // A bare key if a colon follows.
  void Word() {
    const size_t start = at_;
    while (at_ < text_.size() && (StartsWord(text_[at_]) || IsDigit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    size_t next = at_;
    while (next < text_.size() && IsBlank(text_[next])) ++next;
    const bool literal = word == "true" || word == "false" || word == "null";
    const bool key = !literal && next < text_.size() && text_[next] == ':';
    if (key) out() += '"';
    out() += word;
    if (key) out() += '"';
    // Words that touch must not become one.
    if (!key && at_ < text_.size() && IsBlank(text_[at_])) out() += ' ';
  }

  void Number() {
    if (text_[at_] == '-') out() += text_[at_++];
    const size_t start = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    std::string_view whole = text_.substr(start, at_ - start);
    const bool point = at_ < text_.size() && text_[at_] == '.';
    if (point) {
      while (whole.size() > 1 && whole[0] == '0') whole.remove_prefix(1);
      if (whole.empty()) whole = "0";
    }
    out() += whole;
    if (point) {
      out() += '.';
      const size_t digits = ++at_;
      while (at_ < text_.size() && IsDigit(text_[at_])) out() += text_[at_++];
      if (at_ == digits) out() += '0';
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      out() += text_[at_++];
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) out() += text_[at_++];
      while (at_ < text_.size() && IsDigit(text_[at_])) out() += text_[at_++];
    }
    if (at_ < text_.size() && IsBlank(text_[at_])) out() += ' ';
  }

  std::string_view text_;
  size_t at_ = 0;
  bool comma_ = false;  // read and not yet written
  size_t comma_at_ = 0;
  LenientText made_;
};

}  // namespace

size_t LenientText::OffsetOf(size_t at) const {
  const auto it =
      std::upper_bound(tokens.begin(), tokens.end(), at,
                       [](size_t value, const auto& token) { return value < token.first; });
  if (it == tokens.begin()) return 0;
  const auto& token = *(it - 1);
  return token.second +
         (it == tokens.end() ? 0 : std::min(at - token.first, it->second - token.second));
}

LenientText MakeStrict(std::string_view text) { return Rewriter(text).Run(); }

}  // namespace transcode
