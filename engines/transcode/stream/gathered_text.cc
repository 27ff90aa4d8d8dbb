#include "stream/gathered_text.h"

#include <algorithm>
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

PlainCopy CopyAll(const char* from, size_t size, char* to) {
  std::memcpy(to, from, size);
  return {size, false};
}

}  // namespace

void GatheredText::Start(bool cut, size_t limit, Isa isa) {
  text_.Clear();
  tail_.Clear();
  size_ = 0;
  limit_ = limit;
  look_at_ = cut ? kLeastText : kNever;
  part_ = Part::kText;
  isa_ = isa;
  begin_ = end_ = stop_ = nullptr;
}

void GatheredText::Release() {
  for (Buffer* buffer : {&text_, &plain_, &tail_}) buffer->Recycle();
  size_ = 0;
  part_ = Part::kText;
  begin_ = end_ = stop_ = nullptr;
}

// Counts what TryAppend has appended.
void GatheredText::Settle() {
  buffer().SetSize(buffer().size() + Ahead());
  size_ += Ahead();
  begin_ = end_;
}

// Lets TryAppend go on behind the part, up to the next size that needs a look.
void GatheredText::Aim() {
  Buffer& to = buffer();
  size_t room = std::min(to.capacity() - to.size(), limit_ - std::min(limit_, size_));
  if (part_ == Part::kText) room = std::min(room, look_at_ - std::min(look_at_, to.size()));
  begin_ = end_ = to.data() + to.size();
  stop_ = end_ + room;
  copy_ = part_ == Part::kString ? ChooseCopyPlain(isa_) : CopyAll;
}

void GatheredText::Append(std::string_view piece) {
  if (piece.empty()) return;
  Settle();
  size_ += piece.size();
  if (part_ == Part::kText && text_.size() >= look_at_) Look();
  if (part_ == Part::kString) piece.remove_prefix(AppendPlain(piece));
  if (part_ != Part::kString) buffer().Append(piece);
  Aim();
}

// Appends what goes on in the string. Returns its size.
size_t GatheredText::AppendPlain(std::string_view piece) {
  const PlainCopy run =
      ChooseCopyPlain(isa_)(piece.data(), piece.size(), plain_.Reserve(piece.size()));
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
}

void GatheredText::EndString() {
  if (plain_.size() - front_ >= kLeastPlain) {
    part_ = Part::kTail;
    return;
  }
  text_.Append(plain_.view().substr(front_));
  part_ = Part::kText;
  look_at_ = 4 * text_.size();
}

std::string_view GatheredText::view() {
  Settle();
  return text_.view();
}

CutString GatheredText::Cut() {
  Settle();
  return {&plain_, front_, non_ascii_, tail_.view(), 0};
}

void GatheredText::Join(const CutString& cut, const Buffer& out) {
  const char* const plain = cut.taken_at != 0 ? out.data() + cut.taken_at : plain_.data() + front_;
  text_.Append({plain, size_ - text_.size() - cut.tail.size()});
  text_.Append(cut.tail);
  part_ = Part::kText;
  look_at_ = kNever;
  Aim();
}

}  // namespace transcode
