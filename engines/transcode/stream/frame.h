#pragma once

// The frames of gRPC: one byte of flags, four bytes of length (big-endian), the message.

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"

namespace transcode {

inline constexpr size_t kFrameHeader = 5;

// Writes the header of a message of `size` bytes (below 2^32), not compressed.
inline void WriteFrameHeader(size_t size, char* header) {
  header[0] = 0;
  for (int i = 0; i < 4; ++i) header[1 + i] = static_cast<char>(size >> (24 - 8 * i));
}

// Cuts a gRPC stream into messages. A message that lies in one piece is not copied; else it is
// gathered as it arrives, so that a length that is never filled takes no memory.
class FrameReader {
 public:
  // `max_message`: longer messages are RESOURCE_EXHAUSTED, before and after decompression; 0: none.
  void Start(bool gzip, size_t max_message);
  // The bytes must stay as they are until Next has returned false.
  void Push(std::string_view piece);
  // True: `message` is the next one, valid until the next call. False: more input is needed.
  // Errors: INTERNAL for flags that are not 0 or (with gzip) 1, or data that is not gzip.
  Result<bool> Next(std::string_view& message);
  // Errors: INTERNAL if the stream ends inside a frame.
  Result<> Finish() const;
  // Bytes of a frame that is not complete.
  size_t held() const { return partial_.size(); }
  // Forgets the frame and gives back memory.
  void Release();

 private:
  Result<bool> Inflate(std::string_view compressed, std::string_view& message);

  bool gzip_ = false;
  size_t max_message_ = 0;
  std::string_view piece_;
  Buffer partial_;            // header and bytes of a frame in several pieces
  bool partial_out_ = false;  // partial_ was the last message
  Buffer inflated_;
};

// `data` as one gzip member of the lowest useful effort, replacing `out`: for tests and clients.
void Gzip(std::string_view data, Buffer& out);

}  // namespace transcode
