// The large example documents as google.protobuf.Value: the bytes that the recorded library wrote
// for them, by hash, and back to the same document.

#include <gtest/gtest.h>

#include <string>

#include "conformance/cases.h"
#include "conformance/sha256.h"

namespace transcode::conformance {
namespace {

TEST(Examples, GiveTheRecordedMessages) {
  for (const Json& line : ReadJsonLines("jsonexamples/expected.jsonl")) {
    const std::string file = line.at("file");
    const std::string text = ReadTestData("jsonexamples/" + file + ".gz");
    ASSERT_EQ(text.size(), line.at("bytes").get<size_t>());
    Oracle& oracle = CorpusOracle();
    const Answer wire = ToProto(oracle, "google.protobuf.Value", text, LenientOptions());
    ASSERT_TRUE(wire.ok) << file << " " << wire.bytes;
    EXPECT_EQ(Sha256(*oracle.Canonical("google.protobuf.Value", wire.bytes)),
              line.at("canonical_sha256"))
        << file;
    const Answer back = ToJson(oracle, "google.protobuf.Value", wire.bytes, {});
    ASSERT_TRUE(back.ok) << file << " " << back.bytes;
    Json value;
    ASSERT_TRUE(ParseStrictJson(back.bytes, &value)) << file;
    EXPECT_TRUE(SameJson(value, Json::parse(text))) << file;
  }
}

}  // namespace
}  // namespace transcode::conformance
