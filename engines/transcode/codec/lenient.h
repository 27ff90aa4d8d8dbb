#pragma once

// Lenient JSON (see Syntax::kLenient) made strict. The slow path: it allocates.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transcode {

struct LenientText {
  std::string json;  // one strict value, if the text has one
  // Where tokens start: in `json`, in the text.
  std::vector<std::pair<size_t, size_t>> tokens;

  // Of a byte of `json`: the byte of the text, exact where tokens start.
  size_t OffsetOf(size_t at) const;
};

// Reads the first value of the text and then all that follows it. Whatever it does not know is
// copied: the strict parser then says what is wrong.
LenientText MakeStrict(std::string_view text);

}  // namespace transcode
