#pragma once

// Percent-decoding of paths and query strings.

#include <cstdint>
#include <string_view>

#include "base/buffer.h"

namespace transcode {

// What is decoded. An escape that is not decoded, or is malformed, stays as it is.
enum class Unescape : uint8_t {
  kAll,
  kAllExceptReserved,  // the reserved characters of RFC 3986 stay encoded
  kAllExceptSlash,
};

// `text` decoded. Without an escape it is `text` itself; else it is appended to `storage`, which
// must have room for text.size() more bytes so that earlier results stay where they are.
std::string_view PercentDecode(std::string_view text, Unescape unescape, bool plus_is_space,
                               Buffer& storage);

}  // namespace transcode
