#pragma once

// The benches by name. Those of the published benchmark keep its names and arguments.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/shot.h"

namespace transcode::bench {

// What is timed.
enum class Operation {
  kMessage,          // a message as a whole, in either direction
  kStream,           // a stream that arrives as a whole, in either direction
  kSegments,         // a message of JSON that arrives in so many segments
  kSegmentedStream,  // a stream of so many messages of JSON, each in 256 segments
  kBindings,         // a message of JSON and the bindings of bindings.txt
  kChunks,           // a message of JSON that arrives in chunks of so many bytes
};

struct Family {
  std::string name;
  Operation operation;
  std::vector<int64_t> args;  // empty: the name has no argument
};

// The segments of a message in the published segmented stream.
inline constexpr size_t kSegmentsOfMessage = 256;

// The published families and their corrected twins. What differs between them is the input.
std::vector<Family> PublishedFamilies();
// What every engine of the subsystem measures besides: string_body and double_random.
std::vector<Family> SharedFamilies();

// The pieces of `input`, which arrives in `count` segments of nearly equal length.
std::vector<std::string_view> Segments(std::string_view input, size_t count);
// The pieces of `input` in chunks of `size` bytes.
std::vector<std::string_view> Chunks(std::string_view input, size_t size);

// A line `path=value` of bindings.txt.
struct BoundField {
  std::string path;
  std::string value;
};
std::vector<BoundField> ReadBindings();

// Makes the work of an operation on a request, which outlives it.
using MakeWork = std::function<Work(Operation operation, const Request& request, int64_t arg)>;

// Registers a bench with Google Benchmark. The request is read when the bench first runs.
void RegisterOne(const std::string& name, const std::function<Work(const Request&)>& make);
// Registers all benches of the families.
void Register(const std::vector<Family>& families, const MakeWork& make);

}  // namespace transcode::bench
