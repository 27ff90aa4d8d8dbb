#include "conformance/cases.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"

namespace transcode::conformance {
namespace {

const Message& TypeOf(Oracle& oracle, const std::string& type) {
  const Message* message = oracle.schema().FindMessage(type);
  if (message == nullptr) {
    std::fprintf(stderr, "no message %s in the schema\n", type.c_str());
    std::exit(2);
  }
  return *message;
}

std::string Shown(const Answer& answer, bool hex) {
  if (!answer.ok) return "error (" + answer.bytes + ")";
  const std::string text = hex ? ToHex(answer.bytes) : answer.bytes;
  return text.size() <= 400 ? text : text.substr(0, 400) + "...";
}

std::string Difference(const Answer& got, const Answer& wanted, bool hex) {
  return "wanted " + Shown(wanted, hex) + "\n     got " + Shown(got, hex);
}

}  // namespace

namespace {

// No error says a place that its text does not have.
Answer Failed(const Error& error, size_t size) {
  if (error.offset != Error::kNoOffset && error.offset > size) {
    throw std::logic_error("byte " + std::to_string(error.offset) + " of " + std::to_string(size));
  }
  return {false, error.ToString()};
}

}  // namespace

Answer ToProto(Oracle& oracle, const std::string& type, std::string_view json,
               const ParseOptions& options) {
  Buffer out;
  const Result<> result = JsonToProto(TypeOf(oracle, type), json, out, options);
  if (!result.ok()) return Failed(result.error(), json.size());
  return {true, std::string(out.view())};
}

Answer ToJson(Oracle& oracle, const std::string& type, std::string_view wire,
              const PrintOptions& options) {
  Buffer out;
  const Result<> result = ProtoToJson(TypeOf(oracle, type), wire, out, options);
  if (!result.ok()) return Failed(result.error(), wire.size());
  return {true, std::string(out.view())};
}

ParseOptions LenientOptions() {
  ParseOptions options;
  options.syntax = Syntax::kLenient;
  options.base64 = Base64::kRfc2045;
  options.null_in_repeated = NullInRepeated::kSkip;
  options.duplicate_keys = DuplicateKeys::kLast;
  return options;
}

PrintOptions NamedOptions(const Json& names) {
  PrintOptions options;
  for (const Json& name : names) {
    if (name == "add_whitespace") {
      options.whitespace = true;
    } else if (name == "always_print_primitive_fields") {
      options.unpopulated = Unpopulated::kNoPresence;
    } else if (name == "always_print_enums_as_ints") {
      options.enums_as_ints = true;
    } else if (name == "preserve_proto_field_names") {
      options.proto_names = true;
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.dump().c_str());
      std::exit(2);
    }
  }
  return options;
}

std::string CompareMessage(Oracle& oracle, const std::string& type, const Answer& got,
                           const Answer& wanted) {
  if (got.ok != wanted.ok) return Difference(got, wanted, true);
  if (!got.ok) return "";
  const auto a = oracle.Canonical(type, got.bytes);
  const auto b = oracle.Canonical(type, wanted.bytes);
  return a && b && *a == *b ? "" : Difference(got, wanted, true);
}

std::string CompareJson(Oracle& oracle, const std::string& type, const Answer& got,
                        const Answer& wanted) {
  if (got.ok != wanted.ok) return Difference(got, wanted, false);
  if (!got.ok) return "";
  Json a;
  const Json b = Json::parse(wanted.bytes, nullptr, false);
  if (!ParseStrictJson(got.bytes, &a) || b.is_discarded()) return Difference(got, wanted, false);
  if (SameJson(a, b)) return "";
  // A float is the same in 8 or 9 digits: then the messages must be the same.
  if (!SameJson(a, b, Numbers::kFloat)) return Difference(got, wanted, false);
  ParseOptions options;
  options.unknown_fields = UnknownFields::kReject;
  return CompareMessage(oracle, type, ToProto(oracle, type, got.bytes, options),
                        ToProto(oracle, type, wanted.bytes, options));
}

Answer RecordedMessage(const Json& line, const std::string& library) {
  if (library == "reject") return {false, "by policy"};
  if (library.starts_with("ok:")) return {true, FromHex(std::string_view(library).substr(3))};
  const Json& result = library == "seed" ? line.at("seed") : line.at(library).at("lenient");
  if (!result.at("ok").get<bool>()) return {false, result.value("message", "")};
  const auto hex = result.find("hex");
  // Documents too deep for libprotobuf have only the bytes that the library wrote.
  const bool parsed = hex != result.end() && !hex->is_null();
  return {true, FromHex((parsed ? *hex : result.at("raw_hex")).get<std::string>())};
}

Answer RecordedJson(const Json& output, const std::string& library) {
  if (library == "reject") return {false, "by policy"};
  const auto own = output.find(library);
  const Json& result = own != output.end() ? *own : output.at("seed");
  if (!result.at("ok").get<bool>()) return {false, result.value("message", "")};
  return {true, result.at("json").get<std::string>()};
}

std::string RunConformance(const Json& line) {
  Oracle& oracle = SuiteOracle();
  const std::string type = line.at("type");
  const Json& expect = line.at("expect");
  Answer answer;
  if (line.at("input") == "json") {
    ParseOptions options;
    options.unknown_fields = line.value("ignore_unknown_fields", false) ? UnknownFields::kIgnore
                                                                        : UnknownFields::kReject;
    answer = ToProto(oracle, type, JsonText(line), options);
  } else {
    answer = {true, FromHex(line.at("hex").get<std::string>())};
  }
  const bool json_out = line.at("output") == "json";
  if (answer.ok && json_out) answer = ToJson(oracle, type, answer.bytes, {});
  if (expect.contains("error")) {
    return answer.ok ? Difference(answer, {false, "refused"}, !json_out) : "";
  }
  if (json_out)
    return CompareJson(oracle, type, answer, {true, expect.at("json").get<std::string>()});
  return CompareMessage(oracle, type, answer, {true, FromHex(expect.at("hex").get<std::string>())});
}

std::string RunSuiteFile(const std::string& name) {
  const std::string text = ReadTestData("jsontestsuite/" + name);
  ParseOptions options;
  options.duplicate_keys = DuplicateKeys::kLast;  // RFC 8259 allows them, two y_ files have them
  const Answer answer = ToProto(CorpusOracle(), "google.protobuf.Value", text, options);
  if (name.starts_with("y_") && !answer.ok) return "refused: " + answer.bytes;
  if (name.starts_with("n_") && answer.ok) return "accepted as " + ToHex(answer.bytes);
  return "";
}

namespace {

// The texts stand for the same message: whether a zero is written does not count.
std::string CompareMeaning(Oracle& oracle, const std::string& type, const Answer& got,
                           const Answer& wanted) {
  if (got.ok != wanted.ok || !got.ok) return CompareJson(oracle, type, got, wanted);
  return CompareMessage(oracle, type, ToProto(oracle, type, got.bytes, {}),
                        ToProto(oracle, type, wanted.bytes, {}));
}

void Add(Count* count, const std::string& id, const std::string& difference) {
  ++count->total;
  if (!difference.empty()) count->failed.emplace(id, difference);
}

Count CountAgreed(bool from_json) {
  Count count;
  for (const Json& line :
       ReadJsonLines(from_json ? "corpus/json_to_proto.jsonl" : "corpus/proto_to_json.jsonl")) {
    if (!line.at("agree").get<bool>() || line.contains("case_insensitive_enums")) continue;
    Oracle& oracle = CorpusOracle();
    const std::string type = line.at("type");
    if (from_json) {
      Add(&count, line.at("id"),
          CompareMessage(oracle, type, ToProto(oracle, type, JsonText(line), LenientOptions()),
                         RecordedMessage(line, "seed")));
    } else {
      const std::string wire = FromHex(line.at("hex").get<std::string>());
      Add(&count, line.at("id"),
          CompareMeaning(oracle, type, ToJson(oracle, type, wire, {}),
                         RecordedJson(line.at("outputs")[0], "seed")));
    }
  }
  return count;
}

Count CountConformance(bool from_json, const std::string& level) {
  Count count;
  for (const Json& line : ReadJsonLines("corpus/conformance.jsonl")) {
    if ((line.at("input") == "json") != from_json || line.at("level") != level) continue;
    Add(&count, line.at("name"), RunConformance(line));
  }
  return count;
}

}  // namespace

Count CountCases(const std::string& direction, const std::string& set) {
  const bool from_json = direction == "from_json";
  if (set == "agreed") return CountAgreed(from_json);
  if (set == "required") return CountConformance(from_json, "Required");
  if (set == "recommended") return CountConformance(from_json, "Recommended");
  Count count;
  for (const std::string& name : ListTestData("jsontestsuite")) {
    if (name.starts_with("y_") || name.starts_with("n_")) Add(&count, name, RunSuiteFile(name));
  }
  return count;
}

}  // namespace transcode::conformance
