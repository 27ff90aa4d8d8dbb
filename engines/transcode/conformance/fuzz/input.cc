#include "conformance/fuzz/input.h"

#include "conformance/cases.h"

namespace transcode::conformance {
namespace {

const char* const kTypes[kAllTypes] = {
    "tc.v1.Scalars",   "tc.v1.Repeateds",       "tc.v1.Maps",  "tc.v1.Node",
    "tc.v1.OneOfs",    "tc.v1.OptionalScalars", "tc.v1.Names", "tc.v1.Request",
    "tc.v1.WellKnown", "google.protobuf.Value"};

std::string Seed(const std::string& type, const std::string& bytes) {
  for (size_t i = 0; i < kAllTypes; ++i) {
    if (kTypes[i] == type) return std::string({static_cast<char>(i), '\0'}) + bytes;
  }
  return "";
}

}  // namespace

std::optional<Input> ReadInput(const uint8_t* data, size_t size, size_t types) {
  if (size < 2) return std::nullopt;
  Input input;
  input.type = kTypes[data[0] % types];
  input.message = CorpusOracle().schema().FindMessage(input.type);
  input.options = data[1];
  input.bytes = {reinterpret_cast<const char*>(data + 2), size - 2};
  return input;
}

std::string Grown(std::string_view text) {
  std::string grown;
  for (const char c : text) {
    if (c == '~' && grown.size() < 40000) {
      grown.append(5000, 'a');
    } else {
      grown += c;
    }
  }
  return grown;
}

ParseOptions ParseOf(uint8_t bits) {
  ParseOptions options = bits & 1 ? LenientOptions() : ParseOptions();
  if (bits & 2) options.unknown_fields = UnknownFields::kReject;
  if (bits & 4) options.enums = EnumNames::kFoldCase;
  if (bits & 8) options.base64 = Base64::kStrict;
  if (bits & 16) options.lengths = Lengths::kTwoPass;
  return options;
}

std::vector<std::string> JsonSeeds() {
  std::vector<std::string> seeds = {
      Seed("tc.v1.Node", R"({"child":{"name":"~~~","number":1},"name":"~\n~"})"),
      Seed("tc.v1.Node",
           R"({"\u00e9~":1,"number":2,"~\n":[{"~\\":3}],"child":{"~\/":4,"number":5}})"),
      Seed("tc.v1.Maps", R"({"mStringString":{"~~":"~","a":"~"}})"),
      Seed("google.protobuf.Value", R"({"a":["~~",1,"\u00e9~"]})")};
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    if (JsonText(line).size() < 2000) seeds.push_back(Seed(line.at("type"), JsonText(line)));
  }
  for (const std::string& name : ListTestData("jsontestsuite")) {
    const std::string text = ReadTestData("jsontestsuite/" + name);
    if (text.size() < 2000) seeds.push_back(Seed("google.protobuf.Value", text));
  }
  return seeds;
}

std::vector<std::string> WireSeeds() {
  std::vector<std::string> seeds;
  for (const Json& line : ReadJsonLines("corpus/proto_to_json.jsonl")) {
    const std::string wire = FromHex(line.at("hex").get<std::string>());
    if (wire.size() < 2000) seeds.push_back(Seed(line.at("type"), wire));
  }
  return seeds;
}

}  // namespace transcode::conformance
