#pragma once

// What every bench of JSON and protobuf shares, whichever library it measures: the files that
// inputs.py wrote, the check of the output, and the counters of the published benchmark.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace transcode::bench {

// A request as inputs.py wrote it into the current directory.
struct Request {
  std::string schema;    // a FileDescriptorSet
  std::string type;      // the full name of the message
  std::string input;     // JSON or wire
  std::string expected;  // the other one
  bool from_json = false;
  bool stream = false;  // JSON array to gRPC frames, or frames to lines
  size_t messages = 1;
};

// Reads the files. Ends the process with a reason when one is missing.
Request ReadRequest();
// A file of the current directory; ends the process when there is none.
std::string ReadFile(const std::string& path);

// Calls of malloc, calloc, realloc and aligned allocations of this process so far.
uint64_t Allocations();

// How an engine does a request once. `run` is timed and returns whether it succeeded; `check`
// compares what it wrote with what is expected, and returns what is wrong, if so.
struct Work {
  std::function<bool()> run;
  std::function<std::string()> check;
  std::map<std::string, double> counters =
      {};  // printed as they are, instead of others by the same name
  // The bytes of all messages of a wire that `run` wrote, without frames, where `check` takes
  // others than those that are expected.
  std::function<size_t()> written = {};
};

// Runs the work once and checks what it wrote, runs it again and counts its allocations, then
// times it. The counters are those of the published benchmark, of the bytes of the input, and
//   allocs_per_op  allocations a message, after one message
//   wire_bytes     bytes of a message on the wire, without its frame
void Measure(benchmark::State& state, const Request& request, const Work& work);

// An empty text when `output` is `expected`, otherwise where they part.
std::string Difference(std::string_view output, std::string_view expected);

// Adds the percentiles of the repetitions as the published benchmark computes them: p50, p25, p75,
// p90, p99 and p999.
void AddPercentiles(benchmark::Benchmark* family);

// Runs the benches that the command line selects; 1 when one of them failed.
int Main(int argc, char** argv);

}  // namespace transcode::bench
