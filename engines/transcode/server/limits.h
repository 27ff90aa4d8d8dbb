// Limits of one proxy: what a client may send and what is kept in memory for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace transcode::server {

struct Limits {
  size_t header_bytes = size_t{64} << 10;   // all fields of a request: 431 above
  size_t path_bytes = size_t{8} << 10;      // path with query: 414 above
  size_t body_bytes = size_t{32} << 20;     // one JSON message of a request: 413 above
  size_t message_bytes = size_t{64} << 20;  // one gRPC message of a response
  // What the buffers of all requests and answers together may take: 503 above.
  size_t memory_bytes = size_t{512} << 20;
  // Output that waits for a slow reader before its source is held.
  size_t queue_bytes = size_t{256} << 10;
  uint32_t streams = 256;  // of one HTTP/2 client
  // From the first byte to the end of a head, of the line of a chunk, and of trailers. Of whoever
  // is silent for longer one ends when all connections are taken and another client waits.
  std::chrono::milliseconds header_time{10'000};
  // Of a body that becomes one message, and a second more for each 16 KiB of it: 408 above.
  std::chrono::milliseconds body_time{30'000};
  // Of a connection without a request, and of output that the client does not take.
  std::chrono::milliseconds idle_time{120'000};
  // Of a request of which nothing comes and nothing goes: 408, or 504 once it has ended. 0: none.
  std::chrono::milliseconds stream_idle_time{300'000};
};

}  // namespace transcode::server
