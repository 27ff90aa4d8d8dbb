#pragma once

// HTTP/2 frame by frame: what a peer may write, right or wrong.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transcode::conformance {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

inline constexpr uint8_t kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kPing = 6, kGoaway = 7,
                         kWindowUpdate = 8, kContinuation = 9;
inline constexpr uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4;

struct Http2Frame {
  uint8_t type = 0;
  uint8_t flags = 0;
  uint32_t stream = 0;
  std::string payload;
};

std::string ToBytes(const Http2Frame& frame);
// A header field that is not compressed; name and value have fewer than 127 bytes.
std::string Literal(std::string_view name, std::string_view value);

// The form of inputs, in which a length is right whatever is changed: of each frame a byte of type,
// flags, stream and size, then the payload.
std::string Packed(const Http2Frame& frame);
// Their frames, as bytes of a connection.
std::string Unpack(std::string_view packed);

// The frames of what a peer wrote. Aborts if they are not whole.
std::vector<Http2Frame> ReadFrames(std::string_view bytes);

}  // namespace transcode::conformance
