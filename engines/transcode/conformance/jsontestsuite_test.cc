// The JSONTestSuite, each file as a google.protobuf.Value under RFC 8259: all y_ are accepted and
// all n_ refused. For the i_ files, which RFC 8259 leaves open, see the cases below.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conformance/cases.h"

namespace transcode::conformance {
namespace {

TEST(JsonTestSuite, EveryVerdictIsRight) {
  size_t files = 0;
  for (const std::string& name : ListTestData("jsontestsuite")) {
    if (!name.starts_with("y_") && !name.starts_with("n_")) continue;
    ++files;
    EXPECT_EQ(RunSuiteFile(name), "") << name;
  }
  EXPECT_GT(files, 180u);
}

// Strings must be Unicode and numbers must fit a double.
TEST(JsonTestSuite, OpenCasesAreDecided) {
  const std::set<std::string> accepted = {
      "i_number_double_huge_neg_exp.json",    // underflows to 0
      "i_number_real_underflow.json",         // the same
      "i_number_too_big_neg_int.json",        // read as a double
      "i_number_very_big_negative_int.json",  // the same
  };
  for (const std::string& name : ListTestData("jsontestsuite")) {
    if (!name.starts_with("i_")) continue;
    const Answer answer =
        ToProto(CorpusOracle(), "google.protobuf.Value", ReadTestData("jsontestsuite/" + name), {});
    EXPECT_EQ(answer.ok, accepted.contains(name)) << name << " " << answer.bytes;
  }
}

// Where the strict parser accepts, the lenient one gives the same message.
TEST(JsonTestSuite, LenientTakesAllThatIsStrict) {
  for (const std::string& name : ListTestData("jsontestsuite")) {
    if (!name.ends_with(".json")) continue;
    const std::string text = ReadTestData("jsontestsuite/" + name);
    ParseOptions lenient;
    lenient.syntax = Syntax::kLenient;
    const Answer strict = ToProto(CorpusOracle(), "google.protobuf.Value", text, {});
    const Answer loose = ToProto(CorpusOracle(), "google.protobuf.Value", text, lenient);
    if (strict.ok) {
      EXPECT_TRUE(loose.ok) << name;
      EXPECT_EQ(strict.bytes, loose.bytes) << name;
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
