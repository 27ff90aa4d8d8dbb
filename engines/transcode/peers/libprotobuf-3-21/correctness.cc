// libprotobuf_correctness TESTDATA from_json|to_json agreed|required|recommended [all]
//
// Counts the recorded cases that libprotobuf passes, as JSON lines; names on stderr those it does
// not. With `all`, it is an error when one fails.

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/files.h"
#include "library.h"

namespace libprotobuf_peer {
namespace {

using transcode::conformance::FromHex;
using transcode::conformance::Json;
using transcode::conformance::JsonText;
using transcode::conformance::ReadJsonLines;
using transcode::conformance::ReadTestData;

// The types of a descriptor set, made when a case first asks for them.
class Types {
 public:
  explicit Types(const std::string& path) : set_(ReadTestData(path)) {}

  const Type& Get(const std::string& name) {
    return types_.try_emplace(name, set_, name).first->second;
  }

 private:
  std::string set_;
  std::map<std::string, Type> types_;
};

bool SameText(const std::string& got, const std::string& wanted) {
  Json a;
  return transcode::conformance::ParseStrictJson(got, &a) &&
         transcode::conformance::SameJson(a, Json::parse(wanted));
}

// Whether a case of json_to_proto.jsonl or proto_to_json.jsonl, on which all recorded libraries
// agree, has their answer.
bool PassesAgreed(const Type& type, const Json& line, bool from_json) {
  const Json& wanted = from_json ? line.at("seed") : line.at("outputs")[0].at("seed");
  std::string got;
  const bool ok =
      from_json ? type.FromJson(JsonText(line), &got)
                : type.ToJson(std::string_view(FromHex(line.at("hex").get<std::string>())), &got);
  if (ok != wanted.at("ok").get<bool>()) return false;
  if (!ok) return true;
  if (!from_json) return SameText(got, wanted.at("json"));
  const auto hex = wanted.find("hex");
  const bool parsed = hex != wanted.end() && !hex->is_null();
  return type.SameWire(got, FromHex((parsed ? *hex : wanted.at("raw_hex")).get<std::string>()));
}

// Whether a case of protobuf's own conformance suite passes.
bool PassesSuite(const Type& type, const Json& line) {
  const Json& expect = line.at("expect");
  std::string wire;
  bool ok = true;
  if (line.at("input") == "json") {
    ok = type.FromJson(JsonText(line), &wire, line.value("ignore_unknown_fields", false));
  } else {
    wire = FromHex(line.at("hex").get<std::string>());
  }
  std::string text;
  const bool json_out = line.at("output") == "json";
  if (ok && json_out) ok = type.ToJson(std::string_view(wire), &text);
  if (expect.contains("error")) return !ok;
  if (!ok) return false;
  return json_out ? SameText(text, expect.at("json"))
                  : type.SameWire(wire, FromHex(expect.at("hex").get<std::string>()));
}

struct Count {
  size_t total = 0;
  std::vector<std::string> failed;
};

Count CountAgreed(bool from_json) {
  Types types("corpus/transcode_corpus.desc");
  Count count;
  for (const Json& line :
       ReadJsonLines(from_json ? "corpus/json_to_proto.jsonl" : "corpus/proto_to_json.jsonl")) {
    if (!line.at("agree").get<bool>() || line.contains("case_insensitive_enums")) continue;
    ++count.total;
    if (!PassesAgreed(types.Get(line.at("type")), line, from_json)) {
      count.failed.push_back(line.at("id"));
    }
  }
  return count;
}

Count CountSuite(bool from_json, const std::string& level) {
  Types types("corpus/test_messages.desc");
  Count count;
  for (const Json& line : ReadJsonLines("corpus/conformance.jsonl")) {
    if ((line.at("input") == "json") != from_json || line.at("level") != level) continue;
    ++count.total;
    if (!PassesSuite(types.Get(line.at("type")), line)) count.failed.push_back(line.at("name"));
  }
  return count;
}

Count CountCases(const std::string& direction, const std::string& set) {
  const bool from_json = direction == "from_json";
  if (set == "agreed") return CountAgreed(from_json);
  return CountSuite(from_json, set == "required" ? "Required" : "Recommended");
}

void Print(const char* metric, double value) {
  std::printf("{\"metric\": \"%s\", \"value\": %.9g}\n", metric, value);
}

}  // namespace
}  // namespace libprotobuf_peer

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s TESTDATA from_json|to_json SET [all]\n", argv[0]);
    return 2;
  }
  google::protobuf::SetLogHandler(nullptr);
  transcode::conformance::SetTestData(argv[1]);
  const auto begin = std::chrono::steady_clock::now();
  const auto count = libprotobuf_peer::CountCases(argv[2], argv[3]);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  for (const std::string& failed : count.failed) std::fprintf(stderr, "%s\n", failed.c_str());
  libprotobuf_peer::Print("seconds", took.count() / static_cast<double>(count.total));
  libprotobuf_peer::Print("cases_passed", static_cast<double>(count.total - count.failed.size()));
  libprotobuf_peer::Print("cases_total", static_cast<double>(count.total));
  return argc > 4 && !count.failed.empty() ? 1 : 0;
}
