// The codec: JSON to protobuf and back, in every instruction set, against libprotobuf.

#include <string_view>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/cases.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/input.h"
#include "conformance/fuzz/targets.h"

namespace transcode::conformance {
namespace {

PrintOptions PrintOf(uint8_t bits) {
  PrintOptions options;
  options.whitespace = bits & 1;
  options.unpopulated = static_cast<Unpopulated>((bits >> 1 & 3) % 3);
  options.enums_as_ints = bits & 8;
  options.proto_names = bits & 16;
  options.int64 = bits & 32 ? Int64Format::kNumber : Int64Format::kString;
  options.escape_html = bits & 64;
  return options;
}

void JsonToProtoTarget(const uint8_t* data, size_t size) {
  auto input = ReadInput(data, size);
  if (!input) return;
  const std::string text = Grown(input->bytes);
  input->bytes = text;
  ParseOptions options = ParseOf(input->options);
  options.isa = Isa::kScalar;
  const Answer scalar = ToProto(CorpusOracle(), input->type, input->bytes, options);
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    options.isa = isa;
    const Answer other = ToProto(CorpusOracle(), input->type, input->bytes, options);
    REQUIRE(other.ok == scalar.ok && other.bytes == scalar.bytes, input->bytes);
  }
  if (scalar.ok) {
    REQUIRE(CorpusOracle().Canonical(input->type, scalar.bytes).has_value(), input->bytes);
    // No client stores what no client can read.
    const Answer printed = ToJson(CorpusOracle(), input->type, scalar.bytes, {});
    REQUIRE(printed.ok, std::string(input->bytes) + "\n" + printed.bytes);
  }
}

void ProtoToJsonTarget(const uint8_t* data, size_t size) {
  const auto input = ReadInput(data, size);
  if (!input) return;
  PrintOptions options = PrintOf(input->options);
  options.isa = Isa::kScalar;
  const Answer scalar = ToJson(CorpusOracle(), input->type, input->bytes, options);
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    options.isa = isa;
    const Answer other = ToJson(CorpusOracle(), input->type, input->bytes, options);
    REQUIRE(other.ok == scalar.ok && other.bytes == scalar.bytes, ToHex(input->bytes));
  }
  if (scalar.ok) {
    Json value;
    REQUIRE(ParseStrictJson(scalar.bytes, &value), scalar.bytes);
  }
}

// What was printed reads back, and prints as the same text.
void RoundTripTarget(const uint8_t* data, size_t size) {
  const auto input = ReadInput(data, size);
  if (!input) return;
  const PrintOptions options = PrintOf(input->options & 0x78);
  const Answer json = ToJson(CorpusOracle(), input->type, input->bytes, options);
  if (!json.ok) return;
  const Answer wire = ToProto(CorpusOracle(), input->type, json.bytes, {});
  REQUIRE(wire.ok, json.bytes + " " + wire.bytes);
  // Whatever number a NullValue has, it is null in JSON.
  if (json.bytes.find("ull\":") != std::string::npos) return;
  if (json.bytes.find("ullValue\":") != std::string::npos) return;
  if (json.bytes.find("ull_value\":") != std::string::npos) return;
  const Answer again = ToJson(CorpusOracle(), input->type, wire.bytes, options);
  REQUIRE(again.ok && again.bytes == json.bytes, json.bytes + "\n" + again.bytes);
}

// Whether it is an error of a message that is right on the wire: it is too deep, a time or a Value
// is what JSON cannot say, or libprotobuf dropped the bits of a tag above 32.
bool IsNoJson(std::string_view error) {
  for (const char* reason :
       {"deep", " out of range", "cannot hold NaN or Infinity", "not a legal tag"}) {
    if (error.find(reason) != error.npos) return true;
  }
  return false;
}

// Wire that libprotobuf reads is read, to the same message; and none other is.
void LibprotobufTarget(const uint8_t* data, size_t size) {
  const auto input = ReadInput(data, size, kPlainTypes);
  if (!input) return;
  const auto message = CorpusOracle().New(input->type);
  const bool theirs =
      message->ParseFromArray(input->bytes.data(), static_cast<int>(input->bytes.size()));
  const Answer json = ToJson(CorpusOracle(), input->type, input->bytes, {});
  if (!theirs) return;
  if (!json.ok && IsNoJson(json.bytes)) return;
  REQUIRE(json.ok, ToHex(input->bytes) + " " + json.bytes);
  if (json.bytes.find("NaN") != std::string::npos) return;  // JSON has only one NaN
  // A Value without kind is null, which is read as a Value that is null.
  if (json.bytes.find("null") != std::string::npos) return;
  Oracle::DiscardUnknown(message.get());
  const Answer back = ToProto(CorpusOracle(), input->type, json.bytes, {});
  REQUIRE(back.ok, json.bytes + " " + back.bytes);
  const auto canonical = CorpusOracle().Canonical(input->type, back.bytes);
  REQUIRE(
      canonical && *canonical == CorpusOracle().Canonical(input->type, Oracle::Serialize(*message)),
      ToHex(input->bytes) + "\n" + json.bytes);
}

}  // namespace

std::vector<FuzzTarget> CodecTargets() {
  return {{"json_to_proto", JsonToProtoTarget, JsonSeeds},
          {"proto_to_json", ProtoToJsonTarget, WireSeeds},
          {"round_trip", RoundTripTarget, WireSeeds},
          {"libprotobuf", LibprotobufTarget, WireSeeds}};
}

}  // namespace transcode::conformance
