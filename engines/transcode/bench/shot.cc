#include "bench/shot.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace transcode::bench {
namespace {

// Element floor(n * share) of the sorted values, as the published benchmark takes it.
template <int kPerMille>
double Percentile(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return sorted[std::min(sorted.size() - 1, sorted.size() * kPerMille / 1000)];
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "no file %s here: inputs.py writes it\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Request ReadRequest() {
  Request request;
  request.schema = ReadFile("schema.binpb");
  request.type = ReadFile("type.txt");
  request.from_json = std::filesystem::exists("input.json");
  request.input = ReadFile(request.from_json ? "input.json" : "input.bin");
  request.expected = ReadFile(request.from_json ? "expected.bin" : "expected.json");
  request.stream = std::filesystem::exists("stream.txt");
  if (request.stream) request.messages = std::stoul(ReadFile("stream.txt"));
  return request;
}

std::string Difference(std::string_view output, std::string_view expected) {
  if (output == expected) return {};
  const auto [at, unused] =
      std::mismatch(output.begin(), output.end(), expected.begin(), expected.end());
  const auto offset = static_cast<size_t>(at - output.begin());
  const size_t from = offset - std::min<size_t>(offset, 20);
  return "the output is wrong at byte " + std::to_string(offset) + " of " +
         std::to_string(expected.size()) + ": got ..." + std::string(output.substr(from, 40)) +
         ", expected ..." + std::string(expected.substr(from, 40));
}

void Measure(benchmark::State& state, const Request& request, const Work& work) {
  if (!work.run()) {
    state.SkipWithError("the input is refused");
    return;
  }
  if (const std::string wrong = work.check(); !wrong.empty()) {
    state.SkipWithError(wrong);
    return;
  }
  const uint64_t before = Allocations();
  bool ok = work.run();
  const uint64_t allocations = Allocations() - before;
  for (auto _ : state) ok &= work.run();
  if (!ok) {
    state.SkipWithError("the input is refused when it is read again");
    return;
  }

  using benchmark::Counter;
  const auto count = [&](const char* throughput, const char* latency, size_t amount) {
    const auto each = static_cast<double>(amount);
    state.counters[throughput] = Counter(each, Counter::kIsIterationInvariantRate);
    state.counters[latency] = Counter(each, Counter::kIsIterationInvariantRate | Counter::kInvert);
  };
  count("byte_throughput", "byte_latency", request.input.size());
  count("request_throughput", "request_latency", 1);
  count("message_throughput", "message_latency", request.messages);
  const auto messages = static_cast<double>(request.messages);
  size_t wire = (request.from_json ? request.expected : request.input).size();
  if (request.stream) wire -= 5 * request.messages;
  if (request.from_json && work.written) wire = work.written();
  state.counters["allocs_per_op"] = static_cast<double>(allocations) / messages;
  state.counters["wire_bytes"] = static_cast<double>(wire) / messages;
  for (const auto& [name, value] : work.counters) state.counters[name] = value;
}

void AddPercentiles(benchmark::Benchmark* family) {
  family->ComputeStatistics("p25", Percentile<250>);
  family->ComputeStatistics("p50", Percentile<500>);
  family->ComputeStatistics("p75", Percentile<750>);
  family->ComputeStatistics("p90", Percentile<900>);
  family->ComputeStatistics("p99", Percentile<990>);
  family->ComputeStatistics("p999", Percentile<999>);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const bool found = benchmark::RunSpecifiedBenchmarks() > 0;
  benchmark::Shutdown();
  return found ? 0 : 1;
}

}  // namespace transcode::bench
