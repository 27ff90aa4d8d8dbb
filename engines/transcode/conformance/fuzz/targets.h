#pragma once

// What the fuzzers call, and the seeds they start from. A target aborts with a message when
// something is wrong; any bytes are an input.
//
// Input: a byte that chooses the type, a byte of options, then the text or message.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace transcode::conformance {

struct FuzzTarget {
  const char* name;
  void (*run)(const uint8_t* data, size_t size);
  std::vector<std::string> (*seeds)();
};

// json_to_proto, proto_to_json, round_trip, libprotobuf, chunked, routes, pipeline.
const std::vector<FuzzTarget>& FuzzTargets();

}  // namespace transcode::conformance
