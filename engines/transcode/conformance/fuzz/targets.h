#pragma once

// What the fuzzers call, and the seeds they start from. A target aborts with a message when
// something is wrong; any bytes are an input.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace transcode::conformance {

struct FuzzTarget {
  const char* name;
  void (*run)(const uint8_t* data, size_t size);
  std::vector<std::string> (*seeds)();  // beside those of fuzz/seeds
};

const std::vector<FuzzTarget>& FuzzTargets();

// Its parts, each in a file of its own.
std::vector<FuzzTarget> CodecTargets();
std::vector<FuzzTarget> ChunkedTargets();
std::vector<FuzzTarget> RouteTargets();
std::vector<FuzzTarget> PipelineTargets();
std::vector<FuzzTarget> FrameTargets();
std::vector<FuzzTarget> MetadataTargets();
std::vector<FuzzTarget> Http1Targets();
std::vector<FuzzTarget> Http2Targets();
std::vector<FuzzTarget> UpstreamTargets();

}  // namespace transcode::conformance
