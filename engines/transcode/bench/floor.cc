#include "bench/floor.h"

#include <simdutf.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "bench/families.h"

#if defined(__x86_64__) && defined(__gnu_linux__)
#define TRANSCODE_CLONES [[gnu::target_clones("arch=icelake-server", "avx2", "default")]]
#else
#define TRANSCODE_CLONES
#endif

namespace transcode::bench {
namespace {

// Copies `size` bytes, and returns whether all could stand in a JSON string as they are.
TRANSCODE_CLONES bool CopyPlain(char* out, const char* in, size_t size) {
  constexpr size_t kBlock = 256;
  size_t at = 0;
  unsigned special = 0;
  for (; at + kBlock <= size; at += kBlock) {
    uint8_t found = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      const auto byte = static_cast<uint8_t>(in[at + i]);
      found |=
          static_cast<uint8_t>((byte < 0x20) | (byte >= 0x80) | (byte == '"') | (byte == '\\'));
      out[at + i] = in[at + i];
    }
    special |= found;
  }
  for (; at < size; ++at) {
    const auto byte = static_cast<uint8_t>(in[at]);
    special |= (byte < 0x20) | (byte >= 0x80) | (byte == '"') | (byte == '\\');
    out[at] = in[at];
  }
  return special == 0;
}

// The payload of a message of one field: behind its tag and its length.
std::string_view Payload(std::string_view wire) {
  size_t at = 1;
  while (static_cast<uint8_t>(wire[at++]) >= 0x80) {
  }
  return wire.substr(at);
}

// What stands between the first `open` and the last `close`.
std::string_view Between(std::string_view json, char open, char close) {
  const size_t begin = json.find(open) + 1;
  return json.substr(begin, json.rfind(close) - begin);
}

// What a part reads, and where it writes.
struct Floor {
  std::string_view in;
  std::string_view expected;
  std::string out;
  size_t size = 0;  // of what was written
};

bool Copy(Floor& floor) {
  std::memcpy(floor.out.data(), floor.in.data(), floor.in.size());
  benchmark::DoNotOptimize(floor.out.data());
  benchmark::ClobberMemory();
  floor.size = floor.in.size();
  return true;
}

bool CheckUtf8(Floor& floor) { return simdutf::validate_utf8(floor.in.data(), floor.in.size()); }

bool Scan(Floor& floor) {
  floor.size = floor.in.size();
  return CopyPlain(floor.out.data(), floor.in.data(), floor.in.size());
}

bool DecodeBase64(Floor& floor) {
  const auto result = simdutf::base64_to_binary(floor.in.data(), floor.in.size(), floor.out.data());
  floor.size = result.count;
  return result.error == simdutf::SUCCESS;
}

bool EncodeBase64(Floor& floor) {
  floor.size = simdutf::binary_to_base64(floor.in.data(), floor.in.size(), floor.out.data());
  return true;
}

char* WriteVarint(char* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

bool ReadInt32s(Floor& floor) {
  const char* at = floor.in.data();
  const char* const end = at + floor.in.size();
  char* out = floor.out.data();
  while (at < end) {
    int32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return false;
    out = WriteVarint(out, static_cast<uint64_t>(int64_t{value}));
    at = next + 1;
  }
  floor.size = static_cast<size_t>(out - floor.out.data());
  return true;
}

bool WriteInt32s(Floor& floor) {
  const char* at = floor.in.data();
  const char* const end = at + floor.in.size();
  char* out = floor.out.data();
  while (at < end) {
    uint64_t value = 0;
    int shift = 0;
    for (;; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    out = std::to_chars(out, out + 16, static_cast<int32_t>(value)).ptr;
    *out++ = ',';
  }
  floor.size = static_cast<size_t>(out - floor.out.data()) - 1;
  return true;
}

bool ReadDoubles(Floor& floor) {
  const char* at = floor.in.data();
  const char* const end = at + floor.in.size();
  char* out = floor.out.data();
  while (at < end) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return false;
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
    at = next + 1;
  }
  floor.size = static_cast<size_t>(out - floor.out.data());
  return true;
}

bool WriteDoubles(Floor& floor) {
  char* out = floor.out.data();
  for (size_t at = 0; at < floor.in.size(); at += sizeof(double)) {
    double value = 0;
    std::memcpy(&value, floor.in.data() + at, sizeof value);
    out = std::to_chars(out, out + 32, value).ptr;
    *out++ = ',';
  }
  floor.size = static_cast<size_t>(out - floor.out.data()) - 1;
  return true;
}

using Part = bool (*)(Floor&);

// `list` tells whether the payload is an array of JSON, not a string.
Work MakeFloor(const Request& request, Part part, bool list) {
  auto floor = std::make_shared<Floor>();
  const std::string_view json = request.from_json ? request.input : request.expected;
  const std::string_view member = json.substr(json.find(':') + 1);
  const std::string_view value = list ? Between(member, '[', ']') : Between(member, '"', '"');
  floor->in = request.from_json ? value : Payload(request.input);
  floor->expected = request.from_json ? Payload(request.expected) : value;
  floor->out.resize(2 * request.input.size() + 2 * request.expected.size() + 64);
  return {[floor, part] { return part(*floor); },
          [floor, part] {
            if (part == CheckUtf8) return std::string();
            return Difference({floor->out.data(), floor->size}, floor->expected);
          }};
}

}  // namespace

void RegisterFloors() {
  const auto add = [](const std::string& name, Part part, bool list) {
    RegisterOne("BM_Floor/" + name,
                [part, list](const Request& request) { return MakeFloor(request, part, list); });
  };
  add("memcpy", Copy, false);
  add("utf8", CheckUtf8, false);
  add("scan", Scan, false);
  add("base64_decode", DecodeBase64, false);
  add("base64_encode", EncodeBase64, false);
  add("int32_in", ReadInt32s, true);
  add("int32_out", WriteInt32s, true);
  add("double_in", ReadDoubles, true);
  add("double_out", WriteDoubles, true);
}

}  // namespace transcode::bench
