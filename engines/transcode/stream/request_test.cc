#include "stream/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/files.h"
#include "stream/frame.h"

namespace transcode {
namespace {

using conformance::ToHex;

const Schema& Library() {
  static const Schema kSchema = [] {
    Result<Schema> loaded =
        Schema::Load(conformance::ReadTestData("corpus/transcode_gateway.desc"));
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }();
  return kSchema;
}

// The messages in hex with blanks between them, and the error behind them. `step`: bytes a piece.
std::string Send(std::string_view method, std::string_view target, std::string_view body,
                 const RequestOptions& options = {}, size_t step = 1 << 20) {
  static const Router kRouter = std::move(*Router::Make(Library()));
  Match match;
  if (kRouter.Find(method, target, match) != Match::Outcome::kFound) return "not found";
  RequestTranscoder request;
  std::string answer;
  if (Result<> started = request.Start(match, options); !started.ok()) {
    return started.error().message;
  }
  Buffer frame;
  const auto drain = [&] {
    while (true) {
      const Result<bool> next = request.Next(frame);
      if (!next.ok()) answer += next.error().message;
      if (!next.ok() || !*next) return next.ok();
      answer += ToHex(frame.view().substr(kFrameHeader)) + " ";
    }
  };
  for (; !body.empty(); body.remove_prefix(std::min(step, body.size()))) {
    const std::string piece(body.substr(0, step));
    if (Result<> pushed = request.Push(piece); !pushed.ok()) return answer + pushed.error().message;
    if (!drain()) return answer;
  }
  request.Finish();
  drain();
  return answer;
}

TEST(RequestTranscoder, WritesPathQueryAndBody) {
  EXPECT_EQ(Send("GET", "/v1/shelves/5?name=a%20b&tags=x&tags=y", ""),
            "10050a03612062220178220179 ");
  EXPECT_EQ(Send("POST", "/v1/shelves?flag=true", "{\"name\":\"s\"}"), "1a030a01733001 ");
  EXPECT_EQ(Send("POST", "/v1/shelves", ""), "1a00 ");  // an empty body is an empty shelf
  EXPECT_EQ(Send("GET", "/v1/query?labels[a%20b]=c", ""), "7a080a03612062120163 ");
  EXPECT_EQ(Send("GET", "/v1/query?shelves.name=a&flag=1&shelves.id=2", ""), "6a050a016118023001 ");
}

TEST(RequestTranscoder, APathNeverLosesAgainstTheBodyInSilence) {
  const std::string_view other = "{\"flag\":true,\"name\":\"x\"}";
  EXPECT_THAT(Send("PATCH", "/v1/shelves/9", other), testing::HasSubstr("BINDING_CONFLICT"));
  EXPECT_EQ(Send("PATCH", "/v1/shelves/9", "{\"name\":\"shelves/9\"}"), "0a097368656c7665732f39 ");
  EXPECT_EQ(Send("PATCH", "/v1/shelves/9", "{\"name\":null}"), "0a097368656c7665732f39 ");
  RequestOptions options;
  options.binding.conflicts = Conflicts::kPathWins;  // the last value on the wire counts
  EXPECT_THAT(Send("PATCH", "/v1/shelves/9", other, options),
              testing::EndsWith("0a097368656c7665732f39 "));
  options.binding.conflicts = Conflicts::kBodyWins;
  EXPECT_EQ(Send("PATCH", "/v1/shelves/9", other, options), "30010a0178 ");
}

TEST(RequestTranscoder, PathAndQueryMustAgreeToo) {
  EXPECT_THAT(Send("GET", "/v1/shelves/5?shelf_id=6", ""), testing::HasSubstr("BINDING_CONFLICT"));
  EXPECT_EQ(Send("GET", "/v1/shelves/5?shelfId=05", ""), "1005 ");
  RequestOptions options;
  options.binding.conflicts = Conflicts::kPathWins;
  EXPECT_EQ(Send("GET", "/v1/shelves/5?shelf_id=6", "", options), "1005 ");
  options.binding.conflicts = Conflicts::kBodyWins;
  EXPECT_EQ(Send("GET", "/v1/shelves/5?shelf_id=6", "", options), "1006 ");
}

TEST(RequestTranscoder, RefusesUnknownParametersUnlessTold) {
  EXPECT_THAT(Send("GET", "/v1/query?nope=1", ""), testing::HasSubstr("no field \"nope\""));
  RequestOptions options;
  options.binding.ignored_query = {"nope"};
  EXPECT_EQ(Send("GET", "/v1/query?nope=1&flag=1", "", options), "3001 ");
  EXPECT_THAT(Send("GET", "/v1/query?nop=1", "", options), testing::HasSubstr("no field"));
  options.binding.unknown_query = UnknownQuery::kIgnore;
  EXPECT_EQ(Send("GET", "/v1/query?nop=1&flag=1", "", options), "3001 ");
  EXPECT_THAT(Send("GET", "/v1/query", "{}"), testing::HasSubstr("a body where"));
}

TEST(RequestTranscoder, ReadsArraysAndLinesInAnyPieces) {
  RequestOptions lines;
  lines.format = RequestFormat::kNdjson;
  for (size_t step = 1; step < 40; ++step) {
    EXPECT_EQ(Send("POST", "/v1/collect", " [ {\"name\":\"a]\"} ,{\"number\":12}] ", {}, step),
              "1202615d 180c ");
    EXPECT_EQ(Send("POST", "/v1/collect", "{\"name\":\"a\"}\n\n{\"number\":12}\r\n", lines, step),
              "120161 180c ");
    EXPECT_THAT(Send("POST", "/v1/collect", "[{},{\"number\":\"x\"},{}]", {}, step),
                testing::StartsWith(" "));
    EXPECT_THAT(Send("POST", "/v1/collect", "[{}", {}, step), testing::HasSubstr("not complete"));
  }
  EXPECT_EQ(Send("POST", "/v1/collect", "", lines), "");
}

TEST(RequestTranscoder, EndsANumberWhereTheParserDoes) {
  const Result<Schema> schema =
      Schema::Load(conformance::ReadTestData("corpus/transcode_corpus.desc"));
  ASSERT_TRUE(schema.ok());
  RequestTarget target;
  target.message = schema->FindMessage("google.protobuf.Value");
  target.client_streaming = true;
  RequestOptions lines;
  lines.format = RequestFormat::kNdjson;
  const std::string_view body = "9\x8d";
  for (const size_t step : {1, 2}) {
    RequestTranscoder request;
    request.Start(target, nullptr, lines);
    Buffer frame;
    Result<bool> next = false;
    for (size_t at = 0; at < body.size() && next.ok(); at += step) {
      ASSERT_TRUE(request.Push(body.substr(at, step)).ok());
      do next = request.Next(frame);
      while (next.ok() && *next);
    }
    request.Finish();
    do next = request.Next(frame);
    while (next.ok() && *next);
    ASSERT_FALSE(next.ok()) << "pieces of " << step;
    EXPECT_EQ(next.error().offset, 1u);
    EXPECT_EQ(next.error().expected, "a new line");
  }
}

TEST(RequestTranscoder, LimitsOneMessageNotTheStream) {
  RequestOptions options;
  options.max_message = 20;
  std::string body = "[{}";
  for (int i = 0; i < 100; ++i) body += ",{}";
  EXPECT_EQ(Send("POST", "/v1/collect", body + "]", options, 7).size(), 101u);
  for (const size_t step : {1, 7, 100}) {
    EXPECT_THAT(Send("POST", "/v1/collect", "[{\"name\":\"0123456789012345\"}]", options, step),
                testing::HasSubstr("more than 20 bytes"));
  }
}

TEST(RequestTranscoder, SendsRawBodiesAsHttpBody) {
  RequestOptions options;
  options.content_type = "a/b";
  for (const size_t step : {1, 100}) {
    EXPECT_EQ(Send("POST", "/v1/upload", "raw", options, step), "0a03612f621203726177 ");
  }
  EXPECT_EQ(Send("POST", "/v1/upload/n", "raw", options), "0a016e120a0a03612f621203726177 ");
  EXPECT_EQ(Send("POST", "/v1/upload_stream", "abcd", options, 2), "0a03612f6212026162 12026364 ");
  EXPECT_EQ(Send("POST", "/v1/upload_stream", "", options), "0a03612f62 ");
}

TEST(RequestTranscoder, AnErrorIsFinalHoweverSmallTheNextPiece) {
  RequestTarget target;
  target.message = Library().FindMessage("tc.v1.Node");
  ASSERT_NE(target.message, nullptr);
  RequestOptions options;
  options.max_message = 20;
  RequestTranscoder request;
  Bindings none;
  Buffer frame;
  const auto push = [&](std::string_view piece) {
    Result<> pushed = request.Push(piece);
    if (!pushed.ok()) return std::string(CodeName(pushed.error().code));
    const Result<bool> next = request.Next(frame);
    return next.ok() ? std::string() : std::string(CodeName(next.error().code));
  };
  for (int round = 0; round < 2; ++round) {
    request.Start(target, &none, options);
    EXPECT_EQ(push("{\"name\":"), "");
    EXPECT_EQ(push(""), "");
    EXPECT_EQ(push("\"a\""), "");
    EXPECT_EQ(push(std::string(20, ' ')), "RESOURCE_EXHAUSTED");
    EXPECT_EQ(push(" "), "RESOURCE_EXHAUSTED");
    EXPECT_EQ(push("}"), "RESOURCE_EXHAUSTED");
  }
  request.Start(target, &none, options);
  for (const char* const piece : {"{", "\"name\"", ":", "\"a\"", "", "}"})
    EXPECT_EQ(push(piece), "");
  request.Finish();
  const Result<bool> next = request.Next(frame);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(ToHex(frame.view().substr(kFrameHeader)), "120161");
}

}  // namespace
}  // namespace transcode
