// All that a gateway does with a request, without its network.

#include <string_view>

#include "conformance/files.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/gateway.h"
#include "conformance/fuzz/targets.h"
#include "conformance/streams.h"

namespace transcode::conformance {
namespace {

// "method target\nbody": all that a gateway does with a request, whose messages come back as its
// response.
void PipelineTarget(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t blank = text.find(' ');
  const size_t line = text.find('\n');
  if (blank == std::string::npos || line == std::string::npos || line < blank) return;
  const std::string target = text.substr(blank + 1, line - blank - 1);
  Match match;
  if (GatewayRouter().Find(text.substr(0, blank), target, match) != Match::Outcome::kFound) return;
  RequestTranscoder request;
  RequestOptions options;
  if (!request.Start(match, options).ok()) return;
  if (!request.Push(std::string_view(text).substr(line + 1)).ok()) return;
  request.Finish();
  std::string frames;
  Buffer frame;
  while (true) {
    const Result<bool> more = request.Next(frame);
    if (!more.ok()) return;
    if (!*more) break;
    frames += frame.view();
  }
  // What was read is a message of the method.
  ResponseSource source;
  source.message = match.route->method->input;
  const StreamFormat formats[] = {StreamFormat::kArray, StreamFormat::kNdjson, StreamFormat::kSse};
  for (const StreamFormat format : formats) {
    const Seen whole = RunResponse(source, format, {}, frames, {});
    REQUIRE(whole.ok, text + "\n" + whole.error);
    REQUIRE(RunResponse(source, format, {}, frames, EveryByte(frames.size())) == whole, text);
  }
}

std::vector<std::string> GatewaySeeds() {
  std::vector<std::string> seeds;
  for (const Json& line : ReadJsonLines("corpus/gateway.jsonl")) {
    const Json& request = line.at("request");
    seeds.push_back(request.at("method").get<std::string>() + " " +
                    request.at("path").get<std::string>() + "\n" +
                    request.value("body", std::string()));
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> PipelineTargets() { return {{"pipeline", PipelineTarget, GatewaySeeds}}; }

}  // namespace transcode::conformance
