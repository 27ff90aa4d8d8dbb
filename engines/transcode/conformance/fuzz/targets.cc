#include "conformance/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/cases.h"
#include "conformance/streams.h"
#include "http/route_table.h"
#include "http/router.h"

namespace transcode::conformance {
namespace {

const char* const kTypes[] = {"tc.v1.Scalars",        "tc.v1.Repeateds", "tc.v1.Maps",
                              "tc.v1.Node",           "tc.v1.OneOfs",    "tc.v1.OptionalScalars",
                              "tc.v1.Names",          "tc.v1.Request",   "tc.v1.WellKnown",
                              "google.protobuf.Value"};
constexpr size_t kPlainTypes = 7;  // the first ones have no well-known types

#define REQUIRE(condition, what)                                               \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s: %s\n", #condition, std::string(what).c_str()); \
      std::abort();                                                            \
    }                                                                          \
  } while (false)

struct Input {
  std::string type;
  const Message* message = nullptr;
  uint8_t options = 0;
  std::string_view bytes;
};

std::optional<Input> Read(const uint8_t* data, size_t size, size_t types = std::size(kTypes)) {
  if (size < 2) return std::nullopt;
  Input input;
  input.type = kTypes[data[0] % types];
  input.message = CorpusOracle().schema().FindMessage(input.type);
  input.options = data[1];
  input.bytes = {reinterpret_cast<const char*>(data + 2), size - 2};
  return input;
}

ParseOptions ParseOf(uint8_t bits) {
  ParseOptions options = bits & 1 ? LenientOptions() : ParseOptions();
  if (bits & 2) options.unknown_fields = UnknownFields::kReject;
  if (bits & 4) options.enums = EnumNames::kFoldCase;
  if (bits & 8) options.base64 = Base64::kStrict;
  if (bits & 16) options.lengths = Lengths::kTwoPass;
  return options;
}

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
  const auto input = Read(data, size);
  if (!input) return;
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
  const auto input = Read(data, size);
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
  const auto input = Read(data, size);
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

// Wire that libprotobuf reads is read, to the same message; and none other is.
void LibprotobufTarget(const uint8_t* data, size_t size) {
  const auto input = Read(data, size, kPlainTypes);
  if (!input) return;
  const auto message = CorpusOracle().New(input->type);
  const bool theirs =
      message->ParseFromArray(input->bytes.data(), static_cast<int>(input->bytes.size()));
  const Answer json = ToJson(CorpusOracle(), input->type, input->bytes, {});
  if (!theirs) return;
  if (!json.ok && json.bytes.find("deep") != std::string::npos) return;
  // On the wire a Timestamp and a Duration may be what JSON cannot say.
  if (!json.ok && json.bytes.find(" out of range") != std::string::npos) return;
  // libprotobuf drops the bits of a tag above 32.
  if (!json.ok && json.bytes.find("not a legal tag") != std::string::npos) return;
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

// The code of an error is the same. Its text is not: a broken word ends where its piece ends.
bool Same(Seen a, Seen b) {
  a.error.resize(std::min(a.error.find(':'), a.error.size()));
  b.error.resize(std::min(b.error.find(':'), b.error.size()));
  return a == b;
}

std::string Cut(const Input& input, const Seen& whole, const Seen& cut) {
  const auto shown = [](const Seen& seen) {
    return std::to_string(seen.outputs.size()) + (seen.ok ? " ok " : " not ok ") + seen.error;
  };
  return input.type + " " + ToHex(input.bytes) + "\nwhole: " + shown(whole) +
         "\ncut: " + shown(cut);
}

// Long strings, which are kept apart, are longer than what is fuzzed: a '~' stands for one.
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

void ChunkedTarget(const uint8_t* data, size_t size) {
  auto input = Read(data, size);
  if (!input) return;
  const std::string text = Grown(input->bytes);
  const bool grown = text.size() != input->bytes.size();
  input->bytes = text;
  RequestTarget target;
  target.message = input->message;
  target.client_streaming = input->options & 1;
  RequestOptions options;
  options.format = input->options & 2 ? RequestFormat::kNdjson : RequestFormat::kArray;
  Bindings none;
  const Seen whole = RunRequest(target, &none, options, input->bytes, {});
  const size_t cut = input->bytes.size() * (input->options >> 2) / 63;
  const Seen halves = RunRequest(target, &none, options, input->bytes, {cut});
  REQUIRE(Same(halves, whole), Cut(*input, whole, halves));
  std::vector<size_t> cuts = EveryByte(input->bytes.size());
  if (grown) std::erase_if(cuts, [&](size_t at) { return at % 499 != input->options; });
  const Seen pieces = RunRequest(target, &none, options, input->bytes, cuts);
  REQUIRE(Same(pieces, whole), Cut(*input, whole, pieces));
}

// A template against a path, segment by segment.
bool NaiveSegments(const std::vector<PathTemplate::Segment>& segments, size_t at,
                   const std::vector<std::string>& path, size_t from) {
  if (at == segments.size()) return from == path.size();
  if (segments[at].kind == PathTemplate::Kind::kDoubleStar) {
    // As recorded: at the end of a template ** may match nothing, before literals it may not.
    const size_t least = at + 1 == segments.size() ? 0 : 1;
    for (size_t end = from + least; end <= path.size(); ++end) {
      if (NaiveSegments(segments, at + 1, path, end)) return true;
    }
    return false;
  }
  if (from == path.size()) return false;
  if (segments[at].kind == PathTemplate::Kind::kLiteral && segments[at].literal != path[from]) {
    return false;
  }
  return NaiveSegments(segments, at + 1, path, from + 1);
}

bool NaiveMatch(const PathTemplate& parsed, std::string target) {
  target = target.substr(0, target.find('?'));
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  if (target.empty() || target[0] != '/') return false;
  if (!parsed.verb.empty()) {
    const std::string tail = ":" + parsed.verb;
    if (target.size() <= tail.size() || !target.ends_with(tail)) return false;
    target.resize(target.size() - tail.size());
  }
  std::vector<std::string> path;
  for (size_t begin = 1; begin < target.size() || begin == 1;) {
    const size_t end = std::min(target.find('/', begin), target.size());
    if (target.size() > 1) path.push_back(target.substr(begin, end - begin));
    begin = end + 1;
  }
  return NaiveSegments(parsed.segments, 0, path, 0);
}

// "template\npath"
void RoutesTarget(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string::npos || text.find('\n', line + 1) != std::string::npos) return;
  const std::string path = text.substr(line + 1);
  if (!path.starts_with('/')) return;  // no target of a request
  const Result<PathTemplate> parsed = PathTemplate::Parse(text.substr(0, line));
  RouteTable table;
  const Result<> added = table.Add("GET", text.substr(0, line), 7);
  REQUIRE(added.ok() == parsed.ok(), text);
  if (!parsed.ok()) return;
  PathMatch match;
  const bool found = table.Find("GET", path, match);
  REQUIRE(!table.Find("PUT", path, match), text);
  // The parts of a path that are hard to compare by eye are left to the tests of the router.
  if (path.find("//") != std::string::npos || path.find('%') != std::string::npos ||
      path.ends_with("/") || path.find(':') != path.rfind(':')) {
    return;
  }
  REQUIRE(found == NaiveMatch(*parsed, path), text);
}

Router& GatewayRouter() {
  static const Result<Schema>& schema =
      *new Result<Schema>(Schema::Load(ReadTestData("corpus/transcode_gateway.desc")));
  REQUIRE(schema.ok(), "the schema does not load");
  static Result<Router>& router = *new Result<Router>(Router::Make(*schema));
  REQUIRE(router.ok(), router.ok() ? "" : router.error().ToString());
  return *router;
}

// "method target\nbody": all that a gateway does with a request, whose messages come back as its
// response.
void PipelineTarget(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t blank = text.find(' ');
  const size_t line = text.find('\n');
  if (blank == std::string::npos || line == std::string::npos || line < blank) return;
  const std::string target = text.substr(blank + 1, line - blank - 1);
  Match match;
  if (GatewayRouter().Find(text.substr(0, blank), target, match) != Match::Outcome::kFound) return;
  RequestTranscoder request;
  RequestOptions options;
  if (!request.Start(match, options).ok()) return;
  if (!request.Push(std::string_view(text).substr(line + 1)).ok()) return;
  request.Finish();
  std::string frames;
  Buffer frame;
  while (true) {
    const Result<bool> more = request.Next(frame);
    if (!more.ok()) return;
    if (!*more) break;
    frames += frame.view();
  }
  // What was read is a message of the method.
  ResponseSource source;
  source.message = match.route->method->input;
  const StreamFormat formats[] = {StreamFormat::kArray, StreamFormat::kNdjson, StreamFormat::kSse};
  for (const StreamFormat format : formats) {
    const Seen whole = RunResponse(source, format, {}, frames, {});
    REQUIRE(whole.ok, text + "\n" + whole.error);
    REQUIRE(RunResponse(source, format, {}, frames, EveryByte(frames.size())) == whole, text);
  }
}

std::string Seed(const std::string& type, const std::string& bytes) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i] == type) return std::string({static_cast<char>(i), '\0'}) + bytes;
  }
  return "";
}

std::vector<std::string> JsonSeeds() {
  std::vector<std::string> seeds = {
      Seed("tc.v1.Node", R"({"child":{"name":"~~~","number":1},"name":"~\n~"})"),
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

std::vector<std::string> RouteSeeds() {
  std::vector<std::string> seeds;
  for (const Json& line : ReadJsonLines("corpus/routes.jsonl")) {
    for (const Json& rule : line.at("rules")) {
      for (const Json& result : line.at("results")) {
        if (!result.contains("path")) continue;
        seeds.push_back(rule.at("path").get<std::string>() + "\n" +
                        result.at("path").get<std::string>());
      }
    }
  }
  return seeds;
}

std::vector<std::string> GatewaySeeds() {
  std::vector<std::string> seeds;
  for (const Json& line : ReadJsonLines("corpus/gateway.jsonl")) {
    const Json& request = line.at("request");
    seeds.push_back(request.at("method").get<std::string>() + " " +
                    request.at("path").get<std::string>() + "\n" +
                    request.value("body", std::string()));
  }
  return seeds;
}

}  // namespace

const std::vector<FuzzTarget>& FuzzTargets() {
  static const std::vector<FuzzTarget> targets = {
      {"json_to_proto", JsonToProtoTarget, JsonSeeds},
      {"proto_to_json", ProtoToJsonTarget, WireSeeds},
      {"round_trip", RoundTripTarget, WireSeeds},
      {"libprotobuf", LibprotobufTarget, WireSeeds},
      {"chunked", ChunkedTarget, JsonSeeds},
      {"routes", RoutesTarget, RouteSeeds},
      {"pipeline", PipelineTarget, GatewaySeeds},
  };
  return targets;
}

}  // namespace transcode::conformance
