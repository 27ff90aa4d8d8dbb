#include "server/test_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "server/acceptor.h"
#include "server/http2_connection.h"
#include "server/metadata.h"
#include "stream/frame.h"

namespace transcode::server {
namespace {

std::string Frame(std::string_view message) {
  char header[kFrameHeader];
  WriteFrameHeader(message.size(), header);
  return std::string(header, kFrameHeader) + std::string(message);
}

std::string Base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4 && i + k <= bytes.size(); ++k) {
      out.push_back(kDigits[group >> (18 - 6 * k) & 63]);
    }
  }
  return out;
}

template <class T>
T Must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<char>(std::strtol(std::string(hex.substr(i, 2)).c_str(), nullptr, 16)));
  }
  return bytes;
}

std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string frame;
  for (int i = 2; i >= 0; --i) frame += static_cast<char>(payload.size() >> 8 * i);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (int i = 3; i >= 0; --i) frame += static_cast<char>(stream >> 8 * i);
  return frame.append(payload);
}

// --- the echo server, on the proxy's own HTTP/2 connection ---

struct EchoServer::State final : RequestHandler {
  struct Stream final : RequestSink {
    Stream(State& owner, ClientStream& to) : state(owner), client(to) {}

    void OnBody(std::string_view bytes) override { body.append(bytes); }
    void OnBodyEnd() override {
      for (size_t at = 0; at + kFrameHeader <= body.size();) {
        uint32_t size = 0;
        for (size_t i = 1; i < kFrameHeader; ++i)
          size = size << 8 | static_cast<uint8_t>(body[at + i]);
        call.messages.push_back(body.substr(at + kFrameHeader, size));
        at += kFrameHeader + size;
      }
      if (!call.metadata.contains("x-early")) Answer();
      {
        std::lock_guard lock(state.mutex);
        state.calls.push_back(call);
      }
      if (call.metadata.contains("x-hang")) return;
      state.streams.erase(this);
      delete this;
    }
    void OnClientGone() override {
      ++state.cancelled;
      state.streams.erase(this);
      delete this;
    }
    void OnClientWritable() override {}
    Clock::time_point moved() const override { return {}; }

    void Answer() {
      if (call.metadata.contains("x-hang")) return;
      Headers head;
      head.Add("content-type", "application/grpc");
      if (call.metadata.contains("x-reply-header")) {
        head.Add("x-from-server", call.metadata["x-reply-header"]);
      }
      client.Start(200, head);
      std::vector<std::string> replies = call.messages;
      if (call.metadata.contains("x-reply")) {
        replies.clear();
        std::string text = call.metadata["x-reply"];
        if (text.starts_with('=')) text.erase(0, 1);
        for (size_t at = 0; text != "none" && at <= text.size();) {
          const size_t comma = std::min(text.find(',', at), text.size());
          replies.push_back(FromHex(text.substr(at, comma - at)));
          at = comma + 1;
        }
      }
      int repeat = 1;
      if (call.metadata.contains("x-repeat")) repeat = std::atoi(call.metadata["x-repeat"].c_str());
      for (int i = 0; i < repeat; ++i) {
        for (const std::string& reply : replies) client.Write(Frame(reply));
      }
      Headers trailers;
      std::string message = call.metadata["x-message"];
      std::string status = call.metadata["x-status"];
      if (call.metadata.contains("x-details")) {
        const std::string details = FromHex(call.metadata["x-details"]);
        // code: 08 NN, then message: 12 LL ...
        if (message.empty()) message = details.substr(4, static_cast<uint8_t>(details[3]));
        trailers.Add("grpc-status-details-bin", Base64(details));
      }
      trailers.Add("grpc-status", status.empty() ? "0" : status);
      trailers.Add("grpc-message", EncodeGrpcMessage(message));
      client.Finish(trailers);
    }

    State& state;
    ClientStream& client;
    std::string body;
    Call call;
  };

  State() {
    const Address address = Must(ResolveAddress("127.0.0.1:0"));
    const int fd = Must(Listen(address));
    port = PortOf(fd);
    limits.header_bytes *= 2;  // what the proxy lets in arrives
    context.handler = this;
    context.limits = &limits;
    context.on_close = [this](Connection* connection) { connections.erase(connection); };
    const auto always = [] { return true; };
    acceptor = std::make_unique<Acceptor>(loop, fd, always, [this](int client, std::string peer) {
      connections.insert(new Http2Connection(loop, client, context, peer));
    });
    thread = std::thread([this] { loop.Run(); });
  }
  ~State() override {
    loop.Stop();
    thread.join();
    acceptor.reset();
    while (!connections.empty()) (*connections.begin())->Close();
    for (Stream* stream : std::set(streams)) delete stream;
  }

  RequestSink* OnRequest(const RequestHead& head, ClientStream& client) override {
    auto* stream = new Stream(*this, client);
    streams.insert(stream);
    stream->call.path = head.target;
    for (size_t i = 0; i < head.fields->size(); ++i) {
      stream->call.metadata.emplace((*head.fields)[i].name, (*head.fields)[i].value);
    }
    if (stream->call.metadata.contains("x-early")) stream->Answer();
    return stream;
  }

  EventLoop loop;
  Limits limits;
  ConnectionContext context;
  std::unique_ptr<Acceptor> acceptor;
  std::set<Connection*> connections;
  std::set<Stream*> streams;
  std::thread thread;
  uint16_t port = 0;
  std::mutex mutex;
  std::vector<Call> calls;
  std::atomic<int> cancelled{0};
};

EchoServer::EchoServer() : state_(std::make_unique<State>()) {}
EchoServer::~EchoServer() = default;

std::string EchoServer::address() const { return "127.0.0.1:" + std::to_string(state_->port); }
int EchoServer::cancelled() const { return state_->cancelled; }

std::vector<EchoServer::Call> EchoServer::TakeCalls() {
  std::lock_guard lock(state_->mutex);
  return std::exchange(state_->calls, {});
}

// --- the client ---

TestClient::TestClient(uint16_t port, int receive_buffer)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer != 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const int at_once = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  const timeval patience{20, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect");
  }
}

TestClient::~TestClient() { Close(); }

void TestClient::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

bool TestClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool TestClient::Fill() {
  char piece[65536];
  const ssize_t got = recv(fd_, piece, sizeof piece, 0);
  if (got <= 0) return false;
  in_.append(piece, static_cast<size_t>(got));
  return true;
}

std::string TestClient::ReceiveSome() {
  if (in_.empty()) Fill();
  return std::exchange(in_, {});
}

bool TestClient::Readable() const {
  pollfd ready{fd_, POLLIN, 0};
  return !in_.empty() || poll(&ready, 1, 0) > 0;
}

bool TestClient::Ended(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ready{fd_, POLLIN, 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
    char piece[65536];
    const ssize_t got = recv(fd_, piece, sizeof piece, 0);
    if (got <= 0) return got == 0 || errno == ECONNRESET;
  }
}

Response TestClient::Receive(bool head_only) {
  Response response;
  size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return response;
  }
  const std::string head = in_.substr(0, end + 2);
  in_.erase(0, end + 4);
  response.status = std::atoi(head.substr(9, 3).c_str());
  for (size_t at = head.find("\r\n") + 2; at < head.size();) {
    const size_t line = head.find("\r\n", at);
    const size_t colon = head.find(": ", at);
    response.fields.emplace(head.substr(at, colon - at), head.substr(colon + 2, line - colon - 2));
    at = line + 2;
  }
  if (response.status == 100 || head_only) {
    response.complete = true;
    return response;
  }
  if (!response.fields.contains("transfer-encoding")) {
    const size_t length = std::strtoul(response.fields["content-length"].c_str(), nullptr, 10);
    while (in_.size() < length && Fill()) {
    }
    response.complete = in_.size() >= length;
    response.body = in_.substr(0, length);
    in_.erase(0, length);
    return response;
  }
  for (;;) {
    while ((end = in_.find("\r\n")) == std::string::npos) {
      if (!Fill()) return response;
    }
    const size_t length = std::strtoul(in_.c_str(), nullptr, 16);
    while (in_.size() < end + 2 + length + 2) {
      if (!Fill()) return response;
    }
    response.body.append(in_, end + 2, length);
    in_.erase(0, end + 2 + length + 2);
    if (length != 0) continue;
    response.complete = true;
    return response;
  }
}

// --- the client of HTTP/2 ---

struct TestHttp2Client::State {
  explicit State(uint16_t port) : client(port) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_max_send_header_block_length(option, 1 << 20);
    nghttp2_session_client_new2(&session, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { nghttp2_session_del(session); }

  static int OnHeader(nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user) {
    Response& response = static_cast<State*>(user)->response;
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":status") response.status = std::atoi(text.c_str());
    response.fields.emplace(key, text);
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t, const uint8_t* data, size_t size,
                    void* user) {
    static_cast<State*>(user)->response.body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t, uint32_t error, void* user) {
    auto& state = *static_cast<State*>(user);
    state.response.complete = error == NGHTTP2_NO_ERROR;
    state.closed = true;
    return 0;
  }
  static ssize_t Read(nghttp2_session*, int32_t, uint8_t* to, size_t length, uint32_t* flags,
                      nghttp2_data_source* source, void*) {
    auto& rest = *static_cast<std::string_view*>(source->ptr);
    const size_t size = rest.copy(reinterpret_cast<char*>(to), length);
    rest.remove_prefix(size);
    if (rest.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  TestClient client;
  nghttp2_session* session = nullptr;
  Response response;
  bool closed = false;
};

TestHttp2Client::TestHttp2Client(uint16_t port) : state_(std::make_unique<State>(port)) {}
TestHttp2Client::~TestHttp2Client() = default;

Response TestHttp2Client::Exchange(std::string_view path, const Fields& fields,
                                   std::string_view body) {
  Fields all{{":method", body.empty() ? "GET" : "POST"},
             {":scheme", "http"},
             {":authority", "a"},
             {":path", std::string(path)}};
  for (const auto& field : fields) {
    const auto same = std::find_if(all.begin(), all.end(), [&field](const auto& other) {
      return other.first == field.first && other.first.starts_with(':');
    });
    if (same == all.end()) {
      all.push_back(field);
    } else {
      *same = field;
    }
  }
  std::vector<nghttp2_nv> nvs;
  for (const auto& [name, value] : all) nvs.push_back(MakeNv(name, value));
  nghttp2_data_provider provider{};
  provider.source.ptr = &body;
  provider.read_callback = State::Read;
  state_->response = Response();
  state_->closed = false;
  nghttp2_submit_request(state_->session, nullptr, nvs.data(), nvs.size(),
                         body.empty() ? nullptr : &provider, nullptr);
  while (!state_->closed) {
    const uint8_t* data = nullptr;
    for (ssize_t size; (size = nghttp2_session_mem_send(state_->session, &data)) > 0;) {
      state_->client.Send({reinterpret_cast<const char*>(data), static_cast<size_t>(size)});
    }
    const std::string got = state_->client.ReceiveSome();
    if (got.empty() ||
        nghttp2_session_mem_recv(state_->session, reinterpret_cast<const uint8_t*>(got.data()),
                                 got.size()) < 0) {
      break;
    }
  }
  return state_->response;
}

// --- the proxy ---

TestProxy::TestProxy(ServerOptions options, RouterOptions routes, std::string_view more_descriptors,
                     std::span<const ExtraRule> more_rules)
    // A FileDescriptorSet behind another one is a longer one.
    : schema_(Must(Schema::Load(ReadFile("../testdata/corpus/transcode_gateway.desc") +
                                std::string(more_descriptors)))),
      router_(Must(Router::Make(schema_, routes, more_rules))) {
  options.listen = ":0";
  if (options.upstream == ServerOptions().upstream) options.upstream = echo_.address();
  server_ = Must(Server::Start(schema_, router_, options));
}

std::string TestProxy::UnusedAddress() {
  const int fd = Must(Listen(Must(ResolveAddress("127.0.0.1:0"))));
  const std::string address = "127.0.0.1:" + std::to_string(PortOf(fd));
  close(fd);
  return address;
}

}  // namespace transcode::server
