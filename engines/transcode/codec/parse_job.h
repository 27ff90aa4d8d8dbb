#pragma once

// What passes between json_to_proto.cc (compiled once) and parse_isa.cc (compiled for each ISA):
// plain data and functions that are not inline.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "codec/json_to_proto.h"
#include "codec/options.h"
#include "schema/schema.h"

namespace transcode {

// A step of a field path, found while an error unwinds.
struct PathStep {
  enum class Kind : uint8_t { kField, kIndex, kKey } kind;
  const Field* field;  // kField
  const char* key;     // kKey, of a map or Struct: its text in the input
  size_t size;         // of the key; kIndex: the index
};

// Why a parse failed. Made into an Error by json_to_proto.cc. It is large and not cleared before
// each call: nothing in it has an initial value.
struct ParseFailure {
  static constexpr int kMaxSteps = 256;  // of deeper paths the innermost part is kept

  Code code;
  const char* message;
  const char* expected;  // null: see `expected_of`
  const Field* expected_of;
  const char* at;
  bool truncated;  // the text ended where something had to follow
  int step_count;
  PathStep steps[kMaxSteps];  // innermost first
};

struct ParseJob {
  const Message* type = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
  const char* value = nullptr;  // where the value starts; in and out: behind it
  bool prefix = false;
  bool lenient = false;  // the second try of Syntax::kLenient
  const ParseOptions* options = nullptr;
  std::span<const Field* const> body;
  std::span<WatchedPath> watched;
  CutString* cut = nullptr;
  Buffer* out = nullptr;
  Buffer* tables = nullptr;   // a stack of hash tables of the keys of open maps
  Buffer* lengths = nullptr;  // DeferredLength
  Buffer* text = nullptr;     // a string without its escapes
  ParseFailure failure;
};

// A length whose one reserved byte does not hold it: the bytes behind it move when all is
// parsed.
struct DeferredLength {
  size_t position;  // of the reserved byte
  uint64_t length;  // final
};

// Grows the buffer that holds `used` bytes so that `extra` more fit. Returns its data.
char* GrowOutput(Buffer& out, size_t used, size_t extra);

void DeferLength(ParseJob& job, size_t position, uint64_t length);

// Exact and correctly rounded; the text must be a JSON number. False: outside of the range.
bool SlowDouble(const char* begin, const char* end, double* value);
bool SlowFloat(const char* begin, const char* end, float* value);

// A number in any form of strtod that is the whole of the text.
bool LenientDouble(const char* begin, const char* end, double* value);

// Parser::kOnDemand: the whole text to the end of the output. False: it is not right, or is one
// that the one-pass parser must see. The output is then undefined.
bool ParseOnDemand(ParseJob& job);

bool IsUtf8(const char* text, size_t size);

struct Base64Result {
  bool ok;
  size_t size;  // written, or where in the text it went wrong
};

// `to` must have room for size / 4 * 3 + 3 bytes.
Base64Result DecodeBase64(const char* text, size_t size, char* to, Base64 policy);

// The random seed of the hash tables of this process.
extern const uint64_t kHashSeed;

}  // namespace transcode
