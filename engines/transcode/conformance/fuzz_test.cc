// Every fuzz target over its seeds, over seeds with a few bytes changed, and over what fuzzers have
// found (fuzz/seeds): without a fuzzer. The gates run the fuzzers themselves.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "conformance/fuzz/targets.h"
#include "conformance/random_message.h"

namespace transcode::conformance {
namespace {

void RunTarget(const FuzzTarget& target, const std::string& input) {
  target.run(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

TEST(Fuzz, SeedsAndTheirNeighbours) {
  for (const FuzzTarget& target : FuzzTargets()) {
    Random random(1);
    for (const std::string& seed : target.seeds()) {
      for (int change = 0; change < 4; ++change) {
        std::string input = seed;
        for (int i = 0; i < change && !input.empty(); ++i) {
          input[random.Below(input.size())] = static_cast<char>(random.Next());
        }
        RunTarget(target, input);
      }
    }
  }
}

TEST(Fuzz, WhatWasFound) {
  for (const FuzzTarget& target : FuzzTargets()) {
    const std::filesystem::path folder = std::filesystem::path("fuzz/seeds") / target.name;
    ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string input{std::istreambuf_iterator<char>(file), {}};
      ASSERT_FALSE(input.empty()) << entry.path();
      std::printf("%s\n", entry.path().c_str());  // the last one is the one that aborts
      RunTarget(target, input);
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
