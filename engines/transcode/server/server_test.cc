// The proxy over real sockets. Schema: testdata/corpus/transcode_gateway.proto.

#include "server/server.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "http/head.h"
#include "server/acceptor.h"
#include "server/test_support.h"

namespace transcode::server {
namespace {

constexpr std::string_view kGet = "GET /v1/shelves/5 HTTP/1.1\r\nhost: a\r\n\r\n";

std::string Post(std::string_view path, std::string_view body, std::string_view fields = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n" + std::string(fields) +
         "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string Get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nhost: a\r\n" + std::string(fields) + "\r\n";
}

bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 500; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(ServerTest, TranslatesARequestAndItsAnswer) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const Response response = client.Exchange(kGet);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"shelfId":"5"})");
  EXPECT_EQ(response.fields.at("content-type"), "application/json");
  EXPECT_EQ(response.fields.at("grpc-status"), "0");
  const auto calls = proxy.echo().TakeCalls();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].path, "/tc.v1.Library/GetShelf");
  EXPECT_EQ(calls[0].messages, std::vector{FromHex("1005")});
}

TEST(ServerTest, KeepsTheConnectionAndAnswersPipelinedRequestsInOrder) {
  TestProxy proxy;
  TestClient client(proxy.port());
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += Get("/v1/shelves/" + std::to_string(i + 1));
  client.Send(requests);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.Receive().body, "{\"shelfId\":\"" + std::to_string(i + 1) + "\"}");
  }
}

// The first requests and the start of the next one come in one segment: what is whole is answered,
// and the rest is waited for.
TEST(ServerTest, AnswersPipelinedRequestsThatAreCutAnywhere) {
  const std::string chunked =
      "POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
      "transfer-encoding: chunked\r\n\r\n5\r\n{\"nam\r\n8\r\ne\":\"x\"} \r\n0\r\n\r\n";
  const std::string get(kGet);
  const std::vector<std::string> requests = {get, Post("/v1/theme", R"({"name":"x"})"), get,
                                             chunked, get};
  const std::string expected[] = {R"({"shelfId":"5"})", R"({"name":"x"})"};
  std::string all;
  for (const std::string& request : requests) all += request;
  TestProxy proxy;
  for (size_t cut = 1; cut < all.size(); ++cut) {
    TestClient client(proxy.port());
    client.Send(std::string_view(all).substr(0, cut));
    size_t end = 0;
    for (size_t i = 0; i < requests.size(); ++i) {
      if (end <= cut && cut < end + requests[i].size()) {
        client.Send(std::string_view(all).substr(cut));
      }
      end += requests[i].size();
      ASSERT_EQ(client.Receive().body, expected[i % 2]) << "cut at " << cut << ", request " << i;
    }
  }
}

TEST(ServerTest, TakesARequestByteByByte) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const std::string request =
      "POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
      "transfer-encoding: chunked\r\n\r\n5\r\n{\"nam\r\n8\r\ne\":\"x\"} \r\n0\r\n\r\n";
  for (const char byte : request) client.Send({&byte, 1});
  const Response response = client.Receive();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"name":"x"})");
}

TEST(ServerTest, ContinuesWhenTheClientWaitsForIt) {
  TestProxy proxy;
  TestClient client(proxy.port());
  client.Send(
      "POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
      "expect: 100-continue\r\ncontent-length: 12\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 100);
  EXPECT_EQ(client.Exchange(R"({"name":"x"})").body, R"({"name":"x"})");
}

TEST(ServerTest, HeadHasNoBody) {
  TestProxy proxy;
  TestClient client(proxy.port());
  client.Send("HEAD /v1/head HTTP/1.1\r\nhost: a\r\n\r\n");
  EXPECT_EQ(client.Receive(true).fields.at("content-length"), "2");
  EXPECT_EQ(client.Exchange(kGet).status, 200);
}

TEST(ServerTest, StreamsMessagesInTheFormatThatIsAccepted) {
  TestProxy proxy;
  const std::string reply = "x-reply: 12036f6e65,120374776f\r\n";
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(Get("/v1/stream/a", reply)).body, R"([{"name":"one"},{"name":"two"}])");
  EXPECT_EQ(client.Exchange(Get("/v1/stream/a", reply + "accept: application/x-ndjson\r\n")).body,
            "{\"name\":\"one\"}\n{\"name\":\"two\"}\n");
  const Response events =
      client.Exchange(Get("/v1/stream/a", reply + "accept: text/event-stream\r\n"));
  EXPECT_EQ(events.body, "data: {\"name\":\"one\"}\n\ndata: {\"name\":\"two\"}\n\n");
  EXPECT_EQ(events.fields.at("content-type"), "text/event-stream");
}

TEST(ServerTest, TakesAStreamOfMessages) {
  TestProxy proxy;
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(Post("/v1/bidi", R"([{"name":"a"},{"name":"b"}])")).body,
            R"([{"name":"a"},{"name":"b"}])");
  EXPECT_EQ(proxy.echo().TakeCalls().at(0).messages.size(), 2u);
}

TEST(ServerTest, AnErrorAfterTheFirstMessageIsInTheBodyAndCutsItShort) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const Response response = client.Exchange(
      Get("/v1/stream/a", "x-reply: 12036f6e65\r\nx-status: 13\r\nx-message: mid\r\n"));
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.complete);
  EXPECT_EQ(response.body,
            R"([{"name":"one"},{"error":{"code":13,"message":"mid","details":[]}}])");
  EXPECT_TRUE(client.Ended());
}

TEST(ServerTest, OrLeavesItWholeIfToldSo) {
  ServerOptions options;
  options.proxy.error_in_band_only = true;
  TestProxy proxy(options);
  TestClient client(proxy.port());
  const Response response =
      client.Exchange(Get("/v1/stream/a", "x-reply: 12036f6e65\r\nx-status: 13\r\n"));
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(client.Exchange(kGet).status, 200);
}

TEST(ServerTest, MapsMetadataBothWays) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const Response response = client.Exchange(Get(
      "/v1/shelves/5", "X-Custom: hello\r\nx-reply-header: hi\r\ncookie: c\r\naccept: */*\r\n"));
  EXPECT_EQ(response.fields.at("x-from-server"), "hi");
  const auto metadata = proxy.echo().TakeCalls().at(0).metadata;
  EXPECT_EQ(metadata.at("x-custom"), "hello");
  EXPECT_EQ(metadata.at("cookie"), "c");
  EXPECT_EQ(metadata.at("te"), "trailers");
  EXPECT_FALSE(metadata.contains("accept"));
}

struct ErrorCase {
  std::string request;
  int status;
  int code;
};

TEST(ServerTest, EveryErrorIsAGoogleRpcStatus) {
  ServerOptions options;
  options.proxy.limits.body_bytes = 1000;
  options.proxy.limits.path_bytes = 500;
  options.proxy.limits.header_bytes = 2000;
  TestProxy proxy(options);
  const ErrorCase cases[] = {
      {Get("/v1/nowhere"), 404, 5},
      {Get("/v1/theme"), 405, 12},
      {Get("/" + std::string(600, 'a')), 414, 3},
      {Get("/v1/shelves/x"), 400, 3},
      {Get("/v1/shelves/5", "x-a: " + std::string(3000, 'a') + "\r\n"), 431, 8},
      {Post("/v1/theme", R"({"name":)"), 400, 3},
      {Post("/v1/theme", '"' + std::string(2000, 'a') + '"'), 413, 8},
      {"POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: "
       "1\r\n\r\na",
       415, 3},
      {"GET /v1/shelves/5 HTTP/1.1\r\n\r\n", 400, 3},
      {"nonsense\r\n\r\n", 400, 3},
      {Get("/v1/shelves/5", "x-status: 7\r\nx-reply: none\r\nx-message: no\r\n"), 403, 7},
  };
  for (const ErrorCase& each : cases) {
    SCOPED_TRACE(each.request.substr(0, 80));
    TestClient client(proxy.port());
    const Response response = client.Exchange(each.request);
    EXPECT_EQ(response.status, each.status);
    EXPECT_EQ(response.fields.at("content-type"), "application/json");
    EXPECT_TRUE(response.body.starts_with("{\"code\":" + std::to_string(each.code) + ","))
        << response.body;
    EXPECT_TRUE(response.complete);
  }
}

// A field of bytes on the wire.
std::string Field(char tag, const std::string& bytes) {
  std::string wire(1, tag);
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) wire += static_cast<char>(size | 0x80);
  return wire + static_cast<char>(size) + bytes;
}

// Wire of a google.api.HttpBody.
std::string HttpBodyWire(const std::string& type, const std::string& data) {
  return Field('\x0a', type) + Field('\x12', data);
}

std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    hex += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
    hex += "0123456789abcdef"[c & 15];
  }
  return hex;
}

// The bytes that a field may not have, and their neighbours.
std::string EdgesOfFieldValues() {
  std::string bytes;
  for (int c = 0; c < 0x22; ++c) bytes += static_cast<char>(c);
  return bytes + "~\x7f\x80\xff";
}

// Methods whose answer is a file of the message, by rules with response_body.
constexpr char kFiles[] = R"(
  file {
    name: "files.proto" package: "tc.v1" syntax: "proto3" dependency: "transcode_gateway.proto"
    service {
      name: "Files"
      method { name: "One" input_type: ".tc.v1.UploadRequest" output_type: ".tc.v1.UploadRequest" }
      method {
        name: "Many" input_type: ".tc.v1.UploadRequest" output_type: ".tc.v1.UploadRequest"
        server_streaming: true
      }
    }
  })";
constexpr char kFileTag = '\x12';  // of UploadRequest.file

const std::vector<ExtraRule> kFileRules = {
    {"tc.v1.Files.One", {"GET", "/v1/file/{name}", "", "file"}},
    {"tc.v1.Files.Many", {"GET", "/v1/files/{name}", "", "file"}}};

std::string FilesDescriptors() {
  google::protobuf::FileDescriptorSet set;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kFiles, &set));
  return set.SerializeAsString();
}

// In the head as it is, or the answer is an error. Of each kind of an HttpBody.
TEST(ServerTest, AContentTypeOfTheServerIsAFieldValueOrAnError) {
  std::vector<std::string> types = {"", "text/plain\r\nset-cookie: a=1", std::string(70'000, 'a'),
                                    std::string(8192, 'a'),
                                    "text/plain\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\n"
                                    "content-length: 4\r\nx-q: "};
  for (const char c : EdgesOfFieldValues()) {
    for (const std::string before : {"", "a"}) {
      for (const char* after : {"", "b"}) types.push_back(before + c + after);
    }
  }
  for (const std::string path :
       {"/v1/download/x", "/v1/downloads/x", "/v1/file/x", "/v1/files/x"}) {
    // Each with its own server, which takes only so many resets of calls.
    TestProxy proxy({}, {}, FilesDescriptors(), kFileRules);
    TestClient client(proxy.port());
    TestHttp2Client http2(proxy.port());
    for (const std::string& type : types) {
      const bool right = IsFieldValue(type);
      SCOPED_TRACE(path + testing::PrintToString(type.substr(0, 100)));
      const std::string body = HttpBodyWire(type, "evil");
      const std::string reply = ToHex(path.starts_with("/v1/file") ? Field(kFileTag, body) : body);
      if (reply.size() > 60'000) continue;  // more than the head of the test's request holds
      const Response responses[] = {client.Exchange(Get(path, "x-reply: " + reply + "\r\n")),
                                    http2.Exchange(path, {{"x-reply", reply}})};
      for (const Response& response : responses) {
        ASSERT_TRUE(response.complete);
        ASSERT_EQ(response.status, right ? 200 : 500) << response.body;
        EXPECT_FALSE(response.fields.contains("set-cookie"));
        EXPECT_EQ(response.body.starts_with(R"({"code":13,)"), !right) << response.body;
        if (right && !type.empty()) {
          EXPECT_EQ(response.fields.at("content-type"), type);
        }
      }
    }
  }
}

// Only the first body of a stream has a place for its type.
TEST(ServerTest, TheTypeOfALaterHttpBodyOfAStreamIsNothing) {
  TestProxy proxy({}, {}, FilesDescriptors(), kFileRules);
  TestClient client(proxy.port());
  TestHttp2Client http2(proxy.port());
  const auto file = [](const std::string& type, const std::string& data) {
    return ToHex(Field(kFileTag, HttpBodyWire(type, data)));
  };
  const std::string reply = file("a/b", "right") + ',' + file("a\r\nset-cookie: a=1", "evil");
  const Response responses[] = {client.Exchange(Get("/v1/files/x", "x-reply: " + reply + "\r\n")),
                                http2.Exchange("/v1/files/x", {{"x-reply", reply}})};
  for (const Response& response : responses) {
    EXPECT_TRUE(response.complete);
    EXPECT_EQ(response.fields.at("content-type"), "a/b");
    EXPECT_FALSE(response.fields.contains("set-cookie"));
    EXPECT_EQ(response.body, "rightevil");
  }
}

// It reaches the server as it is, or the request is refused.
TEST(ServerTest, AFieldOfARequestGoesOnAsItIsOrIsRefused) {
  TestProxy proxy;
  TestHttp2Client http2(proxy.port());
  for (const char c : EdgesOfFieldValues()) {
    if (c == '\r' || c == '\n') continue;  // ends a line of HTTP/1.1
    const std::string value = std::string("a") + c + "b";
    SCOPED_TRACE(testing::PrintToString(value));
    TestClient client(proxy.port());
    const int first = client.Exchange(Get("/v1/shelves/5", "x-v: " + value + "\r\n")).status;
    const int second = http2.Exchange("/v1/shelves/5", {{"x-v", value}}).status;
    EXPECT_EQ(first, IsFieldValue(value) ? 200 : 400);
    EXPECT_EQ(second, IsFieldValue(value) ? 200 : 0);
    for (const auto& call : proxy.echo().TakeCalls()) EXPECT_EQ(call.metadata.at("x-v"), value);
  }
}

TEST(ServerTest, FieldsThatConnectionNamesStayHere) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const std::string fields =
      "x-hop: v\r\nX-Other: w\r\nx-third: 3\r\nx-kept: k\r\n"
      "connection: x-hop ,, X-OTHER\r\nconnection: keep-alive,\tx-third\r\n";
  EXPECT_EQ(client.Exchange(Get("/v1/shelves/5", fields)).status, 200);
  const auto calls = proxy.echo().TakeCalls();
  ASSERT_EQ(calls.size(), 1u);
  for (const char* name : {"x-hop", "x-other", "x-third", "connection"}) {
    EXPECT_FALSE(calls[0].metadata.contains(name)) << name;
  }
  EXPECT_EQ(calls[0].metadata.at("x-kept"), "k");
}

TEST(ServerTest, ATransferCodingBesideChunkedIsRefused) {
  TestProxy proxy;
  for (const char* path : {"/v1/upload", "/v1/theme", "/v1/collect", "/nowhere"}) {
    for (const std::string coding :
         {"gzip, chunked", "chunked, gzip", "gzip\r\ntransfer-encoding: chunked", "gzip",
          "identity", "chunked, chunked", "xchunked", "gzip,\tchunked", "chunked;a=b"}) {
      TestClient client(proxy.port());
      const int status = client
                             .Exchange("POST " + std::string(path) +
                                       " HTTP/1.1\r\nhost: a\r\ntransfer-encoding: " + coding +
                                       "\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
                             .status;
      EXPECT_EQ(status, 501) << path << " " << coding;
    }
  }
  TestClient old(proxy.port());
  EXPECT_EQ(old.Exchange("POST /v1/theme HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
                         "2\r\n{}\r\n0\r\n\r\n")
                .status,
            400);
  EXPECT_EQ(proxy.echo().TakeCalls().size(), 0u);
}

TEST(ServerTest, RefusesAHeadThatSaysTwoThings) {
  TestProxy proxy;
  TestHttp2Client http2(proxy.port());
  struct Case {
    Fields fields;
    int status;
  };
  const Case cases[] = {
      {{{"content-type", "application/json"}, {"content-type", "text/plain"}}, 400},
      {{{"content-encoding", "identity"}, {"content-encoding", "gzip"}}, 415},
      {{{"content-encoding", "Identity"}}, 200},
      {{{"host", "b"}}, 400},
      {{{"host", "a"}}, 200},
  };
  for (const Case& each : cases) {
    std::string lines;
    for (const auto& [name, value] : each.fields) lines += name + ": " + value + "\r\n";
    SCOPED_TRACE(lines);
    EXPECT_EQ(http2.Exchange("/v1/theme", each.fields, "{}").status, each.status);
    if (lines.starts_with("host")) continue;
    TestClient client(proxy.port());
    EXPECT_EQ(client
                  .Exchange("POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n" + lines +
                            "\r\n{}")
                  .status,
              each.status);
  }
  for (const char* host : {"a b", "a\"b", "a/b", "a?b", "a\tb", "a,b\\"}) {
    TestClient client(proxy.port());
    EXPECT_EQ(
        client.Exchange("GET /v1/shelves/5 HTTP/1.1\r\nhost: " + std::string(host) + "\r\n\r\n")
            .status,
        400)
        << host;
  }
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(Post("/v1/upload", "x", "content-type: text/\xe9\r\n")).status, 400);
  EXPECT_EQ(http2.Exchange("/v1/upload", {{"content-type", "text/\xe9"}}, "x").status, 415);
}

TEST(ServerTest, LargeHeadsArriveOrAreRefused) {
  TestProxy proxy;
  TestHttp2Client http2(proxy.port());
  for (const size_t size : {size_t{10'000}, size_t{65'300}, size_t{65'530}, size_t{70'000}}) {
    SCOPED_TRACE(size);
    const std::string value(size, 'v');
    const int status = size < 65'500 ? 200 : 431;
    TestClient client(proxy.port());
    EXPECT_EQ(client.Exchange(Get("/v1/shelves/5", "x-v: " + value + "\r\n")).status, status);
    EXPECT_EQ(http2.Exchange("/v1/shelves/5", {{"x-v", value}}).status, status);
    EXPECT_EQ(http2.Exchange("/v1/shelves/5", {{"x-reply-header", value}}).status, status);
  }
  // The head of the answer is larger than that of the request, and than its limit.
  const Response large =
      http2.Exchange("/v1/shelves/5", {{"x-reply-header", std::string(65'480, 'v')}});
  EXPECT_EQ(large.status, 500);
  EXPECT_NE(large.body.find("the metadata of the server is too large"), std::string::npos);
  Fields small;
  std::string lines;
  for (int i = 0; i < 3000; ++i) {
    small.emplace_back("a", "");
    lines += "a:\r\n";
  }
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(Get("/v1/shelves/5", lines)).status, 431);
  EXPECT_EQ(http2.Exchange("/v1/shelves/5", small).status, 431);
}

TEST(ServerTest, ContinuesAClientOfHttp2ThatWaitsForIt) {
  TestProxy proxy;
  TestHttp2Client client(proxy.port());
  const Fields fields = {{"content-type", "application/json"}, {"expect", "100-continue"}};
  const Response response = client.Exchange("/v1/theme", fields, R"({"name":"x"})");
  EXPECT_EQ(response.fields.at(":status"), "100");  // the first
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(client.Exchange("/nowhere", fields, "{}").fields.at(":status"), "404");
}

TEST(ServerTest, AnHttpBodyWithoutAMessageHasNoType) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const Response response = client.Exchange(Get("/v1/downloads/x", "x-reply: none\r\n"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  EXPECT_FALSE(response.fields.contains("content-type"));
}

TEST(ServerTest, PassesOverEmptyLinesBeforeARequest) {
  TestProxy proxy;
  for (const std::string lines : {"\r\n", "\r\n\r\n"}) {
    const std::string request = lines + std::string(kGet) + lines + std::string(kGet) + lines;
    for (size_t cut = 0; cut <= request.size(); ++cut) {
      TestClient client(proxy.port());
      client.Send(std::string_view(request).substr(0, cut));
      client.Send(std::string_view(request).substr(cut));
      for (int i = 0; i < 2; ++i) ASSERT_EQ(client.Receive().status, 200) << cut;
    }
  }
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange("\rGET / HTTP/1.1\r\n\r\n").status, 400);
}

TEST(ServerTest, APartOfAMessageWithoutALengthHasALimit) {
  ServerOptions options;
  options.proxy.limits.header_bytes = 4096;
  TestProxy proxy(options);
  const std::string head =
      "POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
      "transfer-encoding: chunked\r\n\r\n";
  const std::string endless(8192, 'a');
  for (const std::string& part :
       {"2;" + endless, "2\r\n{}\r\n0;x=" + endless, "2\r\n{}\r\n0\r\nx: " + endless,
        "2;a=\"" + endless, std::string(8192, '0')}) {
    TestClient client(proxy.port());
    client.Send(head + part);
    const int status = client.Receive().status;
    EXPECT_TRUE(status == 431 || status == 400) << status << " " << part.substr(0, 20);
    EXPECT_TRUE(client.Ended());
  }
  EXPECT_EQ(TestClient(proxy.port()).Exchange("GET /" + endless).status, 431);
}

// Time limits are for the whole part, whatever drips in meanwhile.
TEST(ServerTest, AHeadThatDripsEnds) {
  ServerOptions options;
  options.proxy.limits.header_time = std::chrono::milliseconds(200);
  options.proxy.limits.idle_time = std::chrono::milliseconds(300);
  TestProxy proxy(options);
  // HEADERS of stream 1 without END_HEADERS, and then parts of a CONTINUATION.
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + FromHex("000000040000000000");
  const std::string headers = FromHex("00000101000000000182");
  const std::string starts[] = {"GET / HTTP/1.1\r\nx: ", "", "PRI", preface + headers};
  const std::string drips[] = {"a", "\r\n", "", FromHex("000000090000000001")};
  for (size_t i = 0; i < std::size(starts); ++i) {
    SCOPED_TRACE(i);
    TestClient client(proxy.port());
    client.Send(starts[i]);
    std::atomic<bool> ended{false};
    std::thread reader([&] { ended = client.Ended(); });
    EXPECT_TRUE(Eventually([&] {
      client.Send(drips[i]);
      return ended.load();
    }));
    reader.join();
  }
}

// --- servers that go away ---

// A server that says what it is told, of the first call of each connection.
class RawServer {
 public:
  RawServer() : listener_(Listen(*ResolveAddress("127.0.0.1:0")).value()) {}
  ~RawServer() { close(listener_); }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  ServerOptions options() const {
    ServerOptions proxied;
    proxied.upstream = "127.0.0.1:" + std::to_string(PortOf(listener_));
    return proxied;
  }
  // Takes a call on a new connection, says `words`, and closes its side if it `leaves`. Returns
  // when the proxy has closed its own.
  void Serve(const std::string& words, bool leaves) const {
    pollfd ready{listener_, POLLIN, 0};
    poll(&ready, 1, 10'000);
    const int fd = accept(listener_, nullptr, nullptr);
    const timeval patience{20, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_TRUE(ReadCall(fd));
    EXPECT_EQ(send(fd, words.data(), words.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words.size()));
    if (leaves) shutdown(fd, SHUT_WR);
    char rest[4096];
    ssize_t got = 0;
    while ((got = recv(fd, rest, sizeof rest, 0)) > 0) {
    }
    EXPECT_TRUE(got == 0 || errno == ECONNRESET) << errno;
    close(fd);
  }

 private:
  // Reads the preface, and frames to the DATA that ends the call.
  static bool ReadCall(int fd) {
    std::string in;
    const auto has = [&](size_t size) {
      char bytes[4096];
      while (in.size() < size) {
        const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
        if (got <= 0) return false;
        in.append(bytes, static_cast<size_t>(got));
      }
      return true;
    };
    for (size_t at = 24; has(at + 9);) {
      const auto byte = [&](size_t i) { return static_cast<uint8_t>(in[at + i]); };
      if (byte(3) == kData && (byte(4) & kEndStream) != 0) return true;
      at += size_t{9} + (byte(0) << 16 | byte(1) << 8 | byte(2));
    }
    return false;
  }

  int listener_;
};

// What a server says, and what of the first call: a head, a message, trailers.
const std::string kBegins = Frame(kSettings, 0, 0, "");
const std::string kReplyHead =
    Frame(kHeaders, kEndHeaders, 1, FromHex("880f1010") + "application/grpc");
const std::string kReplyMessage = Frame(kData, 0, 1, FromHex("00000000021005"));
const std::string kReplyEnd =
    Frame(kHeaders, kEndHeaders | kEndStream, 1, FromHex("000b") + "grpc-status" + FromHex("0130"));
// It goes, and takes no call, or the first one and no more.
const std::string kGoes = Frame(kGoaway, 0, 0, FromHex("0000000000000000"));
const std::string kGoesBehindTheFirst = Frame(kGoaway, 0, 0, FromHex("0000000100000000"));

TEST(ServerTest, AServerThatClosesTheConnectionIs503) {
  for (const std::string& words :
       {std::string(), kBegins, kBegins + kReplyHead, kBegins + kReplyHead + kReplyMessage,
        kBegins + kGoes, kBegins + kGoesBehindTheFirst,
        kBegins + kGoesBehindTheFirst + kReplyHead}) {
    SCOPED_TRACE(testing::PrintToString(words));
    const RawServer upstream;
    TestProxy proxy(upstream.options());
    std::thread server([&] { upstream.Serve(words, true); });
    const Response response = TestClient(proxy.port()).Exchange(kGet);
    server.join();
    EXPECT_EQ(response.status, 503);
    EXPECT_TRUE(response.body.starts_with(R"({"code":14,)")) << response.body;
  }
}

// Behind the first message of a stream it is the last element.
TEST(ServerTest, AServerThatClosesTheConnectionCutsAStreamShort) {
  const RawServer upstream;
  TestProxy proxy(upstream.options());
  std::thread server([&] {
    upstream.Serve(kBegins + kReplyHead + Frame(kData, 0, 1, FromHex("000000000512036f6e65")),
                   true);
  });
  const Response response = TestClient(proxy.port()).Exchange(Get("/v1/stream/a"));
  server.join();
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.complete);
  EXPECT_TRUE(response.body.starts_with(R"([{"name":"one"},{"error":{"code":14,)"))
      << response.body;
}

// A call that it does not take is 503, one that it takes is answered. The next one has another
// connection, and the proxy closes this one.
TEST(ServerTest, AServerThatSaysGoawayGetsNoMoreCalls) {
  const RawServer upstream;
  TestProxy proxy(upstream.options());
  const std::string answered =
      kBegins + kGoesBehindTheFirst + kReplyHead + kReplyMessage + kReplyEnd;
  std::thread server([&] {
    for (const std::string& words : {answered, kBegins + kGoes, answered})
      upstream.Serve(words, false);
  });
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(kGet).body, R"({"shelfId":"5"})");
  EXPECT_EQ(client.Exchange(kGet).status, 503);
  EXPECT_EQ(client.Exchange(kGet).body, R"({"shelfId":"5"})");
  server.join();
}

TEST(ServerTest, ARefusedRequestDoesNotReachTheServer) {
  TestProxy proxy;
  // The rule has no body, so the request is refused while its body is read.
  for (int i = 0; i < 20; ++i) {
    TestClient client(proxy.port());
    EXPECT_EQ(client.Exchange(Post("/v1/archive/x", "{}")).status, 400);
    EXPECT_TRUE(client.Ended());
  }
  TestClient client(proxy.port());
  client.Exchange(kGet);
  EXPECT_EQ(proxy.echo().TakeCalls().size(), 1u);
}

TEST(ServerTest, A405NamesTheMethods) {
  TestProxy proxy;
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(Get("/v1/theme")).fields.at("allow"), "POST");
}

TEST(ServerTest, AServerThatIsNotThereIs503) {
  ServerOptions options;
  options.upstream = TestProxy::UnusedAddress();
  TestProxy proxy(options);
  TestClient client(proxy.port());
  const Response response = client.Exchange(kGet);
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.body.starts_with(R"({"code":14,)")) << response.body;
}

TEST(ServerTest, ADeadlineThatPassesIs504AndCancelsTheCall) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const Response response =
      client.Exchange(Get("/v1/shelves/5", "grpc-timeout: 50m\r\nx-hang: 1\r\n"));
  EXPECT_EQ(response.status, 504);
  EXPECT_TRUE(Eventually([&] { return proxy.echo().cancelled() == 1; }));
  EXPECT_TRUE(proxy.echo().TakeCalls().at(0).metadata.contains("grpc-timeout"));
}

TEST(ServerTest, ANumberWithASignIsNone) {
  TestProxy proxy;
  TestClient client(proxy.port());
  EXPECT_EQ(client.Exchange(Get("/v1/shelves/5", "grpc-timeout: -0S\r\n")).status, 200);
  for (const char* sign : {"-0", "-5"}) {
    const Response response =
        client.Exchange(Get("/v1/shelves/5", std::string("x-status: ") + sign + "\r\n"));
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.fields.at("grpc-status"), "2");
  }
}

TEST(ServerTest, AClientThatGoesAwayCancelsTheCall) {
  TestProxy proxy;
  TestClient client(proxy.port());
  client.Send(Get("/v1/shelves/5", "x-hang: 1\r\n"));
  ASSERT_TRUE(Eventually([&] { return !proxy.echo().TakeCalls().empty(); }));
  client.Close();
  EXPECT_TRUE(Eventually([&] { return proxy.echo().cancelled() == 1; }));
}

TEST(ServerTest, ASlowReaderGetsAllOfALongStream) {
  TestProxy proxy;
  TestClient client(proxy.port(), 4096);
  constexpr int kMessages = 20'000;
  const std::string name(100, '7');
  std::string hex = "1264";
  for (int i = 0; i < 100; ++i) hex += "37";
  client.Send(Get("/v1/stream/a",
                  "x-reply: " + hex + "\r\nx-repeat: " + std::to_string(kMessages) + "\r\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Response response = client.Receive();
  EXPECT_TRUE(response.complete);
  const std::string one = "{\"name\":\"" + name + "\"}";
  EXPECT_EQ(response.body.size(), 1 + kMessages * (one.size() + 1));
}

TEST(ServerTest, LargeBodiesGoThroughWhole) {
  TestProxy proxy;
  TestClient client(proxy.port());
  const std::string body = "{\"name\":\"" + std::string(5'000'000, 'x') + "\"}";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Exchange(Post("/v1/theme", body)).body, body);
}

TEST(ServerTest, AnAnswerBeforeTheEndOfTheRequestArrives) {
  TestProxy proxy;
  TestClient client(proxy.port());
  client.Send(
      "POST /v1/bidi HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nx-early: 1\r\n"
      "x-reply: 12036f6e65\r\ntransfer-encoding: chunked\r\n\r\nd\r\n[{\"name\":\"a\"}\r\n");
  const Response response = client.Receive();
  EXPECT_EQ(response.body, R"([{"name":"one"}])");
  EXPECT_TRUE(response.complete);
}

TEST(ServerTest, SeveralThreadsServeManyConnections) {
  ServerOptions options;
  options.threads = 3;
  TestProxy proxy(options);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      TestClient client(proxy.port());
      for (int i = 0; i < 50; ++i) right += client.Exchange(kGet).body == R"({"shelfId":"5"})";
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

TEST(ServerTest, ClientsAboveTheBoundWaitUntilOneEnds) {
  ServerOptions options;
  options.max_connections = 2;
  TestProxy proxy(options);
  auto http2 = std::make_unique<TestHttp2Client>(proxy.port());
  EXPECT_EQ(http2->Exchange("/v1/shelves/5").status, 200);
  TestClient second(proxy.port());
  EXPECT_EQ(second.Exchange(kGet).status, 200);
  TestClient third(proxy.port()), fourth(proxy.port());
  third.Send(kGet);
  fourth.Send(kGet);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(third.Readable());
  EXPECT_FALSE(fourth.Readable());
  EXPECT_EQ(second.Exchange(kGet).status, 200);
  http2.reset();
  EXPECT_EQ(third.Receive().status, 200);
  second.Close();
  EXPECT_EQ(fourth.Receive().status, 200);
}

TEST(ServerTest, ShutdownLetsARequestEndAndStopsAccepting) {
  ServerOptions options;
  options.drain_time = std::chrono::seconds(5);
  TestProxy proxy(options);
  TestClient idle(proxy.port());
  TestClient client(proxy.port());
  client.Send(Get("/v1/shelves/5", "x-hang: 1\r\ngrpc-timeout: 300m\r\n"));
  ASSERT_TRUE(Eventually([&] { return !proxy.echo().TakeCalls().empty(); }));
  proxy.server().Shutdown();
  const Response response = client.Receive();
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(response.fields.at("connection"), "close");
  EXPECT_TRUE(idle.Ended());
}

TEST(ServerTest, TheAdminListenerHasHealthAndRoutes) {
  ServerOptions options;
  options.admin = ":0";
  TestProxy proxy(options);
  TestClient client(proxy.server().admin_port());
  EXPECT_EQ(client.Exchange(Get("/healthz")).body, "{\"status\":\"SERVING\"}\n");
  EXPECT_NE(client.Exchange(Get("/debug/routes")).body.find("/tc.v1.Library/GetShelf"),
            std::string::npos);
  EXPECT_EQ(client.Exchange(Get("/elsewhere")).status, 404);
}

TEST(AddressTest, SaysWhatAnAddressLooksLike) {
  EXPECT_EQ(ResolveAddress(":80")->text, "127.0.0.1:80");
  const auto wrong = ResolveAddress("80");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().expected, "host:port, :port, *:port or [ipv6]:port");
}

}  // namespace
}  // namespace transcode::server
