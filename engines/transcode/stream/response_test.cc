#include "stream/response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/files.h"

namespace transcode {
namespace {

const Schema& Library() {
  static const Schema kSchema = [] {
    Result<Schema> loaded =
        Schema::Load(conformance::ReadTestData("corpus/transcode_gateway.desc"));
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }();
  return kSchema;
}

std::string Frame(const std::string& message, bool gzip = false) {
  Buffer packed;
  if (gzip) Gzip(message, packed);
  const std::string bytes = gzip ? std::string(packed.view()) : message;
  char header[kFrameHeader];
  WriteFrameHeader(bytes.size(), header);
  header[0] = gzip ? 1 : 0;
  return std::string(header, sizeof(header)) + bytes;
}

struct Sent {
  std::string text;
  int http_status;
  bool broken;
  std::string content_type;
};

Sent Receive(std::string_view frames, StreamFormat format, const GrpcStatus& status = {},
             ResponseOptions options = {}, size_t step = 1 << 20, std::string_view type = "Node",
             std::string_view response_body = "") {
  ResponseTranscoder response;
  ResponseSource source;
  source.message = Library().FindMessage(type == "HttpBody" ? "google.api.HttpBody"
                                                            : "tc.v1." + std::string(type));
  source.raw = type == "HttpBody";
  std::vector<const Field*> path;
  if (!response_body.empty()) path.push_back(source.message->FindField(response_body));
  source.response_body = path;
  options.schema = &Library();
  response.Start(source, format, options);
  Buffer text;
  for (; !frames.empty(); frames.remove_prefix(std::min(step, frames.size()))) {
    const std::string piece(frames.substr(0, step));
    if (!response.Push(piece, text).ok()) break;
  }
  Buffer last;
  const ResponseTranscoder::End end = response.Finish(status, last);
  return {std::string(text.view()) + std::string(last.view()), end.http_status, end.broken,
          std::string(response.content_type())};
}

const std::string kTwo = Frame(
                             "\x12\x01"
                             "a") +
                         Frame("\x18\x05");

TEST(ResponseTranscoder, WritesEachFormatFromAnyPieces) {
  for (const size_t step : {1, 3, 6, 100}) {
    EXPECT_EQ(Receive(kTwo, StreamFormat::kArray, {}, {}, step).text,
              "[{\"name\":\"a\"},{\"number\":5}]");
    EXPECT_EQ(Receive(kTwo, StreamFormat::kNdjson, {}, {}, step).text,
              "{\"name\":\"a\"}\n{\"number\":5}\n");
    EXPECT_EQ(Receive(kTwo, StreamFormat::kSse, {}, {}, step).text,
              "data: {\"name\":\"a\"}\n\ndata: {\"number\":5}\n\n");
    EXPECT_EQ(Receive(Frame(""), StreamFormat::kUnary, {}, {}, step).text, "{}");
  }
  EXPECT_EQ(Receive("", StreamFormat::kArray).text, "[]");
}

TEST(ResponseTranscoder, AnErrorBeforeTheFirstMessageIsTheWholeBody) {
  for (const StreamFormat format : {StreamFormat::kUnary, StreamFormat::kArray}) {
    const Sent sent = Receive("", format, {5, "gone \"x\"", ""});
    EXPECT_EQ(sent.text, "{\"code\":5,\"message\":\"gone \\\"x\\\"\",\"details\":[]}");
    EXPECT_EQ(sent.http_status, 404);
    EXPECT_FALSE(sent.broken);
  }
}

TEST(ResponseTranscoder, AnErrorAfterTheFirstMessageIsNotLost) {
  const GrpcStatus status{13, "mid", ""};
  const std::string json = "{\"code\":13,\"message\":\"mid\",\"details\":[]}";
  const std::string frame = Frame(
      "\x12\x01"
      "a");
  EXPECT_EQ(Receive(frame, StreamFormat::kArray, status).text,
            "[{\"name\":\"a\"},{\"error\":" + json + "}]");
  EXPECT_EQ(Receive(frame, StreamFormat::kNdjson, status).text,
            "{\"name\":\"a\"}\n{\"error\":" + json + "}\n");
  EXPECT_EQ(Receive(frame, StreamFormat::kSse, status).text,
            "data: {\"name\":\"a\"}\n\nevent: error\ndata: " + json + "\n\n");
  EXPECT_TRUE(Receive(frame, StreamFormat::kSse, status).broken);
  // Nor is the error of a stream that ends inside a frame, or of a message that cannot be read.
  EXPECT_TRUE(Receive(kTwo.substr(0, kTwo.size() - 1), StreamFormat::kArray).broken);
  EXPECT_TRUE(Receive(frame + Frame("\xff"), StreamFormat::kArray).broken);
}

TEST(ResponseTranscoder, ReadsCompressedFramesWithinTheLimit) {
  const std::string message = "\x12\x7f" + std::string(127, 'a');
  ResponseOptions options;
  EXPECT_EQ(Receive(Frame(message, true), StreamFormat::kUnary, {}, options).http_status, 500);
  options.gzip = true;
  for (const size_t step : {1, 100}) {
    EXPECT_EQ(Receive(Frame(message, true), StreamFormat::kUnary, {}, options, step).text,
              "{\"name\":\"" + std::string(127, 'a') + "\"}");
  }
  options.max_message = 100;
  EXPECT_EQ(Receive(Frame(message, true), StreamFormat::kUnary, {}, options).http_status, 429);
  EXPECT_EQ(
      Receive(std::string("\0\xff\xff\xff\xff", 5), StreamFormat::kUnary, {}, options).http_status,
      429);
}

TEST(ResponseTranscoder, SendsRawBodiesAndPartsOfMessages) {
  const std::string body = Frame(
      "\x0a\x03"
      "a/b\x12\x03raw");
  const Sent sent = Receive(body + Frame("\x12\x01!"), StreamFormat::kArray, {}, {}, 5, "HttpBody");
  EXPECT_EQ(sent.text, "raw!");
  EXPECT_EQ(sent.content_type, "a/b");
  const std::string request = Frame("\x0a\x01n\x22\x01t\x1a\x03\x0a\x01s");
  const auto part = [&](std::string_view field) {
    return Receive(request, StreamFormat::kUnary, {}, {}, 9, "Request", field).text;
  };
  EXPECT_EQ(part("name"), "\"n\"");
  EXPECT_EQ(part("tags"), "[\"t\"]");
  EXPECT_EQ(part("shelf"), "{\"name\":\"s\"}");
  EXPECT_EQ(part("numbers"), "[]");
}

TEST(ResponseTranscoder, ChoosesTheFormatByAccept) {
  EXPECT_EQ(FormatOf("text/html, text/event-stream;q=0.5"), StreamFormat::kSse);
  EXPECT_EQ(FormatOf("application/x-ndjson"), StreamFormat::kNdjson);
  EXPECT_EQ(FormatOf("application/json, text/event-stream"), StreamFormat::kArray);
  EXPECT_EQ(FormatOf("*/*"), StreamFormat::kArray);
  EXPECT_EQ(FormatOf("application/JSONL"), StreamFormat::kNdjson);
}

TEST(ResponseTranscoder, WeighsWhatIsAccepted) {
  EXPECT_EQ(FormatOf("application/json;q=0.5, text/event-stream"), StreamFormat::kSse);
  EXPECT_EQ(FormatOf("text/event-stream ; Q=0.4 , application/x-ndjson;q=0.5"),
            StreamFormat::kNdjson);
  EXPECT_EQ(FormatOf("text/event-stream;q=0, */*;q=0.1"), StreamFormat::kArray);
  EXPECT_EQ(FormatOf("application/json;q=0, application/*"), StreamFormat::kNdjson);
  EXPECT_EQ(FormatOf("*/*;q=0.9, text/event-stream;q=0.8"), StreamFormat::kArray);
  EXPECT_EQ(FormatOf("*/*, text/event-stream"), StreamFormat::kSse);  // a name before a range
  EXPECT_EQ(FormatOf("text/*;charset=utf-8;q=1.000"), StreamFormat::kSse);
}

TEST(ResponseTranscoder, TakesTheFormatOfTheProxyWhenAcceptLeavesItOpen) {
  for (const char* accept : {"", "*/*", "text/html", "text/event-stream;q=0"}) {
    EXPECT_EQ(FormatOf(accept, StreamFormat::kNdjson), StreamFormat::kNdjson) << accept;
  }
  EXPECT_EQ(FormatOf("application/json", StreamFormat::kNdjson), StreamFormat::kArray);
  EXPECT_EQ(FormatOf("application/*", StreamFormat::kSse), StreamFormat::kArray);
}

}  // namespace
}  // namespace transcode
