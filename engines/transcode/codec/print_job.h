#pragma once

// What the printer (compiled once for each instruction set) and proto_to_json.cc (compiled once)
// share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "codec/isa.h"
#include "codec/options.h"
#include "schema/schema.h"

namespace transcode {

enum class PrintFailure : uint8_t {
  kNone,
  kTruncated,
  kLongVarint,
  kTag,
  kGroup,
  kDepth,
  kUtf8,
  kTimestamp,
  kDuration,
  kFieldMask,
  kNumberValue,
  kAnyUrl,
  kAnyType,
  kMessageSet,
};

struct PrintJob {
  enum class What : uint8_t { kMessage, kField, kAny, kText };

  PrintJob(const PrintOptions& the_options, Buffer& the_out) : options(the_options), out(the_out) {}

  const PrintOptions& options;
  Buffer& out;
  What what = What::kMessage;
  std::string_view wire;             // or the text
  const Message* message = nullptr;  // kMessage; of kField the message that has it
  const Field* field = nullptr;      // kField
  const TypeIndex* types = nullptr;  // what an Any may hold

  PrintFailure failure = PrintFailure::kNone;
  size_t at = 0;  // byte of `wire`
  struct Details {
    std::string got;                // for some failures
    std::vector<std::string> path;  // pieces of it, the innermost first
  };
  std::unique_ptr<Details> details;
};

// Appends to job.out. False: job.failure says why, and job.out is as before.
TRANSCODE_DECLARE_ISA(bool Print(PrintJob& job))

// Out of line, and not per instruction set:

// Makes room for `need` bytes behind the first `used` ones. `scratch` bytes at the end of the room
// stay at its end. Returns the size of the room.
size_t GrowOutput(Buffer& out, size_t used, size_t need, size_t scratch);
bool IsUtf8(const uint8_t* text, size_t size);
size_t EncodeBase64(const uint8_t* bytes, size_t size, char* p);
char* WriteStd(char* p, double value);
char* WriteStd(char* p, float value);

// What a failure got, and the parts of its path.
void TraceGot(PrintJob& job, std::string_view got);
void TraceField(PrintJob& job, const Field& field);
void TraceIndex(PrintJob& job, const Field& field, size_t index);
void TraceKey(PrintJob& job, std::string_view key);

}  // namespace transcode
