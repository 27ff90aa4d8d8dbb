// Requests and responses of the corpora (streams, bindings, documents): the same frames, texts and
// errors wherever the bytes are cut, in every instruction set. What they must be is tested in
// stream/.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "conformance/cases.h"
#include "conformance/random_message.h"
#include "conformance/sanitized.h"
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

  Seen Run(Isa isa, const std::vector<size_t>& cuts) {
    options.binding.parse.isa = isa;
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

std::string WithoutGot(const std::string& error) { return error.substr(0, error.find(", got ")); }

std::vector<Isa> Isas() {
  std::vector<Isa> isas = {Isa::kScalar};
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (HasIsa(isa)) isas.push_back(isa);
  }
  return isas;
}

// The same at every cut, byte by byte, and at random cuts. With sanitizers some cuts of what is
// long are left out, but none beside the end of a vector or of the whole.
template <class Run>
void ExpectSameAtEveryCut(size_t size, const Run& run) {
  constexpr size_t kShort = TRANSCODE_SANITIZED ? 400 : SIZE_MAX;
  constexpr size_t kVector = 64, kSamples = 100;
  const Seen whole = run(Isa::kScalar, {});
  Random random(size);
  std::vector<std::vector<size_t>> all = {EveryByte(size)};
  for (size_t cut = 0; cut <= size; ++cut) {
    const bool beside = (cut + 1) % kVector <= 2;
    const bool sampled = cut % (size / kSamples + 1) == 0 || cut + kVector >= size;
    if (size <= kShort || beside || sampled) all.push_back({cut});
  }
  for (int i = 0; i < 20 && size > 0; ++i) {
    std::set<size_t> some;
    for (uint64_t left = 1 + random.Below(6); left > 0; --left) some.insert(random.Below(size + 1));
    all.emplace_back(some.begin(), some.end());
  }
  for (const Isa isa : Isas()) {
    SCOPED_TRACE("isa " + std::to_string(static_cast<int>(isa)));
    for (const std::vector<size_t>& cuts : all) {
      const Seen seen = run(isa, cuts);
      ASSERT_EQ(seen.ok, whole.ok) << ::testing::PrintToString(cuts) << "\n"
                                   << seen.error << "\n"
                                   << whole.error;
      // What was got is shorter where the input goes on behind it.
      ASSERT_EQ(WithoutGot(seen.error), WithoutGot(whole.error)) << ::testing::PrintToString(cuts);
      ASSERT_EQ(seen.outputs, whole.outputs) << ::testing::PrintToString(cuts);
    }
  }
}

class Streams : public ::testing::TestWithParam<const char*> {};

TEST_P(Streams, RequestsAreTheSameAtEveryCut) {
  for (const Json& line : ReadJsonLines(GetParam())) {
    SCOPED_TRACE(line.dump());
    RequestCase test = MakeRequest(line);
    if (!test.names_exist) continue;
    ExpectSameAtEveryCut(test.body.size(), [&](Isa isa, const std::vector<size_t>& cuts) {
      return test.Run(isa, cuts);
    });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Streams,
                         ::testing::Values("corpus/chunked.jsonl", "corpus/stream_from_json.jsonl",
                                           "corpus/http_binding.jsonl"));

TEST(Responses, ResponsesAreTheSameAtEveryCut) {
  for (const Json& line : ReadJsonLines("corpus/stream_to_json.jsonl")) {
    SCOPED_TRACE(line.dump());
    const std::string frames = FromHex(line.at("framed_hex").get<std::string>());
    ResponseSource source;
    source.message = CorpusOracle().schema().FindMessage(line.at("type").get<std::string>());
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
    const auto run = [&](Isa isa, const std::vector<size_t>& cuts) {
      options.print.isa = isa;
      return RunResponse(source, format, options, frames, cuts);
    };
    ExpectSameAtEveryCut(frames.size(), run);
    if (HasFatalFailure()) return;
  }
}

// Documents of the corpus as the body of a request, unary and as the only element of a stream.
TEST(Documents, DocumentsAreTheSameAtEveryCut) {
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    const std::string json = JsonText(line);
    SCOPED_TRACE(line.at("id").get<std::string>() + " " + json.substr(0, 400));
    RequestTarget target;
    target.message = CorpusOracle().schema().FindMessage(line.at("type").get<std::string>());
    for (const bool streaming : {false, true}) {
      target.client_streaming = streaming;
      const std::string body = streaming ? "[" + json + "," + json + "]" : json;
      RequestOptions options;
      ExpectSameAtEveryCut(body.size(), [&](Isa isa, const std::vector<size_t>& cuts) {
        Bindings none;
        options.binding.parse.isa = isa;
        return RunRequest(target, &none, options, body, cuts);
      });
      if (HasFatalFailure()) return;
    }
  }
}

// A unary body in pieces is what JsonToProto makes of the whole.
TEST(Documents, UnaryBodiesAreTheMessages) {
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    const std::string json = JsonText(line);
    const std::string type = line.at("type");
    RequestTarget target;
    target.message = CorpusOracle().schema().FindMessage(type);
    Bindings none;
    const Seen seen = RunRequest(target, &none, {}, json, {json.size() / 2});
    const Answer whole = ToProto(CorpusOracle(), type, json, {});
    if (json.find_first_not_of(" \t\r\n") == std::string::npos) continue;  // no body: no fields
    ASSERT_EQ(seen.ok, whole.ok) << line.at("id") << " " << seen.error << " " << whole.bytes;
    if (seen.ok) {
      EXPECT_EQ(seen.outputs.at(0), Frame(whole.bytes)) << line.at("id");
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
