// protobuf's own conformance suite, recorded: every Required case passes, and every Recommended
// one but those that testdata/recommended_failures.tsv names with a reason.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "conformance/cases.h"

namespace transcode::conformance {
namespace {

TEST(Conformance, RequiredPasses) {
  size_t cases = 0;
  for (const Json& line : ReadJsonLines("corpus/conformance.jsonl")) {
    if (line.at("level") != "Required") continue;
    ++cases;
    EXPECT_EQ(RunConformance(line), "") << line.at("name") << "\n" << line.dump();
  }
  EXPECT_GT(cases, 700u);
}

TEST(Conformance, RecommendedFailsWhereListedAndOnlyThere) {
  std::map<std::string, std::string> reasons;
  for (const auto& row : ReadTable("recommended_failures.tsv", 2)) reasons[row[0]] = row[1];
  for (const Json& line : ReadJsonLines("corpus/conformance.jsonl")) {
    if (line.at("level") != "Recommended") continue;
    const std::string difference = RunConformance(line);
    const auto listed = reasons.find(line.at("name"));
    if (listed == reasons.end()) {
      EXPECT_EQ(difference, "") << line.at("name") << "\n" << line.dump();
    } else {
      EXPECT_NE(difference, "") << line.at("name") << " passes, but is listed as a failure";
      EXPECT_NE(listed->second, "") << line.at("name") << " is listed without a reason";
      reasons.erase(listed);
    }
  }
  for (const auto& [name, reason] : reasons) ADD_FAILURE() << "listed, but no case: " << name;
}

}  // namespace
}  // namespace transcode::conformance
