#include "conformance/fuzz/targets.h"

namespace transcode::conformance {

const std::vector<FuzzTarget>& FuzzTargets() {
  static const std::vector<FuzzTarget> targets = [] {
    std::vector<FuzzTarget> all;
    for (const auto& some :
         {CodecTargets(), ChunkedTargets(), RouteTargets(), PipelineTargets(), FrameTargets(),
          MetadataTargets(), Http1Targets(), Http2Targets(), UpstreamTargets()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return targets;
}

}  // namespace transcode::conformance
