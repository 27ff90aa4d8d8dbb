// The frames of gRPC in pieces, against a reader of the whole.

#include <algorithm>
#include <string_view>

#include "conformance/files.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/targets.h"
#include "conformance/streams.h"
#include "stream/frame.h"

namespace transcode::conformance {
namespace {

Seen ReadFrames(std::string_view bytes, bool gzip, size_t limit, const std::vector<size_t>& cuts) {
  Seen seen;
  FrameReader reader;
  reader.Start(gzip, limit);
  for (const std::vector<char>& piece : Pieces(bytes, cuts)) {
    reader.Push({piece.data(), piece.size()});
    while (true) {
      std::string_view message;
      const Result<bool> next = reader.Next(message);
      if (!next.ok()) {
        seen.error = next.error().ToString();
        return seen;
      }
      if (!*next) break;
      REQUIRE(message.size() <= limit, ToHex(bytes));
      seen.outputs.emplace_back(message);
      REQUIRE(seen.outputs.size() * kFrameHeader <= bytes.size(), ToHex(bytes));
    }
    REQUIRE(reader.held() <= std::min(limit + kFrameHeader, bytes.size()), ToHex(bytes));
  }
  const Result<> finished = reader.Finish();
  seen.ok = finished.ok();
  if (!seen.ok) seen.error = finished.error().ToString();
  return seen;
}

// The messages up to the first that is compressed, too large or not whole.
std::vector<std::string> PlainMessages(std::string_view bytes, size_t limit) {
  std::vector<std::string> messages;
  while (bytes.size() >= kFrameHeader && bytes[0] == 0) {
    size_t size = 0;
    for (size_t i = 1; i < kFrameHeader; ++i) size = size << 8 | static_cast<uint8_t>(bytes[i]);
    if (size > limit || size > bytes.size() - kFrameHeader) break;
    messages.emplace_back(bytes.substr(kFrameHeader, size));
    bytes.remove_prefix(kFrameHeader + size);
  }
  return messages;
}

// A byte of options, one that says where to cut, then the frames.
void FramesTarget(const uint8_t* data, size_t size) {
  if (size < 2) return;
  const bool gzip = data[0] & 1;
  const size_t limit = size_t{1} << (4 + (data[0] >> 1) % 16);
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const Seen whole = ReadFrames(bytes, gzip, limit, {});
  REQUIRE(ReadFrames(bytes, gzip, limit, {bytes.size() * data[1] / 255}) == whole, ToHex(bytes));
  REQUIRE(ReadFrames(bytes, gzip, limit, EveryByte(bytes.size())) == whole, ToHex(bytes));
  const std::vector<std::string> plain = PlainMessages(bytes, limit);
  REQUIRE(plain.size() <= whole.outputs.size(), ToHex(bytes));
  REQUIRE(std::equal(plain.begin(), plain.end(), whole.outputs.begin()), ToHex(bytes));
  REQUIRE(gzip || plain.size() == whole.outputs.size(), ToHex(bytes));
}

std::vector<std::string> FrameSeeds() {
  const std::string plain = {'\x10', '\x55'}, gzip = {'\x11', '\x55'};
  const std::string two = Frame("") + Frame("message");
  Buffer packed;
  Gzip(std::string(5000, 'a'), packed);
  std::string compressed = Frame(packed.view());
  compressed[0] = 1;
  const std::string least = {'\0', '\x55'};  // the limit is 16 bytes
  const std::string at_limit = least + Frame(std::string(16, 'm'));
  const std::string above = least + Frame(std::string(17, 'm'));
  return {at_limit,
          above,
          plain,
          plain + two,
          plain + two + two.substr(0, 9),
          plain + compressed,
          gzip + compressed,
          gzip + compressed + two,
          gzip + compressed.substr(0, 20),
          std::string{'\x03', '\x55'} + compressed};
}

}  // namespace

std::vector<FuzzTarget> FrameTargets() { return {{"frames", FramesTarget, FrameSeeds}}; }

}  // namespace transcode::conformance
