#pragma once

// The text of one message, from pieces of any size.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "codec/json_to_proto.h"

namespace transcode {

// Gathers the pieces in one buffer. Where they seem to lead into a long string, its plain bytes go
// to a buffer of their own with room in front, so that the parser need not copy them again (see
// CutString).
class GatheredText {
 public:
  // Forgets the text and keeps the capacity. `cut`: whether long strings may be kept apart.
  // `limit`: the most bytes that TryAppend takes.
  void Start(bool cut, size_t limit, Isa isa);

  // Appends a piece to a text that has begun, if that is simple. False: Append has to do it.
  bool TryAppend(std::string_view piece) {
    // Inline, as a body may come in thousands of small pieces.
    if (piece.size() - 1 >= static_cast<size_t>(stop_ - end_)) return false;  // an empty one, too
    const PlainCopy run = copy_(piece.data(), piece.size(), end_);
    if (run.size != piece.size()) return false;
    end_ += piece.size();
    if (run.non_ascii) non_ascii_ = true;
    return true;
  }
  void Append(std::string_view piece);
  // Forgets the text and gives back memory. Start() must follow.
  void Release();

  size_t size() const { return size_ + Ahead(); }
  bool empty() const { return size() == 0; }

  bool is_cut() const { return part_ != Part::kText; }
  // The text, or what stands before the cut.
  std::string_view view();
  // What follows view() where it is cut.
  CutString Cut();
  // Makes it one text again. `out` is where the parser put the plain bytes, if it took them.
  void Join(const CutString& cut, const Buffer& out);

 private:
  enum class Part : uint8_t { kText, kString, kTail };

  Buffer& buffer() {
    return part_ == Part::kText ? text_ : part_ == Part::kString ? plain_ : tail_;
  }
  // What only end_ counts.
  size_t Ahead() const { return static_cast<size_t>(end_ - begin_); }
  void Settle();
  void Aim();
  size_t AppendPlain(std::string_view piece);
  void Look();
  void EndString();

  // Where TryAppend began, where the next piece goes, how far, and how.
  char* begin_ = nullptr;
  char* end_ = nullptr;
  char* stop_ = nullptr;
  CopyBytes* copy_ = nullptr;

  size_t size_ = 0;
  size_t limit_ = 0;
  size_t look_at_ = 0;  // the size of text_ at which to look whether it ends inside of a string
  Part part_ = Part::kText;  // that the next piece goes to
  Isa isa_ = Isa::kAuto;
  bool non_ascii_ = false;  // in plain_
  size_t front_ = 0;        // of plain_: room
  Buffer text_;
  Buffer plain_;
  Buffer tail_;
};

}  // namespace transcode
