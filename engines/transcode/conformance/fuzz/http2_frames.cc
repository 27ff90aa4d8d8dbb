#include "conformance/fuzz/http2_frames.h"

#include <algorithm>

#include "conformance/files.h"
#include "conformance/fuzz/check.h"

namespace transcode::conformance {
namespace {

constexpr size_t kHeader = 9;

uint8_t Byte(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

}  // namespace

std::string ToBytes(const Http2Frame& frame) {
  std::string bytes;
  for (int shift = 16; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(frame.payload.size() >> shift);
  }
  bytes += static_cast<char>(frame.type);
  bytes += static_cast<char>(frame.flags);
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(frame.stream >> shift);
  return bytes + frame.payload;
}

std::string Literal(std::string_view name, std::string_view value) {
  std::string field(1, '\0');
  for (const std::string_view text : {name, value}) {
    field += static_cast<char>(text.size());
    field += text;
  }
  return field;
}

std::string Packed(const Http2Frame& frame) {
  return std::string{static_cast<char>(frame.type), static_cast<char>(frame.flags),
                     static_cast<char>(frame.stream), static_cast<char>(frame.payload.size())} +
         frame.payload;
}

std::string Unpack(std::string_view packed) {
  constexpr size_t kPackedHeader = 4;
  std::string bytes;
  while (packed.size() >= kPackedHeader) {
    const size_t size = std::min<size_t>(Byte(packed, 3), packed.size() - kPackedHeader);
    bytes += ToBytes({Byte(packed, 0), Byte(packed, 1), Byte(packed, 2),
                      std::string(packed.substr(kPackedHeader, size))});
    packed.remove_prefix(kPackedHeader + size);
  }
  return bytes;
}

std::vector<Http2Frame> ReadFrames(std::string_view bytes) {
  constexpr size_t kLongest = size_t{16} << 10;
  std::vector<Http2Frame> frames;
  while (!bytes.empty()) {
    REQUIRE(bytes.size() >= kHeader, ToHex(bytes));
    size_t size = 0;
    for (size_t i = 0; i < 3; ++i) size = size << 8 | Byte(bytes, i);
    REQUIRE(size <= kLongest && bytes.size() - kHeader >= size, ToHex(bytes));
    Http2Frame frame{Byte(bytes, 3), Byte(bytes, 4), 0, std::string(bytes.substr(kHeader, size))};
    for (size_t i = 5; i < kHeader; ++i) frame.stream = frame.stream << 8 | Byte(bytes, i);
    frames.push_back(std::move(frame));
    bytes.remove_prefix(kHeader + size);
  }
  return frames;
}

}  // namespace transcode::conformance
