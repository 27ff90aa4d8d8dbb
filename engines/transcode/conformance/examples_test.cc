// The large example documents as google.protobuf.Value: the message that libprotobuf makes of
// them, and again after they were printed.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "conformance/cases.h"

namespace transcode::conformance {
namespace {

TEST(Examples, AreTheMessagesOfLibprotobuf) {
  Oracle& oracle = CorpusOracle();
  const std::string type = "google.protobuf.Value";
  const std::unique_ptr<google::protobuf::util::TypeResolver> resolver(
      google::protobuf::util::NewTypeResolverForDescriptorPool("type.googleapis.com",
                                                               &oracle.pool()));
  for (const Json& line : ReadJsonLines("jsonexamples/expected.jsonl")) {
    const std::string file = line.at("file");
    const std::string text = ReadTestData("jsonexamples/" + file + ".gz");
    ASSERT_EQ(text.size(), line.at("bytes").get<size_t>());
    const Answer wire = ToProto(oracle, type, text, {});
    ASSERT_TRUE(wire.ok) << file << " " << wire.bytes;
    std::string theirs;
    ASSERT_TRUE(google::protobuf::util::JsonToBinaryString(
                    resolver.get(), "type.googleapis.com/" + type, text, &theirs)
                    .ok());
    EXPECT_TRUE(oracle.Canonical(type, wire.bytes) == oracle.Canonical(type, theirs)) << file;
    const Answer back = ToJson(oracle, type, wire.bytes, {});
    ASSERT_TRUE(back.ok) << file << " " << back.bytes;
    Json value;
    EXPECT_TRUE(ParseStrictJson(back.bytes, &value)) << file;
    EXPECT_TRUE(ToProto(oracle, type, back.bytes, {}).bytes == wire.bytes) << file;
  }
}

}  // namespace
}  // namespace transcode::conformance
