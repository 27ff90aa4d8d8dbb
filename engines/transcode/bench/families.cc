#include "bench/families.h"

#include <memory>
#include <sstream>

namespace transcode::bench {
namespace {

// A request and its work; Google Benchmark calls a bench several times.
struct Prepared {
  Request request;
  Work work;
};

void Both(std::vector<Family>& families, const std::string& before, const std::string& after,
          Operation operation, const std::vector<int64_t>& args) {
  for (const char* direction : {"FromJson", "FromGrpc"}) {
    families.push_back({before + direction + after, operation, args});
  }
}

}  // namespace

std::vector<Family> PublishedFamilies() {
  using enum Operation;
  const std::vector<int64_t> streamed = {1, 4, 16, 64};
  const std::vector<int64_t> layers = {0, 1, 8, 31};
  const std::vector<int64_t> numbers = {1, 256, 1024, 16384};
  std::vector<Family> all;
  Both(all, "BM_SinglePayload", "NonStreaming", kMessage, {1, 1024, 1 << 20, 1 << 25});
  Both(all, "BM_SinglePayload", "Streaming", kStream, streamed);
  Both(all, "BM_Int32ArrayPayload", "NonStreaming", kMessage, numbers);
  all.push_back({"BM_Int32ArrayPayloadFromGrpcNonStreamingCorrected", kMessage, numbers});
  Both(all, "BM_Int32ArrayPayload", "Streaming", kStream, streamed);
  all.push_back({"BM_Int32ArrayPayloadFromGrpcStreamingCorrected", kStream, streamed});
  for (const char* type : {"Int32", "Double", "String"}) {
    Both(all, std::string("BM_") + type + "ArrayTypePayload", "NonStreaming", kMessage, {});
  }
  for (const char* proto : {"BM_NestedProtoPayload", "BM_StructProtoPayload"}) {
    Both(all, proto, "NonStreaming", kMessage, layers);
    Both(all, proto, "Streaming", kStream, streamed);
  }
  all.push_back({"BM_SegmentedStringPayloadFromJsonNonStreaming", kSegments, {1, 16, 256, 4096}});
  all.push_back({"BM_SegmentedStringPayloadFromJsonStreaming", kSegmentedStream, streamed});
  for (const char* twin : {"", "Corrected"}) {
    all.push_back(
        {std::string("BM_NestedVariableBindingsFromJsonNonStreaming") + twin, kBindings, layers});
    all.push_back({std::string("BM_NumVariableBindingsPayloadFromJsonNonStreaming") + twin,
                   kBindings,
                   {0, 2, 4, 8}});
  }
  return all;
}

std::vector<Family> SharedFamilies() {
  std::vector<Family> all;
  Both(all, "BM_StringPayload", "", Operation::kMessage, {1 << 20});
  Both(all, "BM_DoubleRandom", "", Operation::kMessage, {1024});
  return all;
}

std::vector<std::string_view> Segments(std::string_view input, size_t count) {
  std::vector<std::string_view> pieces;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = input.size() * i / count;
    pieces.push_back(input.substr(begin, input.size() * (i + 1) / count - begin));
  }
  return pieces;
}

std::vector<std::string_view> Chunks(std::string_view input, size_t size) {
  std::vector<std::string_view> pieces;
  for (size_t at = 0; at < input.size(); at += size) pieces.push_back(input.substr(at, size));
  return pieces;
}

std::vector<BoundField> ReadBindings() {
  std::vector<BoundField> bindings;
  std::istringstream lines(ReadFile("bindings.txt"));
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    bindings.push_back({line.substr(0, equals), line.substr(equals + 1)});
  }
  return bindings;
}

void RegisterOne(const std::string& name, const std::function<Work(const Request&)>& make) {
  auto prepared = std::make_shared<std::unique_ptr<Prepared>>();
  AddPercentiles(benchmark::RegisterBenchmark(name, [prepared, make](benchmark::State& state) {
    if (*prepared == nullptr) {
      *prepared = std::make_unique<Prepared>();
      (*prepared)->request = ReadRequest();
      (*prepared)->work = make((*prepared)->request);
    }
    Measure(state, (*prepared)->request, (*prepared)->work);
  }));
}

void Register(const std::vector<Family>& families, const MakeWork& make) {
  for (const Family& family : families) {
    const auto add = [&](const std::string& name, int64_t arg) {
      RegisterOne(name, [operation = family.operation, arg, make](const Request& request) {
        return make(operation, request, arg);
      });
    };
    if (family.args.empty()) add(family.name, 0);
    for (const int64_t arg : family.args) add(family.name + "/" + std::to_string(arg), arg);
  }
}

}  // namespace transcode::bench
