// Bodies of requests in pieces: what comes of them is what comes of the whole, with either parser.

#include <algorithm>

#include "conformance/cases.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/input.h"
#include "conformance/fuzz/targets.h"
#include "conformance/streams.h"

namespace transcode::conformance {
namespace {

// The code of an error is the same. Its text is not: a broken word ends where its piece ends.
bool Same(Seen a, Seen b) {
  a.error.resize(std::min(a.error.find(':'), a.error.size()));
  b.error.resize(std::min(b.error.find(':'), b.error.size()));
  return a == b;
}

std::string Cut(const Input& input, const Seen& whole, const Seen& cut) {
  const auto shown = [](const Seen& seen) {
    return std::to_string(seen.outputs.size()) + (seen.ok ? " ok " : " not ok ") + seen.error;
  };
  return input.type + " " + ToHex(input.bytes) + "\nwhole: " + shown(whole) +
         "\ncut: " + shown(cut);
}

// In two pieces, and byte by byte (of a long text, here and there).
void ExpectSameWhereverCut(Input input, const RequestTarget& target, const RequestOptions& options,
                           const Seen& whole) {
  const size_t size = input.bytes.size();
  Bindings none;
  const Seen halves =
      RunRequest(target, &none, options, input.bytes, {size * (input.options >> 2) / 63});
  REQUIRE(Same(halves, whole), Cut(input, whole, halves));
  std::vector<size_t> cuts = EveryByte(size);
  constexpr size_t kLong = 4096;
  if (size > kLong) std::erase_if(cuts, [&](size_t at) { return at % 499 != input.options; });
  const Seen pieces = RunRequest(target, &none, options, input.bytes, cuts);
  REQUIRE(Same(pieces, whole), Cut(input, whole, pieces));
}

// A body that is one message is what the codec makes of the text; blank, it is no message at all.
void ExpectMessage(const Input& input, const Seen& whole, const Answer& message) {
  if (input.bytes.find_first_not_of(" \t\r\n") == std::string::npos) return;
  REQUIRE(whole.ok == message.ok, Cut(input, whole, whole) + "\n" + message.bytes);
  if (message.ok) REQUIRE(whole.outputs[0] == Frame(message.bytes), Cut(input, whole, whole));
}

void ChunkedTarget(const uint8_t* data, size_t size) {
  auto input = ReadInput(data, size);
  if (!input) return;
  const std::string text = Grown(input->bytes);
  input->bytes = text;
  RequestTarget target;
  target.message = input->message;
  target.client_streaming = input->options & 1;
  RequestOptions options;
  options.format = input->options & 2 ? RequestFormat::kNdjson : RequestFormat::kArray;
  Bindings none;
  const Seen whole = RunRequest(target, &none, options, input->bytes, {});
  if (!target.client_streaming) {
    ExpectMessage(*input, whole, ToProto(CorpusOracle(), input->type, input->bytes, {}));
  }
  ExpectSameWhereverCut(*input, target, options, whole);
}

// Parser::kOnDemand against the other one. It does not look into the values of unknown fields.
void OnDemandTarget(const uint8_t* data, size_t size) {
  auto input = ReadInput(data, size);
  if (!input) return;
  const std::string text = Grown(input->bytes);
  input->bytes = text;
  RequestOptions options;
  ParseOptions& parse = options.binding.parse;
  parse = ParseOf(input->options & 31);
  const Answer usual = ToProto(CorpusOracle(), input->type, input->bytes, parse);
  parse.parser = Parser::kOnDemand;
  const Answer found = ToProto(CorpusOracle(), input->type, input->bytes, parse);
  if (usual.ok || parse.unknown_fields == UnknownFields::kReject || !found.ok) {
    REQUIRE(found.ok == usual.ok, input->type + " " + ToHex(input->bytes) + " " + found.bytes);
    const std::string difference = CompareMessage(CorpusOracle(), input->type, found, usual);
    REQUIRE(difference.empty(), input->type + " " + ToHex(input->bytes) + " " + difference);
  }
  RequestTarget target;
  target.message = input->message;
  Bindings none;
  const Seen whole = RunRequest(target, &none, options, input->bytes, {});
  ExpectMessage(*input, whole, found);
  ExpectSameWhereverCut(*input, target, options, whole);
}

}  // namespace

std::vector<FuzzTarget> ChunkedTargets() {
  return {{"chunked", ChunkedTarget, JsonSeeds}, {"on_demand", OnDemandTarget, JsonSeeds}};
}

}  // namespace transcode::conformance
