// What a client may do to the others: the memory that all share, and the time of the event loop.

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/buffer.h"
#include "server/acceptor.h"
#include "server/connection.h"
#include "server/test_support.h"

namespace transcode::server {
namespace {

constexpr std::string_view kGet = "GET /v1/shelves/5 HTTP/1.1\r\nhost: a\r\n\r\n";
constexpr size_t kMiB = size_t{1} << 20;
// The bound of these tests. Idle buffers keep up to 32 MiB.
constexpr size_t kMemory = 40 * kMiB;
// What one step may add once the bound is reached: a body that grows, its message.
constexpr size_t kStep = 16 * kMiB;

bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

ServerOptions Bounded() {
  ServerOptions options;
  options.proxy.limits.memory_bytes = kMemory;
  return options;
}

std::string PostHead(size_t length) {
  return "POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: "
         "application/json\r\ncontent-length: " +
         std::to_string(length) + "\r\n\r\n";
}

std::string Theme(size_t size) { return "{\"name\":\"" + std::string(size, 'x') + "\"}"; }

// A stream of messages in chunks, and its parts.
const std::string kBidiHead =
    "POST /v1/bidi HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
    "transfer-encoding: chunked\r\n\r\n";
const std::string kOpen = "1\r\n[\r\n";
const std::string kMessage = "c\r\n{\"name\":\"a\"}\r\n";
const std::string kEnd = "1\r\n]\r\n0\r\n\r\n";

void ExpectServed(const TestProxy& proxy) {
  EXPECT_EQ(TestClient(proxy.port()).Exchange(kGet).body, R"({"shelfId":"5"})");
}

// --- HTTP/2 frame by frame ---

// One client that says what it likes, and counts what comes.
class RawHttp2 {
 public:
  explicit RawHttp2(uint16_t port, int receive_buffer = 0) : client_(port, receive_buffer) {
    Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(kSettings, 0, 0, ""));
    while (Count(kSettings) == 0) in_ += client_.ReceiveSome();
    Send(Frame(kSettings, kAck, 0, ""));
  }
  bool Send(std::string_view bytes) { return client_.Send(bytes); }
  // How many frames of a type, with these flags, have come. Does not wait.
  size_t Count(uint8_t type, uint8_t flags = 0) { return Sizes(type, flags).size(); }
  // The bytes that these frames hold, frame by frame. Does not wait.
  std::vector<size_t> Sizes(uint8_t type, uint8_t flags = 0) {
    while (client_.Readable()) {
      const std::string some = client_.ReceiveSome();
      if (some.empty()) break;
      in_ += some;
    }
    std::vector<size_t> sizes;
    for (size_t at = 0; at + 9 <= in_.size();) {
      size_t size = 0;
      for (size_t i = 0; i < 3; ++i) size = size << 8 | static_cast<uint8_t>(in_[at + i]);
      const bool flagged = (static_cast<uint8_t>(in_[at + 4]) & flags) == flags;
      if (static_cast<uint8_t>(in_[at + 3]) == type && flagged) sizes.push_back(size);
      at += 9 + size;
    }
    return sizes;
  }
  TestClient& client() { return client_; }

 private:
  TestClient client_;
  std::string in_;
};

// :method, :scheme http, :authority a.
const std::string kGetFields = FromHex("828684010161");
const std::string kPostFields = FromHex("8386010161") + "\x04\x09/v1/theme" +
                                std::string("\x0f\x10\x10", 3) + "application/json";
const std::string kGrpcFields =
    FromHex("8386010161") + "\x04\x06/a.B/C" + std::string("\x0f\x10\x10", 3) + "application/grpc";
const std::string kBidiFields = FromHex("8386010161") + "\x04\x08/v1/bidi" +
                                std::string("\x0f\x10\x10", 3) + "application/json";
// A field of 4 kB that goes into the table of the connection, and the byte that stands for it.
const std::string kLargeField = FromHex("4001787fa11e") + std::string(4000, 'v');
constexpr char kReference = '\xbe';

TEST(HostileTest, UnfinishedBodiesTogetherHaveABound) {
  TestProxy proxy(Bounded());
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 48; ++i) {
    clients.push_back(std::make_unique<TestClient>(proxy.port()));
    clients.back()->Send(PostHead(3 * kMiB) + "{\"name\":\"");
  }
  const std::string piece(kMiB / 2, 'x');
  for (int round = 0; round < 4; ++round) {
    for (const auto& client : clients) {
      if (!client->Readable()) client->Send(piece);
    }
  }
  ExpectServed(proxy);
  EXPECT_LE(Buffer::InUse(), kMemory + kStep);
  int refused = 0;
  EXPECT_TRUE(Eventually([&] {
    for (const auto& client : clients) {
      if (!client->Readable()) continue;
      const Response response = client->Receive();
      if (response.status == 0) continue;
      EXPECT_EQ(response.status, 503);
      EXPECT_TRUE(response.body.starts_with(R"({"code":14,)")) << response.body;
      ++refused;
    }
    return refused > 0;
  }));
  EXPECT_LT(refused, 48);
  clients.clear();
  EXPECT_TRUE(Eventually([] { return Buffer::InUse() <= 33 * kMiB; })) << Buffer::InUse();
  const std::string body = Theme(2 * kMiB);
  EXPECT_EQ(TestClient(proxy.port()).Exchange(PostHead(body.size()) + body).body, body);
}

TEST(HostileTest, UnfinishedBodiesOfStreamsHaveTheSameBound) {
  TestProxy proxy(Bounded());
  RawHttp2 client(proxy.port());
  const std::string piece(16'000, 'x');
  constexpr int kStreams = 100;
  for (uint32_t i = 0; i < kStreams; ++i) {
    client.Send(Frame(kHeaders, kEndHeaders, 2 * i + 1, kPostFields) +
                Frame(kData, 0, 2 * i + 1, "{\"name\":\""));
    for (int k = 0; k < 60; ++k) client.Send(Frame(kData, 0, 2 * i + 1, piece));
  }
  EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders) > 0; }));
  EXPECT_LT(client.Count(kHeaders), kStreams);
  ExpectServed(proxy);
  EXPECT_LE(Buffer::InUse(), kMemory + kStep);
  client.client().Close();
  EXPECT_TRUE(Eventually([] { return Buffer::InUse() <= 33 * kMiB; })) << Buffer::InUse();
}

TEST(HostileTest, AnswersThatNobodyReadsHaveTheSameBound) {
  TestProxy proxy(Bounded());
  const std::string body = Theme(6 * kMiB);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<TestClient>(proxy.port(), 1 << 16));
    clients.back()->Send(PostHead(body.size()) + body);
    EXPECT_TRUE(Eventually([&] { return clients.back()->Readable(); }));
    EXPECT_LE(Buffer::InUse(), kMemory + kStep);
  }
  ExpectServed(proxy);
  int whole = 0, refused = 0;
  for (const auto& client : clients) {
    const Response response = client->Receive();
    whole += response.status == 200 && response.body == body ? 1 : 0;
    refused += response.status == 503 || response.status == 0 ? 1 : 0;
    client->Close();
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(whole + refused, 16);
  EXPECT_TRUE(Eventually([] { return Buffer::InUse() <= 33 * kMiB; })) << Buffer::InUse();
}

TEST(HostileTest, CallsThatPassThroughToAServerThatDoesNotReadHaveTheSameBound) {
  const auto loopback = ResolveAddress("127.0.0.1:0");
  const auto silent = Listen(*loopback);
  ServerOptions options = Bounded();
  options.upstream = "127.0.0.1:" + std::to_string(PortOf(*silent));
  TestProxy proxy(options);
  RawHttp2 client(proxy.port());
  const std::string piece(16'000, 'x');
  constexpr int kStreams = 200;
  for (uint32_t i = 0; i < kStreams; ++i) {
    client.Send(Frame(kHeaders, kEndHeaders, 2 * i + 1, kGrpcFields));
    for (int k = 0; k < 20; ++k) client.Send(Frame(kData, 0, 2 * i + 1, piece));
  }
  EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders) > 0; }));
  EXPECT_LT(client.Count(kHeaders), kStreams);
  EXPECT_LE(Buffer::InUse(), kMemory + kStep);
  client.client().Close();
  EXPECT_TRUE(Eventually([] { return Buffer::InUse() <= 33 * kMiB; })) << Buffer::InUse();
  close(*silent);
}

TEST(HostileTest, AnswersThatPassThroughAndNobodyReadsHaveTheSameBound) {
  TestProxy proxy(Bounded());
  RawHttp2 client(proxy.port());  // its window is 64 kB, until all calls are under way
  const std::string repeated = std::string("\0\x08x-repeat\x02", 11) + "32";
  const std::string message = std::string("\0\0\0\x1e\xdc", 5) + std::string(7900, 'x');
  constexpr uint32_t kStreams = 200;  // of 253 kB each, which the server is not kept from sending
  for (uint32_t i = 0; i < kStreams; ++i) {
    client.Send(Frame(kHeaders, kEndHeaders, 2 * i + 1, kGrpcFields + repeated) +
                Frame(kData, kEndStream, 2 * i + 1, message));
    EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders) > i; }));
    EXPECT_LE(Buffer::InUse(), kMemory + kStep);
  }
  ExpectServed(proxy);
  // Once its windows are open every answer ends, also where one opened while the socket was full.
  client.Send(Frame(kWindowUpdate, 0, 0, FromHex("7f000000")));
  for (uint32_t i = 0; i < kStreams; ++i) {
    client.Send(Frame(kWindowUpdate, 0, 2 * i + 1, FromHex("00100000")));
  }
  EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders, kEndStream) == kStreams; }));
  const std::vector<size_t> data = client.Sizes(kData);
  const size_t whole = kStreams * 32 * message.size();
  EXPECT_LT(std::accumulate(data.begin(), data.end(), size_t{0}), whole);
  client.client().Close();
  EXPECT_TRUE(Eventually([] { return Buffer::InUse() <= 33 * kMiB; })) << Buffer::InUse();
}

// Time limits are for the whole body, whatever drips in meanwhile.
TEST(HostileTest, ABodyThatDripsEnds) {
  ServerOptions options;
  options.proxy.limits.body_time = std::chrono::milliseconds(200);
  TestProxy proxy(options);
  TestClient first(proxy.port());
  first.Send(PostHead(1000) + "{\"name\":\"");
  TestClient stream(proxy.port());
  stream.Send(
      "POST /v1/bidi HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
      "transfer-encoding: chunked\r\n\r\n1\r\n[\r\n");
  RawHttp2 second(proxy.port());
  second.Send(Frame(kHeaders, kEndHeaders, 1, kPostFields));
  EXPECT_TRUE(Eventually([&] {
    first.Send("x");
    second.Send(Frame(kData, 0, 1, " "));
    return first.Readable() && second.Count(kHeaders) == 1;
  }));
  const Response response = first.Receive();
  EXPECT_EQ(response.status, 408);
  EXPECT_TRUE(response.body.starts_with(R"({"code":4,)")) << response.body;
  // A stream of messages has no end that it must come to.
  EXPECT_FALSE(stream.Readable());
  stream.Send("d\r\n{\"name\":\"a\"}]\r\n0\r\n\r\n");
  EXPECT_EQ(stream.Receive().body, R"([{"name":"a"}])");
}

// A stream of messages may be long, but something of it must come or go.
TEST(HostileTest, ARequestOfWhichNothingMovesEnds) {
  ServerOptions options;
  options.proxy.limits.stream_idle_time = std::chrono::milliseconds(1500);
  TestProxy proxy(options);
  TestClient unsent(proxy.port()), sent(proxy.port()), waiting(proxy.port()), moving(proxy.port());
  unsent.Send(kBidiHead + kOpen);
  sent.Send(kBidiHead + kOpen + kMessage);  // there is a call of it
  waiting.Send("GET /v1/stream/5 HTTP/1.1\r\nhost: a\r\nx-hang: 1\r\n\r\n");
  moving.Send(kBidiHead + kOpen);
  RawHttp2 second(proxy.port());
  second.Send(Frame(kHeaders, kEndHeaders, 1, kBidiFields) + Frame(kData, 0, 1, "[") +
              Frame(kHeaders, kEndHeaders, 3, kGrpcFields));
  const auto all_ended = [&] {
    return unsent.Readable() && sent.Readable() && waiting.Readable() &&
           second.Count(kHeaders) == 2;
  };
  EXPECT_TRUE(Eventually([&] {
    moving.Send("1\r\n \r\n");
    // What a connection is kept alive by moves no request.
    second.Send(Frame(kPing, 0, 0, "12345678") + Frame(kData, 0, 1, ""));
    return all_ended();
  }));
  for (TestClient* client : {&unsent, &sent}) {
    const Response response = client->Receive();
    EXPECT_EQ(response.status, 408);
    EXPECT_TRUE(response.body.starts_with(R"({"code":4,)")) << response.body;
  }
  EXPECT_EQ(waiting.Receive().status, 504);
  EXPECT_TRUE(Eventually([&] { return proxy.echo().cancelled() == 3; }));
  EXPECT_FALSE(moving.Readable());
  moving.Send(kMessage + kEnd);
  EXPECT_EQ(moving.Receive().body, R"([{"name":"a"}])");
}

// More of it than is kept here: the server waits, and only the client moves.
TEST(HostileTest, AnAnswerThatIsTakenSlowlyGoesOn) {
  ServerOptions options;
  options.proxy.limits.stream_idle_time = std::chrono::milliseconds(1000);
  TestProxy proxy(options);
  RawHttp2 client(proxy.port());
  const std::string repeated = std::string("\0\x08x-repeat\x03", 11) + "200";
  const std::string message = std::string("\0\0\0\x1e\xdc", 5) + std::string(7900, 'x');
  client.Send(Frame(kWindowUpdate, 0, 0, FromHex("00400000")) +
              Frame(kHeaders, kEndHeaders, 1, kGrpcFields + repeated) +
              Frame(kData, kEndStream, 1, message));
  for (int i = 0; i < 30; ++i) {
    client.Send(Frame(kWindowUpdate, 0, 1, FromHex("00000100")));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  client.Send(Frame(kWindowUpdate, 0, 1, FromHex("00400000")));
  EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders, kEndStream) == 1; }));
  const std::vector<size_t> data = client.Sizes(kData);
  EXPECT_EQ(std::accumulate(data.begin(), data.end(), size_t{0}), 200 * message.size());
  EXPECT_EQ(client.Count(kReset), 0u);
}

TEST(HostileTest, ALimitOfZeroEndsNoSilentRequest) {
  ServerOptions options;
  options.proxy.limits.stream_idle_time = std::chrono::milliseconds(0);
  TestProxy proxy(options);
  TestClient client(proxy.port());
  client.Send(kBidiHead + kOpen);
  EXPECT_FALSE(client.Ended(std::chrono::milliseconds(2500)));  // two looks at the time
  client.Send(kMessage + kEnd);
  EXPECT_EQ(client.Receive().body, R"([{"name":"a"}])");
}

// What has no length in the body of a stream has the time of a head.
TEST(HostileTest, ChunkLinesAndTrailersThatDripEnd) {
  ServerOptions options;
  options.proxy.limits.header_time = std::chrono::milliseconds(500);
  TestProxy proxy(options);
  TestClient line(proxy.port()), trailers(proxy.port()), between(proxy.port());
  line.Send(kBidiHead + kOpen + "d;");
  trailers.Send(kBidiHead + kOpen + kMessage + "1\r\n]\r\n0\r\nx: ");
  between.Send(kBidiHead + kOpen);
  RawHttp2 second(proxy.port());
  const std::string field = std::string("\0\x03x-a\x7f\x80\x07", 8) + std::string(1023, 'v');
  const std::string last = Frame(kContinuation, kEndHeaders, 1, field);
  second.Send(Frame(kHeaders, kEndHeaders, 1, kBidiFields) + Frame(kData, 0, 1, "[") +
              Frame(kHeaders, kEndStream, 1, "") + last.substr(0, 17));
  bool second_ended = false;
  EXPECT_TRUE(Eventually([&] {
    line.Send("a");
    trailers.Send("a");
    second_ended = second_ended || !second.Send("v");
    return line.Readable() && trailers.Readable() && second_ended;
  }));
  EXPECT_EQ(line.Receive().status, 408);
  EXPECT_EQ(trailers.Receive().status, 408);
  EXPECT_FALSE(between.Readable());
  between.Send(kMessage + kEnd);
  EXPECT_EQ(between.Receive().body, R"([{"name":"a"}])");
}

// Whoever comes when all places are taken has the place of the one who is silent the longest.
TEST(HostileTest, SilentClientsMakeRoomForOthers) {
  for (const int threads : {1, 2}) {
    ServerOptions options;
    options.threads = threads;
    options.max_connections = 5;
    options.proxy.limits.header_time = std::chrono::milliseconds(1000);
    options.proxy.limits.stream_idle_time = std::chrono::milliseconds(0);
    TestProxy proxy(options);
    TestClient moving(proxy.port());
    moving.Send(kBidiHead + kOpen);
    RawHttp2 second(proxy.port());
    const std::string request =
        Frame(kHeaders, kEndHeaders, 1, kBidiFields) + Frame(kData, 0, 1, "[");
    second.Send(request);
    const std::string starts[] = {
        kBidiHead + kOpen, "",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(kSettings, 0, 0, "") + request};
    std::vector<std::unique_ptr<TestClient>> silent;
    for (size_t i = 0; i < 9; ++i) {
      silent.push_back(std::make_unique<TestClient>(proxy.port()));
      silent.back()->Send(starts[i % 3]);
    }
    TestClient other(proxy.port());
    other.Send(kGet);
    EXPECT_TRUE(Eventually([&] {
      moving.Send("1\r\n \r\n");
      second.Send(Frame(kData, 0, 1, " "));
      return other.Readable();
    }));
    EXPECT_EQ(other.Receive().status, 200);
    second.Send(Frame(kData, kEndStream, 1, "{\"name\":\"a\"}]"));
    const std::vector<size_t> answer{14};  // [{"name":"a"}]
    EXPECT_TRUE(Eventually([&] { return second.Sizes(kData) == answer; }));
    EXPECT_FALSE(moving.Readable());
    moving.Send(kMessage + kEnd);
    EXPECT_EQ(moving.Receive().body, R"([{"name":"a"}])");
  }
}

TEST(HostileTest, AConnectionThatGoesOnHasNotEnded) {
  const auto loopback = ResolveAddress("127.0.0.1:0");
  const auto silent = Listen(*loopback);
  TestClient client(PortOf(*silent));
  EXPECT_FALSE(client.Ended(std::chrono::milliseconds(100)));
  close(*silent);
  EXPECT_TRUE(client.Ended());
}

TEST(HostileTest, AnAnswerThatIsNotTakenEnds) {
  ServerOptions options;
  options.proxy.limits.idle_time = std::chrono::milliseconds(500);
  TestProxy proxy(options);
  const std::string body = Theme(8 * kMiB);
  TestClient first(proxy.port(), 1 << 16);
  first.Send(PostHead(body.size()) + body);
  EXPECT_TRUE(Eventually([&] { return first.Readable(); }));
  RawHttp2 second(proxy.port());  // its window is 64 kB, and never opens
  second.Send(Frame(kHeaders, kEndHeaders, 1, kPostFields) +
              Frame(kData, kEndStream, 1, "{\"name\":\"" + std::string(8000, 'x') + "\"}"));
  for (uint32_t i = 1; i < 10; ++i) {
    second.Send(
        Frame(kHeaders, kEndHeaders, 2 * i + 1, kPostFields) +
        Frame(kData, kEndStream, 2 * i + 1, "{\"name\":\"" + std::string(12'000, 'x') + "\"}"));
  }
  EXPECT_TRUE(Eventually([&] { return second.Count(kReset) == 5; })) << second.Count(kReset);
  EXPECT_TRUE(Eventually([] { return Buffer::InUse() - Buffer::Kept() < 8 * kMiB; }));
  EXPECT_FALSE(first.Receive().complete);
}

class Writer final : public Connection {
 public:
  using Connection::Connection;
  using Connection::out;
  using Connection::Stalled;

 private:
  void OnBytes(std::string_view) override {}
};

TEST(HostileTest, OutputThatIsTakenSlowlyIsNotStalled) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  EventLoop loop;
  auto* writer = new Writer(loop, ends[0]);  // the loop's once it is closed
  writer->out().Append(std::string(8 * kMiB, 'x'));
  writer->OnFlush();
  const std::chrono::seconds limit(120);
  auto now = loop.now();
  std::string taken(kMiB, ' ');
  for (int step = 0; step < 5; ++step) {
    EXPECT_FALSE(writer->Stalled(now += limit, limit));
    EXPECT_FALSE(writer->Stalled(now += limit / 2, limit));
    ASSERT_GT(recv(ends[1], taken.data(), taken.size(), 0), 0);
    writer->OnEvents(EPOLLOUT);
    writer->OnFlush();
  }
  EXPECT_FALSE(writer->Stalled(now, limit));
  EXPECT_TRUE(writer->Stalled(now += limit, limit));
  writer->Close();
  close(ends[1]);
}

// Closing with unread input would reset the connection, and take the last answers from the client.
TEST(HostileTest, WhatComesBehindAGoawayResetsNothing) {
  TestProxy proxy;
  RawHttp2 client(proxy.port());
  client.Send(Frame(kGoaway, 0, 0, std::string(8, '\0')));
  EXPECT_TRUE(client.client().Ended());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.Send(Frame(kPing, 0, 0, "12345678")));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// Bytes that stand for kilobytes: too large for an answer, and the connection goes on.
TEST(HostileTest, AHeaderBlockOfReferencesIsCutShort) {
  TestProxy proxy;
  RawHttp2 client(proxy.port());
  client.Send(
      Frame(kHeaders, kEndHeaders | kEndStream, 1, kGetFields + kLargeField) +
      Frame(kHeaders, kEndHeaders | kEndStream, 3, kGetFields + std::string(16'000, kReference)) +
      Frame(kHeaders, kEndHeaders | kEndStream, 5, kGetFields));
  EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders) == 2; }));
  EXPECT_EQ(client.Count(kReset), 1u);
}

// 30 MB of fields in 10 kB of input are many turns: others are answered between them.
TEST(HostileTest, AClientTakesTurnsWithOthers) {
  TestProxy proxy;
  TestClient other(proxy.port());
  constexpr uint32_t kStreams = 250;
  bool between = false;
  for (int attempt = 0; attempt < 20 && !between; ++attempt) {
    RawHttp2 client(proxy.port());
    std::string attack = Frame(kHeaders, kEndHeaders | kEndStream, 1, kGetFields + kLargeField);
    for (uint32_t i = 1; i < kStreams; ++i) {
      attack += Frame(kHeaders, kEndHeaders | kEndStream, 2 * i + 1,
                      kGetFields + std::string(30, kReference));
    }
    client.Send(attack);
    EXPECT_EQ(other.Exchange(kGet).status, 200);
    between = client.Count(kHeaders) < kStreams;
    EXPECT_TRUE(Eventually([&] { return client.Count(kHeaders) == kStreams; }));
  }
  EXPECT_TRUE(between);
}

struct Flood {
  const char* name;
  bool ends;  // the connection, in place of what is cheap
  std::function<std::string(uint32_t)> frames;
};

TEST(HostileTest, FloodsOfFramesEndOrCostLittle) {
  const std::string request = kGetFields;
  const Flood floods[] = {
      {"PING", true, [](uint32_t) { return Frame(kPing, 0, 0, "12345678"); }},
      {"SETTINGS", true, [](uint32_t) { return Frame(kSettings, 0, 0, ""); }},
      {"HEADERS and RST_STREAM", true,
       [&](uint32_t i) {
         return Frame(kHeaders, kEndHeaders, 2 * i + 1, request) +
                Frame(kReset, 0, 2 * i + 1, FromHex("00000008"));
       }},
      {"empty CONTINUATION", true,
       [&](uint32_t i) {
         return i == 0 ? Frame(kHeaders, 0, 1, request) : Frame(kContinuation, 0, 1, "");
       }},
      {"requests without an end", true,
       [&](uint32_t i) { return Frame(kHeaders, kEndHeaders, 2 * i + 1, kPostFields); }},
      {"empty DATA", false,
       [&](uint32_t i) {
         return i == 0 ? Frame(kHeaders, kEndHeaders, 1, kPostFields) : Frame(kData, 0, 1, "");
       }},
      {"WINDOW_UPDATE", true,
       [](uint32_t) { return Frame(kWindowUpdate, 0, 0, FromHex("00100000")); }},
      {"PRIORITY", false,
       [](uint32_t i) { return Frame(kPriority, 0, 2 * i + 1, FromHex("0000000010")); }},
      {"unknown", false, [](uint32_t) { return Frame(kUnknown, 0, 0, ""); }},
  };
  TestProxy proxy;
  for (const Flood& flood : floods) {
    SCOPED_TRACE(flood.name);
    RawHttp2 client(proxy.port(), 4096);
    std::string frames;
    for (uint32_t i = 0; frames.size() < kMiB / 4 || i < 20'000; ++i) frames += flood.frames(i);
    for (int i = 0; i < 8; ++i) {
      client.Send(frames);
      ExpectServed(proxy);
    }
    EXPECT_LE(Buffer::InUse() - Buffer::Kept(), 4 * kMiB);
    if (flood.ends) {
      EXPECT_TRUE(client.client().Ended());
    }
  }
}

}  // namespace
}  // namespace transcode::server
