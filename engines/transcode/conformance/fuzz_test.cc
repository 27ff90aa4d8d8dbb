// Every fuzz target over its seeds, and over seeds with a few bytes changed: what the fuzzers
// start from, without a fuzzer. The gates run the fuzzers themselves.

#include <gtest/gtest.h>

#include <string>

#include "conformance/fuzz/targets.h"
#include "conformance/random_message.h"

namespace transcode::conformance {
namespace {

TEST(Fuzz, SeedsAndTheirNeighbours) {
  for (const FuzzTarget& target : FuzzTargets()) {
    Random random(1);
    for (const std::string& seed : target.seeds()) {
      for (int change = 0; change < 4; ++change) {
        std::string input = seed;
        for (int i = 0; i < change && !input.empty(); ++i) {
          input[random.Below(input.size())] = static_cast<char>(random.Next());
        }
        target.run(reinterpret_cast<const uint8_t*>(input.data()), input.size());
      }
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
