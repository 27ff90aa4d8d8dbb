// Requests and responses of the corpora (streams, bindings, cut documents): the recorded answers,
// or a line of testdata/policies; and the same frames, texts and errors wherever the bytes are cut.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "conformance/cases.h"
#include "conformance/random_message.h"
#include "conformance/streams.h"

namespace transcode::conformance {
namespace {

struct RequestCase {
  std::string type;
  std::string body;
  RequestTarget target;
  RequestOptions options;
  std::vector<std::pair<std::string, std::string>> bindings;
  std::vector<const Field*> body_fields;
  std::vector<std::vector<const Field*>> binding_fields;
  bool names_exist = true;

  Seen Run(const std::vector<size_t>& cuts) {
    Bindings bound;
    for (size_t i = 0; i < bindings.size(); ++i) {
      const Result<> added = bound.Add(*target.message, bindings[i].first, bindings[i].second);
      if (!added.ok()) return {{}, false, added.error().ToString()};
    }
    target.body = body_fields;
    return RunRequest(target, &bound, options, body, cuts);
  }
};

RequestCase MakeRequest(const Json& line) {
  RequestCase test;
  test.type = line.at("type");
  test.body = JsonText(line);
  test.target.message = CorpusOracle().schema().FindMessage(test.type);
  test.target.client_streaming = line.value("streaming", false);
  const std::string body = line.value("body", "*");
  if (body != "*" && !body.empty()) {
    test.body_fields = FieldsOfPath(*test.target.message, body);
    test.names_exist = !test.body_fields.empty();
  }
  for (const Json& binding : line.value("bindings", Json::array())) {
    test.bindings.emplace_back(binding[0], binding[1]);
  }
  test.options.binding.conflicts =
      line.value("reject_collisions", false) ? Conflicts::kReject : Conflicts::kBodyWins;
  if (line.value("ci_enum", false) || line.value("case_insensitive_enums", false)) {
    test.options.binding.parse.enums = EnumNames::kFoldCase;
  }
  return test;
}

// What was recorded: frames as canonical messages, and whether all went well.
std::string Recorded(const Json& line, const std::string& type, const std::string& answer) {
  if (answer == "reject") return "refused";
  std::string text;
  const Json& seed = line.at("seed");
  const bool delimited = line.value("delim", false);
  for (const Json& hex : seed.at("frames")) {
    const std::string bytes = FromHex(hex.get<std::string>()).substr(delimited ? 5 : 0);
    text += ToHex(CorpusOracle().Canonical(type, bytes).value_or("?")) + ";";
  }
  return seed.at("ok").get<bool>() ? text : "refused";
}

std::string Shown(const Seen& seen, const std::string& type) {
  if (!seen.ok) return "refused";
  std::string text;
  for (const std::string& frame : seen.outputs) {
    const std::string message = frame.substr(std::min<size_t>(frame.size(), 5));
    EXPECT_EQ(frame, Frame(message));
    text += ToHex(CorpusOracle().Canonical(type, message).value_or("?")) + ";";
  }
  return text;
}

// The same at every cut, byte by byte, and at random cuts.
template <class Run>
void ExpectSameAtEveryCut(size_t size, const Run& run) {
  const Seen whole = run({});
  Random random(size);
  std::vector<std::vector<size_t>> all = {EveryByte(size)};
  for (size_t cut = 0; cut <= size; ++cut) all.push_back({cut});
  for (int i = 0; i < 20 && size > 0; ++i) {
    std::set<size_t> some;
    for (uint64_t left = 1 + random.Below(6); left > 0; --left) some.insert(random.Below(size + 1));
    all.emplace_back(some.begin(), some.end());
  }
  for (const std::vector<size_t>& cuts : all) {
    const Seen seen = run(cuts);
    ASSERT_EQ(seen.ok, whole.ok) << ::testing::PrintToString(cuts) << "\n"
                                 << seen.error << "\n"
                                 << whole.error;
    ASSERT_EQ(seen.error, whole.error) << ::testing::PrintToString(cuts);
    ASSERT_EQ(seen.outputs, whole.outputs) << ::testing::PrintToString(cuts);
  }
}

class Streams : public ::testing::TestWithParam<const char*> {};

TEST_P(Streams, RequestsOfTheCorpus) {
  std::map<std::string, std::string> policies;  // case, answer, policy
  for (const auto& row : ReadTable("policies/requests.tsv", 3)) policies[row[0]] = row[1];
  for (const Json& line : ReadJsonLines(GetParam())) {
    const std::string id = line.at("id");
    SCOPED_TRACE(line.dump());
    RequestCase test = MakeRequest(line);
    const auto listed = policies.find(id);
    const std::string answer = listed == policies.end() ? "seed" : listed->second;
    const Seen seen = test.names_exist ? test.Run({}) : Seen{{}, false, "no such field"};
    EXPECT_EQ(Shown(seen, test.type),
              answer == "seed" || answer == "reject" ? Recorded(line, test.type, answer) : answer)
        << id << " " << seen.error;
    if (test.names_exist) {
      ExpectSameAtEveryCut(test.body.size(),
                           [&](const std::vector<size_t>& cuts) { return test.Run(cuts); });
    }
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Streams,
                         ::testing::Values("corpus/chunked.jsonl", "corpus/stream_from_json.jsonl",
                                           "corpus/http_binding.jsonl"));

TEST(StreamsOut, ResponsesOfTheCorpus) {
  std::map<std::string, std::string> policies;
  for (const auto& row : ReadTable("policies/responses.tsv", 3)) policies[row[0]] = row[1];
  for (const Json& line : ReadJsonLines("corpus/stream_to_json.jsonl")) {
    const std::string id = line.at("id");
    SCOPED_TRACE(line.dump());
    const std::string frames = FromHex(line.at("framed_hex").get<std::string>());
    const std::string type = line.at("type");
    ResponseSource source;
    source.message = CorpusOracle().schema().FindMessage(type);
    ResponseOptions options;
    options.print = NamedOptions(line.at("options"));
    StreamFormat format = StreamFormat::kArray;
    if (!line.at("streaming").get<bool>()) {
      format = StreamFormat::kUnary;
    } else if (line.at("sse").get<bool>()) {
      format = StreamFormat::kSse;
    } else if (line.at("newline_delimited").get<bool>()) {
      format = StreamFormat::kNdjson;
    }
    const auto run = [&](const std::vector<size_t>& cuts) {
      return RunResponse(source, format, options, frames, cuts);
    };
    ExpectSameAtEveryCut(frames.size(), run);
    if (HasFatalFailure()) return;
    const Seen seen = run({});
    std::string wanted;
    for (const Json& chunk : line.at("seed").at("chunks")) wanted += chunk.get<std::string>();
    bool ok = line.at("seed").at("ok").get<bool>();
    const auto listed = policies.find(id);
    if (listed != policies.end()) {
      ok = listed->second != "reject";
      wanted = listed->second;
      for (size_t at; (at = wanted.find("\\n")) != std::string::npos;) wanted.replace(at, 2, "\n");
    }
    EXPECT_EQ(seen.ok, ok) << id << " " << seen.error << " " << seen.outputs[0];
    if (ok) {
      EXPECT_EQ(seen.outputs[0], wanted) << id;
    }
  }
}

// Documents of the corpus as the body of a request, unary and as the only element of a stream.
TEST(Streams, DocumentsAreTheSameAtEveryCut) {
  size_t n = 0;
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    const std::string json = JsonText(line);
    if (json.size() > 400 || ++n % 3 != 0) continue;  // a third is enough for a quick test
    SCOPED_TRACE(line.at("id").get<std::string>() + " " + json);
    RequestTarget target;
    target.message = CorpusOracle().schema().FindMessage(line.at("type").get<std::string>());
    for (const bool streaming : {false, true}) {
      target.client_streaming = streaming;
      const std::string body = streaming ? "[" + json + "," + json + "]" : json;
      ExpectSameAtEveryCut(body.size(), [&](const std::vector<size_t>& cuts) {
        Bindings none;
        return RunRequest(target, &none, {}, body, cuts);
      });
      if (HasFatalFailure()) return;
    }
  }
}

// A unary body in pieces is what JsonToProto makes of the whole.
TEST(Streams, UnaryBodiesAreTheMessages) {
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    const std::string json = JsonText(line);
    const std::string type = line.at("type");
    RequestTarget target;
    target.message = CorpusOracle().schema().FindMessage(type);
    Bindings none;
    const Seen seen = RunRequest(target, &none, {}, json, {json.size() / 2});
    const Answer whole = ToProto(CorpusOracle(), type, json, {});
    if (json.empty()) continue;  // no body is an empty message
    ASSERT_EQ(seen.ok, whole.ok) << line.at("id") << " " << seen.error << " " << whole.bytes;
    if (seen.ok) {
      EXPECT_EQ(seen.outputs.at(0), Frame(whole.bytes)) << line.at("id");
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
