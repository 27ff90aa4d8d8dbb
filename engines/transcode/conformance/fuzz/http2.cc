// The bytes that a client of HTTP/2 writes.

#include <utility>

#include "conformance/fuzz/check.h"
#include "conformance/fuzz/conversation.h"
#include "conformance/fuzz/http2_frames.h"
#include "conformance/fuzz/targets.h"
#include "conformance/fuzz/wire.h"
#include "conformance/streams.h"

namespace transcode::conformance {
namespace {

bool EndsAnything(const std::vector<Http2Frame>& frames) {
  for (const Http2Frame& frame : frames) {
    if (frame.type == kReset || frame.type == kGoaway) return true;
  }
  return false;
}

void Http2Target(const uint8_t* data, size_t size) {
  ClientInput input = ReadClientInput(data, size);
  const std::string bytes =
      std::string(kPreface) + (input.raw ? std::string(input.bytes) : Unpack(input.bytes));
  input.bytes = bytes;
  const std::vector<size_t> cuts = CutEvery(input.step, bytes.size());
  if (input.gateway) return ServeGateway(input, cuts);
  const Served whole = Serve(input, true, {});
  const Served pieces = Serve(input, true, cuts);
  // What follows the end of a stream is another mistake once the end is known.
  if (EndsAnything(ReadFrames(whole.answers)) || EndsAnything(ReadFrames(pieces.answers))) return;
  REQUIRE(pieces.requests == whole.requests, whole.requests + "\npieces:\n" + pieces.requests);
}

std::vector<std::string> Http2Seeds() {
  const std::string direct = {'\0', '\7'}, gateway = {'\1', '\7'}, small = {'\2', '\7'};
  const std::string settings = Packed({kSettings, 0, 0, ""}) + Packed({kSettings, kAck, 0, ""}) +
                               Packed({kWindowUpdate, 0, 0, std::string("\0\0\x10\0", 4)});
  const std::string end =
      Packed({kPing, 0, 0, "12345678"}) + Packed({kGoaway, 0, 0, std::string(8, '\0')});
  // Indexed: POST and GET of http.
  const auto head = [](char method, const std::string& path, const std::string& type) {
    return std::string{method, '\x86'} + Literal(":path", path) + Literal(":authority", "a") +
           Literal("content-type", type);
  };
  constexpr uint8_t kLast = kEndHeaders | kEndStream;
  std::vector<std::string> seeds;
  for (const char way : std::string("abcdef")) {
    const std::string path = std::string("/") + way;
    const std::string post = head('\x83', path, "application/json");
    seeds.push_back(direct + settings + Packed({kHeaders, kEndHeaders, 1, post}) +
                    Packed({kData, 0, 1, "hel"}) + Packed({kData, kEndStream, 1, "lo"}) + end);
    seeds.push_back(direct + settings + Packed({kHeaders, 0, 1, post.substr(0, 9)}) +
                    Packed({kContinuation, kEndHeaders, 1, post.substr(9)}) +
                    Packed({kHeaders, kLast, 3, head('\x82', path, "a")}) +
                    Packed({kHeaders, kLast, 1, Literal("x-t", "1")}) + end);
  }
  seeds.push_back(std::string{'\x08', '\7'} + settings +
                  Packed({kHeaders, kLast, 1, head('\x82', "/b", "a")}) +
                  Packed({kHeaders, kLast, 3, head('\x82', "/b", "a")}) + end);
  const std::string reset = Packed({kReset, 0, 1, std::string("\0\0\0\x08", 4)});
  const std::string frame = Frame("\x0a\x01z");
  const std::vector<std::pair<std::string, std::string>> requests = {
      {head('\x83', "/v1/bidi", "application/json"), R"([{"name":"a"},{"name":"b"}])"},
      {head('\x83', "/v1/theme", "application/json"), R"({"name":"a"})"},
      {head('\x83', "/v1/upload", "text/plain"), "bytes"},
      {head('\x83', "/v1/upload_stream", "text/plain"), "bytes"},
      {head('\x83', "/tc.v1.Library/Bidi", "application/grpc"), frame + frame},
      {head('\x82', "/v1/stream/a", "text/plain"), ""},
      {head('\x82', "/v1/nowhere", "text/plain"), ""}};
  for (const auto& [fields, body] : requests) {
    const std::string all = Packed({kHeaders, kEndHeaders, 1, fields}) +
                            Packed({kData, 0, 1, body.substr(0, body.size() / 2)}) +
                            Packed({kData, kEndStream, 1, body.substr(body.size() / 2)});
    seeds.push_back(gateway + settings + all + end);
    seeds.push_back(gateway + settings + all + reset);
    seeds.push_back(small + settings + all + end);
    seeds.push_back(std::string{'\5', '\7'} + Unpack(settings + all));
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> Http2Targets() { return {{"http2", Http2Target, Http2Seeds}}; }

}  // namespace transcode::conformance
