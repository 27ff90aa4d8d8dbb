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
  void Start(bool cut, Isa isa);

  void Append(std::string_view piece) {
    // Inline, as a body may come in thousands of small pieces.
    if (text_.size() < look_at_) {
      text_.Append(piece);
    } else {
      AppendApart(piece);
    }
  }

  size_t size() const { return text_.size() + behind_; }
  bool empty() const { return text_.empty(); }

  bool is_cut() const { return part_ != Part::kText; }
  // The text, or what stands before the cut.
  std::string_view view() const { return text_.view(); }
  // What follows view() where it is cut.
  CutString Cut() { return {&plain_, front_, non_ascii_, tail_.view(), 0}; }
  // Makes it one text again. `out` is where the parser put the plain bytes, if it took them.
  void Join(const CutString& cut, const Buffer& out);

 private:
  enum class Part : uint8_t { kText, kString, kTail };

  void AppendApart(std::string_view piece);
  size_t AppendPlain(std::string_view piece);
  void Look();
  void EndString();

  size_t behind_ = 0;   // bytes behind text_
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
