// The bytes that the server behind a proxy writes.

#include <array>
#include <optional>

#include "conformance/files.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/fields.h"
#include "conformance/fuzz/gateway.h"
#include "conformance/fuzz/http2_frames.h"
#include "conformance/fuzz/targets.h"
#include "conformance/fuzz/wire.h"
#include "conformance/streams.h"
#include "http/head.h"

namespace transcode::conformance {
namespace {

using server::Headers;

struct Request {
  const char* method;
  const char* target;
  const char* accept;
  std::string body;
  bool grpc = false;
};

const std::array<Request, 8>& Requests() {
  static const std::array<Request, 8> all = {{
      {"GET", "/v1/shelves/5", "*/*", ""},
      {"GET", "/v1/stream/a", "application/json", ""},
      {"GET", "/v1/stream/a", "application/x-ndjson", ""},
      {"GET", "/v1/stream/a", "text/event-stream", ""},
      {"GET", "/v1/download/a", "*/*", ""},
      {"GET", "/v1/downloads/a", "*/*", ""},
      {"POST", "/v1/bidi", "*/*", R"([{"name":"a"},{"name":"b"}])"},
      {"POST", "/tc.v1.Library/Bidi", "*/*", Frame("\x0a\x01z"), true},
  }};
  return all;
}

// A client that notes its answer, and aborts if it is told what no client may be told.
class Client final : public server::ClientStream {
 public:
  // `slow`: takes what it is sent when it is asked to.
  explicit Client(bool slow) : slow_(slow) {}

  void Ask(server::Proxy& proxy, const Request& request) {
    Headers fields;
    fields.Add("accept", request.accept);
    fields.Add("content-type", request.grpc ? "application/grpc" : "application/json");
    server::RequestHead head;
    head.method = request.method;
    head.target = request.target;
    head.authority = "a";
    head.peer = "client";
    head.fields = &fields;
    head.has_body = !request.body.empty();
    head.http2 = true;
    sink_ = proxy.OnRequest(head, *this);
    if (sink_ != nullptr && head.has_body) sink_->OnBody(request.body);
    if (sink_ != nullptr) sink_->OnBodyEnd();
  }

  // Takes what waits. False: nothing does.
  bool Drain() {
    if (unsent_ == 0) return false;
    unsent_ = 0;
    if (sink_ != nullptr) sink_->OnClientWritable();
    return true;
  }
  // Goes away if it has no answer yet.
  void Leave() {
    if (sink_ != nullptr) std::exchange(sink_, nullptr)->OnClientGone();
  }
  bool answered() const { return sink_ == nullptr; }
  bool moved() { return std::exchange(moved_, false); }
  const std::string& seen() const { return seen_; }

 private:
  void Respond(int status, const Headers& fields, Buffer& body) override {
    Head(status, fields);
    seen_ += body.view();
    End("");
  }
  void Start(int status, const Headers& fields) override { Head(status, fields); }
  void Write(std::string_view bytes) override {
    REQUIRE(started_ && !ended_, seen_);
    moved_ = true;
    seen_ += bytes;
    if (slow_) unsent_ += bytes.size();
  }
  void Finish(const Headers& trailers) override { End("\n" + Checked(trailers)); }
  void Abort() override { End("\naborted"); }
  size_t unsent() const override { return unsent_; }
  void Hold(bool) override {}

  void Head(int status, const Headers& fields) {
    REQUIRE(!started_ && !ended_, seen_);
    moved_ = started_ = true;
    seen_ += std::to_string(status) + "\n" + Checked(fields) + "\n";
  }
  void End(const std::string& how) {
    REQUIRE(started_ && !ended_, seen_);
    moved_ = ended_ = true;
    sink_ = nullptr;
    seen_ += how;
  }
  // What can be written into a head of HTTP/1.1 as it stands.
  static std::string Checked(const Headers& fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string_view forbidden("\r\n\0", 3);
      REQUIRE(IsToken(fields[i].name), ToHex(Text(fields)));
      REQUIRE(fields[i].value.find_first_of(forbidden) == std::string_view::npos,
              ToHex(Text(fields)));
    }
    return Text(fields);
  }

  bool slow_;
  server::RequestSink* sink_ = nullptr;
  bool started_ = false, ended_ = false, moved_ = false;
  size_t unsent_ = 0;
  std::string seen_;
};

struct Input {
  size_t first;  // of the requests
  bool two, raw, slow, leaves;
  size_t step;
  std::string_view bytes;
};

// The answers that clients get when the server writes `bytes` in pieces and ends.
std::string AnswersTo(const Input& input, std::string_view bytes, const std::vector<size_t>& cuts) {
  server::EventLoop loop;
  Gateway gateway(loop, LimitsFor(input.slow));
  std::array<Client, 2> clients{Client(input.slow), Client(input.slow)};
  const size_t count = input.two ? 2 : 1;
  std::optional<Peer> peer;
  const std::vector<std::vector<char>> pieces = Pieces(bytes, cuts);
  size_t next = 0;
  bool asked = false, ended = false;
  Patience reached("the server is not called"), read("input is left unread"),
      answered("a client has no answer");
  const auto look = [&] {
    // What the server sends may be more when it is decompressed, up to the limit of a message.
    constexpr size_t kMost = size_t{1} << 20;
    REQUIRE(Buffer::InUse() - Buffer::Kept() <= kMost, "a client that is slow fills the memory");
    const int fd = gateway.listener.Accept();
    if (fd >= 0) {
      REQUIRE(!peer, "a second connection");
      peer.emplace(fd);
    }
    bool moved = fd >= 0;
    if (peer && peer->Take()) moved = true;
    for (Client& client : clients) {
      if (client.moved()) moved = true;
    }
    return moved;
  };
  const auto step = [&] {
    if (!std::exchange(asked, true)) {
      for (size_t i = 0; i < count; ++i) {
        clients[i].Ask(gateway.proxy, Requests()[(input.first + i) % Requests().size()]);
      }
      return true;
    }
    if (!reached.Until(peer.has_value())) return true;
    bool drained = false;
    for (Client& client : clients) {
      if (client.Drain()) drained = true;
    }
    if (drained) return true;
    if (!read.Until(peer->IsRead())) return true;
    if (next < pieces.size()) {
      peer->Send({pieces[next].data(), pieces[next].size()});
      return ++next, true;
    }
    if (!std::exchange(ended, true)) {
      for (Client& client : clients) {
        if (input.leaves) client.Leave();
      }
      return peer->Close(), true;
    }
    return !answered.Until(clients[0].answered() && clients[1].answered());
  };
  Script(loop, look, step).Run();
  const std::string& sent = peer->received();
  REQUIRE(sent.starts_with(kPreface), ToHex(sent));
  ReadFrames(std::string_view(sent).substr(kPreface.size()));
  return clients[0].seen() + "\n\n" + clients[1].seen();
}

// Of a call and a connection that both end, the first to be known says why.
bool EndsWithCall(const std::string& answer) {
  return answer.find("closed the connection") != std::string::npos ||
         answer.find("the server reset the call: ") != std::string::npos ||
         answer.find("the server ended the call without a status") != std::string::npos;
}

// A byte of options, one that says where to cut, then what the server writes.
void UpstreamTarget(const uint8_t* data, size_t size) {
  if (size < 2) return;
  Input input{};
  input.first = data[0] & 7;
  input.two = data[0] & 8;
  input.raw = data[0] & 16;
  input.slow = data[0] & 32;
  input.leaves = data[0] & 64;
  const std::string_view rest(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::string bytes = input.raw ? std::string(rest) : Unpack(rest);
  const std::string pieces = AnswersTo(input, bytes, CutEvery(data[1], bytes.size()));
  // What follows the end of one call is another mistake once that is known, and ends the other.
  if (input.two) return;
  const std::string whole = AnswersTo(input, bytes, {});
  if (EndsWithCall(pieces) && EndsWithCall(whole)) return;
  REQUIRE(pieces == whole, "whole:\n" + whole + "\npieces:\n" + pieces);
}

std::vector<std::string> UpstreamSeeds() {
  const std::string settings = Packed({kSettings, 0, 0, ""}) + Packed({kSettings, kAck, 0, ""}) +
                               Packed({kWindowUpdate, 0, 0, std::string("\0\0\x10\0", 4)});
  const std::string ok = "\x88", type = Literal("content-type", "application/grpc");
  const std::string status = Literal("grpc-status", "0"), plain = Literal("grpc-message", "a%20b");
  const std::string failed =
      Literal("grpc-status", "5") + plain + Literal("grpc-status-details-bin", "CAUSAW0");
  const auto head = [](char stream, const std::string& fields, uint8_t flags = kEndHeaders) {
    return Packed({kHeaders, flags, static_cast<uint8_t>(stream), fields});
  };
  const auto data = [](char stream, const std::string& bytes) {
    return Packed({kData, 0, static_cast<uint8_t>(stream), bytes});
  };
  constexpr uint8_t kLast = kEndHeaders | kEndStream;
  Buffer packed;
  Gzip(std::string(300, '\0'), packed);
  std::string compressed = Frame(packed.view());
  compressed[0] = 1;
  std::vector<std::string> seeds;
  for (char first = 0; first < 8; ++first) {
    const std::string node = Frame("\x0a\x01z"), body = Frame(
                                                     "\x0a\x03"
                                                     "a/b\x12\x02hi");
    const std::string message = first == 0                 ? Frame("\x10\x05")
                                : first == 4 || first == 5 ? body
                                                           : node;
    const std::string answer = settings + head(1, ok + type) + data(1, message);
    const std::string last = head(1, status + Literal("x-t", "1"), kLast);
    const std::string options = {first, '\7'};
    seeds.push_back(options + answer + last);
    seeds.push_back(options + answer + data(1, message) + head(1, failed, kLast));
    seeds.push_back(options + settings + head(1, ok + type + failed, kLast));
    seeds.push_back(options + settings + head(1, Literal(":status", "103")) + answer + last);
    seeds.push_back(options + settings + head(1, ok + type + Literal("grpc-encoding", "gzip")) +
                    data(1, compressed) + last);
    const std::string two = {static_cast<char>(first | 8), '\7'};
    seeds.push_back(two + answer + head(3, ok + type) + data(3, message) + last +
                    head(3, status, kLast));
    seeds.push_back(std::string{static_cast<char>(first | 32), '\1'} + answer + data(1, message) +
                    data(1, message) + last);
    seeds.push_back(std::string{static_cast<char>(first | 64), '\1'} + answer);
    seeds.push_back(std::string{static_cast<char>(first | 16), '\7'} + Unpack(answer + last));
    seeds.push_back(options + settings + Packed({kReset, 0, 1, std::string("\0\0\0\7", 4)}));
    seeds.push_back(options + settings + Packed({kGoaway, 0, 0, std::string(8, '\0')}) +
                    head(1, Literal(":status", "503")));
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> UpstreamTargets() { return {{"upstream", UpstreamTarget, UpstreamSeeds}}; }

}  // namespace transcode::conformance
