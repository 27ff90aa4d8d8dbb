#include "stream/gathered_text.h"

#include <cstring>

namespace transcode {
namespace {

constexpr size_t kNever = static_cast<size_t>(-1);

// What stands before the string is copied twice: it must not be long. Neither is it worth to cut a
// text for a string that ends soon.
constexpr size_t kLeastText = 4096, kMostText = 1 << 17, kLeastPlain = 4096;

// Room in front of the plain bytes beside that for the text: a frame header, a few lengths.
constexpr size_t kRoom = 256;

// Whether the last quote opens a string, by what stands before it. It may be wrong: the parser
// finds out.
bool SeemsToEndInString(std::string_view text) {
  const void* const quote = memrchr(text.data(), '"', text.size());
  if (quote == nullptr) return false;
  text = text.substr(0, static_cast<size_t>(static_cast<const char*>(quote) - text.data()));
  const size_t before = text.find_last_not_of(" \n\r\t");
  return before == text.npos || std::strchr(":,[{", text[before]) != nullptr;
}

}  // namespace

void GatheredText::Start(bool cut, Isa isa) {
  text_.Clear();
  tail_.Clear();
  behind_ = 0;
  look_at_ = cut ? kLeastText : kNever;
  part_ = Part::kText;
  isa_ = isa;
}

// What comes when the text was long enough to look at it.
void GatheredText::AppendApart(std::string_view piece) {
  if (part_ == Part::kText) Look();
  const size_t size = piece.size();
  if (part_ == Part::kString) piece.remove_prefix(AppendPlain(piece));
  if (part_ == Part::kText) {
    text_.Append(piece);
  } else {
    tail_.Append(piece);
    behind_ += size;
  }
}

// Appends what goes on in the string. Returns its size.
size_t GatheredText::AppendPlain(std::string_view piece) {
  const PlainCopy run = CopyPlain(piece, plain_.Reserve(piece.size()), isa_);
  plain_.SetSize(plain_.size() + run.size);
  non_ascii_ |= run.non_ascii;
  if (run.size < piece.size()) EndString();
  return run.size;
}

void GatheredText::Look() {
  const size_t size = text_.size();
  look_at_ = size < kMostText ? 4 * size : kNever;
  if (size > kMostText || !SeemsToEndInString(text_.view())) return;
  plain_.Rewind();
  front_ = size + kRoom;
  plain_.Reserve(front_);
  plain_.SetSize(front_);
  non_ascii_ = false;
  part_ = Part::kString;
  look_at_ = 0;
}

void GatheredText::EndString() {
  if (plain_.size() - front_ >= kLeastPlain) {
    part_ = Part::kTail;
    return;
  }
  text_.Append(plain_.view().substr(front_));
  behind_ = 0;
  part_ = Part::kText;
  look_at_ = 4 * text_.size();
}

void GatheredText::Join(const CutString& cut, const Buffer& out) {
  const char* const plain = cut.taken_at != 0 ? out.data() + cut.taken_at : plain_.data() + front_;
  text_.Append({plain, behind_ - tail_.size()});
  text_.Append(tail_.view());
  behind_ = 0;
  part_ = Part::kText;
  look_at_ = kNever;
}

}  // namespace transcode
