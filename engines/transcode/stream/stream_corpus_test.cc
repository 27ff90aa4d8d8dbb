// The recorded translations of testdata/corpus: bindings, streams and cut documents. Where we
// decide otherwise, testdata/policies/streams.tsv says what we answer and why; nothing else may
// differ, and nothing in it may agree.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/files.h"
#include "conformance/oracle.h"
#include "http/bindings.h"
#include "stream/frame.h"
#include "stream/request.h"
#include "stream/response.h"

namespace transcode {
namespace {

using conformance::Json;

class Policies {
 public:
  Policies() {
    for (const auto& row : conformance::ReadTable("policies/streams.tsv", 3))
      rows_[row[0]] = row[1];
  }

  // An answer is the messages (or texts) before the end, and "error" behind them if there is one.
  void Check(const std::string& id, const std::string& note, const std::string& recorded,
             const std::string& ours) {
    const auto policy = rows_.find(id);
    if (policy == rows_.end()) {
      EXPECT_EQ(ours, recorded) << id << ": " << note;
      return;
    }
    EXPECT_EQ(ours, policy->second) << id << ": " << note;
    EXPECT_NE(ours, recorded) << id << " does not differ any more";
  }

 private:
  std::map<std::string, std::string> rows_;
};

std::string Shown(const std::string& text) { return Json(text).dump(); }

// A frame as its message's canonical bytes in hex.
std::string Canonical(const std::string& type, std::string_view message) {
  const auto canonical = conformance::CorpusOracle().Canonical(type, message);
  return canonical ? conformance::ToHex(*canonical) : "unreadable";
}

std::string RecordedFrames(const Json& line) {
  const Json& seed = line["seed"];
  std::string answer;
  for (const Json& frame : seed["frames"]) {
    std::string bytes = conformance::FromHex(frame.get<std::string>());
    if (line.value("delim", false)) bytes.erase(0, kFrameHeader);
    answer += "<" + Canonical(line["type"], bytes) + ">";
  }
  return seed["ok"].get<bool>() ? answer : answer + "error";
}

// The fields of a body such as "nested.shelf"; false: there is no such field.
bool FindBody(const Message& message, std::string_view path, FieldPath& fields) {
  const Message* at = &message;
  while (path != "*" && !path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    const Field* field = at->FindField(path.substr(0, dot));
    if (field == nullptr) return false;
    fields.push_back(field);
    at = field->message;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return true;
}

// Our answer to the body, cut after each of `cuts` bytes.
std::string OurFrames(const Json& line, const std::vector<size_t>& cuts) {
  RequestOptions options;
  options.binding.parse = conformance::LenientOptions();
  if (line.value("ci_enum", false)) options.binding.parse.enums = EnumNames::kFoldCase;
  options.binding.conflicts =
      line.value("reject_collisions", false) ? Conflicts::kReject : Conflicts::kBodyWins;
  const std::string type = line["type"];
  FieldPath body;
  RequestTarget target;
  target.message = conformance::CorpusOracle().schema().FindMessage(type);
  target.client_streaming = line.value("streaming", false);
  if (!FindBody(*target.message, line.value("body", "*"), body)) return "error";
  target.body = body;
  std::deque<std::string> texts;
  Bindings bindings;
  for (const Json& binding : line.value("bindings", Json::array())) {
    texts.push_back(binding[0]);
    texts.push_back(binding[1]);
    if (!bindings.Add(*target.message, texts[texts.size() - 2], texts.back()).ok()) return "error";
  }

  RequestTranscoder transcoder;
  transcoder.Start(target, &bindings, options);
  std::string answer;
  Buffer frame;
  const auto drain = [&] {
    while (true) {
      const Result<bool> next = transcoder.Next(frame);
      if (!next.ok()) {
        answer += "error";
        return false;
      }
      if (!*next) return true;
      answer += "<" + Canonical(type, frame.view().substr(kFrameHeader)) + ">";
    }
  };
  std::string_view rest;
  const std::string json = conformance::JsonText(line);
  rest = json;
  size_t begin = 0;
  for (const size_t cut : cuts) {
    const std::string piece(rest.substr(0, cut - begin));  // ASan sees a piece that is kept
    rest.remove_prefix(cut - begin);
    begin = cut;
    if (!transcoder.Push(piece).ok() || !drain()) return answer;
  }
  if (!transcoder.Push(rest).ok()) return answer + "error";
  transcoder.Finish();
  drain();
  return answer;
}

void CheckRequests(const char* file) {
  Policies policies;
  for (const Json& line : conformance::ReadJsonLines(file)) {
    std::vector<size_t> cuts;
    size_t at = 0;
    for (const size_t piece : line.value("chunks", std::vector<size_t>{})) {
      cuts.push_back(at += piece);
    }
    const std::string ours = OurFrames(line, cuts);
    policies.Check(line["id"], line["note"], RecordedFrames(line), ours);

    // The answer does not depend on where the body is cut.
    const size_t size = conformance::JsonText(line).size();
    std::vector<size_t> every;
    for (size_t cut = 1; cut < size; ++cut) {
      EXPECT_EQ(OurFrames(line, {cut}), ours) << line["id"] << " cut at " << cut;
      every.push_back(cut);
    }
    EXPECT_EQ(OurFrames(line, every), ours) << line["id"] << " byte by byte";
  }
}

TEST(StreamCorpus, Bindings) { CheckRequests("corpus/http_binding.jsonl"); }

TEST(StreamCorpus, ArraysOfMessages) { CheckRequests("corpus/stream_from_json.jsonl"); }

TEST(StreamCorpus, CutDocuments) { CheckRequests("corpus/chunked.jsonl"); }

std::string RecordedText(const Json& line) {
  const Json& seed = line["seed"];
  std::string text;
  for (const Json& chunk : seed["chunks"]) text += chunk.get<std::string>();
  return seed["ok"].get<bool>() ? text : text + "error";
}

std::string OurText(const Json& line, const std::vector<size_t>& cuts) {
  ResponseOptions options;
  options.print = conformance::NamedOptions(line["options"]);
  StreamFormat format = StreamFormat::kArray;
  if (line["newline_delimited"].get<bool>()) format = StreamFormat::kNdjson;
  if (line["sse"].get<bool>()) format = StreamFormat::kSse;
  if (!line["streaming"].get<bool>()) format = StreamFormat::kUnary;
  ResponseTranscoder transcoder;
  ResponseSource source;
  source.message =
      conformance::CorpusOracle().schema().FindMessage(line["type"].get<std::string>());
  transcoder.Start(source, format, options);
  const std::string framed = conformance::FromHex(line["framed_hex"].get<std::string>());
  Buffer text;
  bool good = true;
  size_t begin = 0;
  for (size_t i = 0; i <= cuts.size() && good; ++i) {
    const size_t end = i < cuts.size() ? cuts[i] : framed.size();
    const std::string piece = framed.substr(begin, end - begin);
    good = transcoder.Push(piece, text).ok();
    begin = end;
  }
  Buffer last;
  const ResponseTranscoder::End end = transcoder.Finish({}, last);
  if (end.broken || end.http_status != 200) return std::string(text.view()) + "error";
  return std::string(text.view()) + std::string(last.view());
}

TEST(StreamCorpus, Responses) {
  Policies policies;
  for (const Json& line : conformance::ReadJsonLines("corpus/stream_to_json.jsonl")) {
    const std::string ours = OurText(line, {});
    policies.Check(line["id"], line["note"], Shown(RecordedText(line)), Shown(ours));
    const size_t size = line["framed_hex"].get<std::string>().size() / 2;
    std::vector<size_t> every;
    for (size_t cut = 1; cut < size; ++cut) {
      EXPECT_EQ(OurText(line, {cut}), ours) << line["id"] << " cut at " << cut;
      every.push_back(cut);
    }
    EXPECT_EQ(OurText(line, every), ours) << line["id"] << " byte by byte";
  }
}

}  // namespace
}  // namespace transcode
