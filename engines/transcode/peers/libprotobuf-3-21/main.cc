// The published benches by libprotobuf 3.21, which has the converter of the published library in
// the generation before. It has no streams and no bindings: a stream is cut into its messages, and
// bindings are set by reflection in the message that the JSON gave.

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/families.h"
#include "library.h"

namespace libprotobuf_peer {
namespace {

using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::ConcatenatingInputStream;
using google::protobuf::io::ZeroCopyInputStream;
using transcode::bench::Operation;
using transcode::bench::Request;
using transcode::bench::Work;

// What a work keeps between its calls.
struct State {
  State(const Request& for_request, Operation of_operation)
      : request(for_request), operation(of_operation), type(for_request.schema, for_request.type) {}

  const Request& request;
  Operation operation;
  Type type;
  std::vector<std::string_view> segments;
  std::vector<transcode::bench::BoundField> bindings;
  std::vector<std::string> out;  // one text or wire a message
};

bool RunMessage(State& state) {
  return state.request.from_json ? state.type.FromJson(state.request.input, &state.out[0])
                                 : state.type.ToJson(state.request.input, &state.out[0]);
}

bool RunStream(State& state) {
  const bool from_json = state.request.from_json;
  const auto messages = from_json ? Elements(state.request.input) : Frames(state.request.input);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (from_json ? !state.type.FromJson(messages[i], &state.out[i])
                  : !state.type.ToJson(messages[i], &state.out[i])) {
      return false;
    }
  }
  return messages.size() == state.out.size();
}

bool RunSegments(State& state, const std::vector<std::string_view>& segments, std::string* out) {
  std::deque<ArrayInputStream> pieces;
  std::vector<ZeroCopyInputStream*> streams;
  for (const std::string_view segment : segments) {
    pieces.emplace_back(segment.data(), static_cast<int>(segment.size()));
    streams.push_back(&pieces.back());
  }
  ConcatenatingInputStream whole(streams.data(), static_cast<int>(streams.size()));
  return state.type.FromJson(&whole, out);
}

bool RunSegmentedStream(State& state) {
  const auto messages = Elements(state.request.input);
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto segments =
        transcode::bench::Segments(messages[i], transcode::bench::kSegmentsOfMessage);
    if (!RunSegments(state, segments, &state.out[i])) return false;
  }
  return messages.size() == state.out.size();
}

bool RunBindings(State& state) {
  const auto message = state.type.New();
  if (!state.type.FromJson(state.request.input, message.get())) return false;
  for (const auto& binding : state.bindings) SetString(message.get(), binding.path, binding.value);
  return message->SerializeToString(&state.out[0]);
}

bool Run(State& state) {
  switch (state.operation) {
    case Operation::kMessage:
      return RunMessage(state);
    case Operation::kStream:
      return RunStream(state);
    case Operation::kSegments:
      return RunSegments(state, state.segments, &state.out[0]);
    case Operation::kSegmentedStream:
      return RunSegmentedStream(state);
    case Operation::kBindings:
      return RunBindings(state);
    case Operation::kChunks:
      return false;
  }
  return false;
}

// By value: the order of fields and the digits of numbers may differ from what is expected.
std::string Check(const State& state) {
  const Request& request = state.request;
  std::vector<std::string_view> expected = {request.expected};
  if (request.stream && request.from_json) expected = Frames(request.expected);
  if (request.stream && !request.from_json) {
    expected.clear();
    for (size_t at = 0; at < request.expected.size();) {
      const size_t end = request.expected.find('\n', at);
      expected.push_back(std::string_view(request.expected).substr(at, end - at));
      at = end + 1;
    }
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool same = request.from_json ? state.type.SameWire(state.out[i], expected[i])
                                        : state.type.SameJson(state.out[i], expected[i]);
    if (!same) return transcode::bench::Difference(state.out[i], expected[i]);
  }
  return {};
}

Work MakeWork(Operation operation, const Request& request, int64_t arg) {
  auto state = std::make_shared<State>(request, operation);
  state->out.resize(request.messages);
  if (operation == Operation::kSegments) {
    state->segments = transcode::bench::Segments(request.input, static_cast<size_t>(arg));
  }
  if (operation == Operation::kBindings) state->bindings = transcode::bench::ReadBindings();
  Work work = {[state] { return Run(*state); }, [state] { return Check(*state); }};
  work.written = [state] {
    size_t bytes = 0;
    for (const std::string& message : state->out) bytes += message.size();
    return bytes;
  };
  return work;
}

}  // namespace
}  // namespace libprotobuf_peer

int main(int argc, char** argv) {
  transcode::bench::Register(transcode::bench::PublishedFamilies(), libprotobuf_peer::MakeWork);
  transcode::bench::Register(transcode::bench::SharedFamilies(), libprotobuf_peer::MakeWork);
  return transcode::bench::Main(argc, argv);
}
