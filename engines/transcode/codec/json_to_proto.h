#pragma once

// JSON text to the protobuf wire format, in one pass.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "codec/options.h"
#include "schema/schema.h"

namespace transcode {

// Replaces `out` by the message of type `type` that the text `json` holds. On an error `out` is
// left empty. `out` keeps its capacity, so that calls in steady state do not allocate.
// Errors: INVALID_ARGUMENT with path, byte offset, expected and got; RESOURCE_EXHAUSTED for
// limits.
Result<> JsonToProto(const Message& type, std::string_view json, Buffer& out,
                     const ParseOptions& options = {});

// The same behind what `out` holds already. On an error `out` is as before.
Result<> AppendJsonToProto(const Message& type, std::string_view json, Buffer& out,
                           const ParseOptions& options = {});

// A field path from the root message that somebody else sets too, such as a parameter of an HTTP
// path: the parser notes whether the text sets it, or what excludes it: another member of a oneof
// on the path, or a well-known type on the path in its own JSON form. Null does not set.
struct WatchedPath {
  std::span<const Field* const> fields;  // message fields, then the one that is watched
  bool seen = false;                     // out
  bool excluded = false;                 // out: the value seen excludes the path
  size_t begin = 0, end = 0;             // out: the bytes of that JSON value (the last one)
};

// What follows a text that is cut inside of a string. Bytes that a message holds as they stand in
// the text are not copied again: what is written before them goes in front of them.
struct CutString {
  Buffer* plain = nullptr;  // `front` bytes that mean nothing, then plain bytes of the string
  size_t front = 0;
  bool non_ascii = false;  // some of the plain bytes are not ASCII
  std::string_view tail;   // what follows them
  // Out: `plain` and `out` have changed places, and the plain bytes are here in `out`. 0: they have
  // not.
  size_t taken_at = 0;
};

// A JSON value inside a longer text.
struct ParsePart {
  // The value starts here, or at the first byte after white space.
  size_t position = 0;
  // The message goes behind what `out` holds already.
  bool append = false;
  // What follows the value is not looked at. Otherwise only white space may follow.
  bool prefix = false;
  // The text may go on: a value that ends early is `incomplete` and not an error. A number at the
  // very end is incomplete too, as more digits may follow.
  bool more = false;
  // The value is that of this field (a path: each but the last one is a message field) and not of
  // the whole message: `body: "field"` of google.api.http. A null leaves the message empty.
  std::span<const Field* const> body;
  // At most 64. Paths are from the root message, not from `body`.
  std::span<WatchedPath> watched;
  // The text ends inside of a string that goes on there. Not with `more`, `prefix`, `watched`. Used
  // where the string is copied as it stands; a text that is wrong or anything else is `incomplete`:
  // it has to be parsed in one piece.
  CutString* cut = nullptr;
};

struct Parsed {
  size_t end = 0;           // behind the value
  bool incomplete = false;  // only with `more` or `cut`; the size of `out` is then as before
};

// As JsonToProto, with a part of the text. Offsets of errors count from the start of `json`.
Result<Parsed> JsonPartToProto(const Message& type, std::string_view json, const ParsePart& part,
                               Buffer& out, const ParseOptions& options = {});

// What was copied, and whether some of it is not ASCII.
struct PlainCopy {
  size_t size;
  bool non_ascii;
};

using CopyBytes = PlainCopy(const char* from, size_t size, char* to);

// The function that copies the bytes of a JSON string up to the first one that is not plain: a
// quote, an escape or a control character. It may store Buffer::kSlack bytes more than it copies.
CopyBytes* ChooseCopyPlain(Isa isa);

// Appends one value of `field` (tag included) from plain text, as it stands in a URL: numbers,
// `true` and `false`, names or numbers of enums, base64, plain strings, the string form of
// Timestamp, Duration, FieldMask and wrappers. Of a repeated field: one element, not packed.
// Errors: INVALID_ARGUMENT; `out` is then as before.
Result<> TextToProto(const Field& field, std::string_view text, Buffer& out,
                     const ParseOptions& options = {});

// Finds the end of a JSON value that arrives in pieces, without parsing it: counts brackets
// outside of strings. What it accepts may still be invalid.
class JsonBoundary {
 public:
  // Reads on; true when the value is complete, and `*used` is then the count of bytes of `piece`
  // that belong to it. White space before a value belongs to it. A number or word ends only at
  // the byte behind it, which is not used.
  bool Push(std::string_view piece, size_t* used);
  // Starts on a new value.
  void Reset() { *this = JsonBoundary(); }
  // No byte but white space so far.
  bool blank() const { return state_ == State::kBlank; }

 private:
  enum class State : uint8_t { kBlank, kNested, kString, kWord };
  State state_ = State::kBlank;
  bool escaped_ = false;
  bool in_string_ = false;
  uint64_t depth_ = 0;
};

}  // namespace transcode
