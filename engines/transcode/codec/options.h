#pragma once

// Every policy of the codec: effect, default, cost.

#include <cstddef>
#include <cstdint>

namespace transcode {

// The instruction set of the codec. All give equal bytes and equal errors.
enum class Isa : uint8_t {
  kAuto,    // the best that the processor has, found once
  kScalar,  // plain x86-64 (or any other machine)
  kAvx2,    // with BMI1, BMI2, LZCNT, POPCNT
  kAvx512,  // with F, BW, VL, DQ, CD, IFMA, VBMI, VBMI2 (Ice Lake, Zen 4 and later)
};

// The best ISA of this processor; never kAuto.
Isa BestIsa();
// Whether this processor has it (kAuto: always). A call with another one uses BestIsa().
bool HasIsa(Isa isa);

// Which parser reads the JSON text.
enum class Parser : uint8_t {
  kOnePass,  // ours: reads and writes in one pass
  // simdjson: an index of the whole text first, then On-Demand. For comparison: it copies the text,
  // allocates, and does not see errors inside of unknown fields.
  kOnDemand,
};

enum class UnknownFields : uint8_t {
  kIgnore,  // skipped; their text must be valid JSON all the same
  kReject,  // an error
};

enum class Syntax : uint8_t {
  kRfc8259,
  // Also takes: single quotes, bare keys, trailing commas, any \c escape, raw control characters
  // in strings, \f and \v as white space, `1.`, `-.5`, `01.5`, empty text as {}.
  // And values in forms of older libraries: bools and `+5` in strings, one element for a list,
  // lists in lists, wrappers and the like as objects, `_` in field masks, null as a well-known
  // message. Costs nothing for valid JSON: tried only after the strict parser has failed.
  kLenient,
};

enum class EnumNames : uint8_t {
  kExact,
  kFoldCase,  // also without regard to case, '-' as '_'; O(values) for names that are not exact
};

enum class Base64 : uint8_t {
  kStrict,   // the standard alphabet, with padding
  kRfc2045,  // either alphabet or both, padding optional, white space skipped
};

enum class NullInRepeated : uint8_t {
  kReject,
  kSkip,  // the element is left out
};

enum class DuplicateKeys : uint8_t {
  kReject,  // costs one bit test per field, one hash per key of maps of more than 8 entries
  kLast,    // the last one wins, as when messages are merged on the wire
};

enum class Utf8 : uint8_t {
  kCheck,  // 0.015 ns per byte of text that is not ASCII
  kTrust,  // the caller has checked
};

// How the lengths of messages are written.
enum class Lengths : uint8_t {
  kReserve,  // one byte is left free; short messages move by the missing bytes at once
  kTwoPass,  // all messages longer than 127 bytes are moved together in a second pass
};

struct ParseOptions {
  UnknownFields unknown_fields = UnknownFields::kIgnore;
  Syntax syntax = Syntax::kRfc8259;
  EnumNames enums = EnumNames::kExact;
  Base64 base64 = Base64::kRfc2045;
  NullInRepeated null_in_repeated = NullInRepeated::kReject;
  DuplicateKeys duplicate_keys = DuplicateKeys::kReject;
  Utf8 utf8 = Utf8::kCheck;
  Lengths lengths = Lengths::kReserve;
  Parser parser = Parser::kOnePass;
  Isa isa = Isa::kAuto;
  // Nested objects and arrays, those of unknown fields included. At most kMaxDepth.
  int depth = 100;
  // Longer input is RESOURCE_EXHAUSTED. 0: no limit (but 2 GiB, the limit of protobuf).
  size_t max_bytes = 0;

  static constexpr int kMaxDepth = 10000;
};

enum class Unpopulated : uint8_t {
  kNone,        // only what is set and, without explicit presence, not zero
  kNoPresence,  // also zero scalars and empty lists and maps of fields without presence
  kAll,  // also null for unset messages and optional fields (not members of a oneof); an unset
         // google.protobuf.Value does not differ then from one that is null
};

enum class Int64Format : uint8_t {
  kString,  // "1": what the specification of JSON for protobuf says
  kNumber,  // 1: readers that keep numbers as doubles lose digits above 2^53
};

enum class Doubles : uint8_t {
  kShortest,  // ours: the shortest text that reads back as the same double
  kStd,       // std::to_chars: the same value, of large whole numbers with all digits
};

struct PrintOptions {
  bool whitespace = false;  // new lines and one blank of indent per level
  Unpopulated unpopulated = Unpopulated::kNone;
  bool enums_as_ints = false;
  bool proto_names = false;  // names as in the .proto file instead of lowerCamelCase
  Int64Format int64 = Int64Format::kString;
  // Writes < > & U+2028 U+2029 as \u escapes, for text inside HTML. Costs about 1 ns a byte.
  bool escape_html = false;
  Doubles doubles = Doubles::kShortest;
  Utf8 utf8 = Utf8::kCheck;
  Isa isa = Isa::kAuto;
  int depth = 100;  // nested messages, the outermost one included; at most ParseOptions::kMaxDepth
};

}  // namespace transcode
