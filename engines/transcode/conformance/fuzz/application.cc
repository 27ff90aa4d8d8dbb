#include "conformance/fuzz/application.h"

#include "conformance/fuzz/check.h"
#include "conformance/fuzz/fields.h"

namespace transcode::conformance {

using server::ClientStream;
using server::Headers;

struct Application::Call final : server::RequestSink {
  enum Way { kAtHead, kWhole, kLarge, kInParts, kCutShort, kStops };

  Call(Application& owner, const server::RequestHead& head, ClientStream& to)
      : application(owner), client(&to) {
    const auto last = head.target.empty() ? uint8_t{0} : static_cast<uint8_t>(head.target.back());
    way = static_cast<Way>(last % 6);
    text.append(head.method).append(" ").append(head.target).append("\n");
    text.append(head.authority).append("\n").append(Text(*head.fields));
    text += head.has_body ? "with " : "without ";
    text += head.content_length ? std::to_string(*head.content_length) + "\n" : "length\n";
  }

  void OnBody(std::string_view bytes) override {
    application.moved_ = true;
    REQUIRE(client != nullptr && !ended, text);
    body += bytes;
    if (way != kStops) return;
    stopped = true;
    client->Hold(true);
  }
  void OnBodyEnd() override {
    application.moved_ = true;
    REQUIRE(client != nullptr && !ended, text);
    ended = true;
    if (!application.waits_) Answer();
  }
  void OnClientGone() override {
    application.moved_ = true;
    REQUIRE(client != nullptr, text);
    client = nullptr;
    gone = true;
  }
  void OnClientWritable() override { REQUIRE(client != nullptr, text); }
  server::Clock::time_point moved() const override { return {}; }

  void Answer() {
    Headers fields, trailers;
    fields.Add("x-way", std::to_string(way));
    Buffer whole(way == kLarge ? std::string(20000, 'l') : body);
    ClientStream& to = *std::exchange(client, nullptr);
    if (way != kInParts && way != kCutShort) return to.Respond(200, fields, whole);
    to.Start(200, fields);
    to.Write("a part, ");
    to.Write(body);
    if (way == kCutShort) return to.Abort();
    trailers.Add("x-end", "1");
    to.Finish(trailers);
  }

  Application& application;
  ClientStream* client;  // null once it is answered or gone
  Way way;
  std::string text, body;
  bool ended = false, gone = false, stopped = false;
};

Application::Application(bool waits, size_t header_bytes)
    : waits_(waits), header_bytes_(header_bytes) {}
Application::~Application() = default;

server::RequestSink* Application::OnRequest(const server::RequestHead& head, ClientStream& client) {
  REQUIRE(head.fields->cost() <= header_bytes_, Text(*head.fields));
  moved_ = true;
  Call& call = *calls_.emplace_back(std::make_unique<Call>(*this, head, client));
  if (head.has_body) client.Continue();
  if (waits_ || call.way != Call::kAtHead) return &call;
  call.Answer();
  return nullptr;
}

bool Application::GoOn() {
  bool any = false;
  for (const auto& call : calls_) {
    if (!std::exchange(call->stopped, false) || call->client == nullptr) continue;
    any = true;
    call->client->Hold(false);
  }
  return any;
}

bool Application::Answer() {
  bool any = false;
  for (const auto& call : calls_) {
    if (call->client == nullptr) continue;
    any = true;
    call->Answer();
  }
  return any;
}

std::string Application::seen() const {
  std::string all;
  for (const auto& call : calls_) {
    all += call->text + call->body + (call->ended ? "\nended" : "\n") +
           (call->gone ? "gone\n\n" : "\n\n");
  }
  return all;
}

}  // namespace transcode::conformance
