#pragma once

// A client that writes what it likes, and the server that answers it, in one thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transcode::conformance {

// A byte of options, one that says where to cut, then what the client writes.
struct ClientInput {
  bool gateway, small, raw, narrow;
  size_t step;
  std::string_view bytes;
};

// `size` of 0 or 1: nothing is written.
ClientInput ReadClientInput(const uint8_t* data, size_t size);

// What the application and the client saw.
struct Served {
  std::string requests, answers;
  bool operator==(const Served&) const = default;
};

// The client writes in pieces that end at `cuts`, reads all, and ends. Each piece is read, and the
// end is the end. `http2`: whether the server speaks it; requests are then answered behind all of
// the input, as streams that end while others go on would show how the input is cut.
Served Serve(const ClientInput& input, bool http2, const std::vector<size_t>& cuts);

// The same before a gateway; what comes back depends on what the server behind was told when.
void ServeGateway(const ClientInput& input, const std::vector<size_t>& cuts);

}  // namespace transcode::conformance
