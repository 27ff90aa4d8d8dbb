// Random messages of random schemas, against libprotobuf. TRANSCODE_TEST_LONG=1 takes 300 times
// as many.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "conformance/cases.h"
#include "conformance/random_message.h"

namespace transcode::conformance {
namespace {

namespace pb = google::protobuf;

size_t Schemas() { return std::getenv("TRANSCODE_TEST_LONG") != nullptr ? 20000 : 60; }
constexpr size_t kMessagesOfASchema = 12;

// Calls test(schema, type, message) for random messages.
template <class Test>
void ForRandomMessages(uint64_t first_seed, Test test) {
  for (uint64_t seed = first_seed; seed < first_seed + Schemas(); ++seed) {
    RandomSchema schema(seed);
    Random random(seed);
    for (size_t i = 0; i < kMessagesOfASchema; ++i) {
      const std::string& type = schema.types()[random.Below(schema.types().size())];
      SCOPED_TRACE("seed " + std::to_string(seed) + ", message " + std::to_string(i));
      test(schema, type, *schema.Message(type, random));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

PrintOptions RandomPrint(Random& random) {
  PrintOptions print;
  print.whitespace = random.OneIn(2);
  // Not kAll: its null for a google.protobuf.Value that is not set reads back as a Value of null.
  print.unpopulated = random.OneIn(2) ? Unpopulated::kNone : Unpopulated::kNoPresence;
  print.enums_as_ints = random.OneIn(2);
  print.proto_names = random.OneIn(2);
  print.int64 = random.OneIn(2) ? Int64Format::kString : Int64Format::kNumber;
  print.escape_html = random.OneIn(2);
  return print;
}

// Under all print options: what we print is strict JSON and reads back as the same message.
TEST(RoundTrip, BinaryToJsonToBinary) {
  Random options(1);
  ForRandomMessages(1, [&](RandomSchema& schema, const std::string& type, const pb::Message& m) {
    Oracle& oracle = schema.oracle();
    const std::string wire = Oracle::Serialize(m);
    const Answer json = ToJson(oracle, type, wire, RandomPrint(options));
    ASSERT_TRUE(json.ok) << json.bytes << "\n" << m.DebugString();
    Json value;
    ASSERT_TRUE(ParseStrictJson(json.bytes, &value)) << json.bytes;
    const Answer back = ToProto(oracle, type, json.bytes, {});
    ASSERT_TRUE(back.ok) << back.bytes << "\n" << json.bytes;
    ASSERT_EQ(oracle.Canonical(type, back.bytes), oracle.Canonical(type, wire))
        << json.bytes << "\n"
        << m.DebugString() << ToHex(back.bytes) << "\n"
        << ToHex(wire);
  });
}

std::unique_ptr<pb::util::TypeResolver> Resolver(RandomSchema& schema) {
  return std::unique_ptr<pb::util::TypeResolver>(
      pb::util::NewTypeResolverForDescriptorPool("type.googleapis.com", &schema.oracle().pool()));
}

// What we print, libprotobuf reads as the same message.
TEST(RoundTrip, LibprotobufReadsOurs) {
  ForRandomMessages(
      1 << 20, [](RandomSchema& schema, const std::string& type, const pb::Message& m) {
        Oracle& oracle = schema.oracle();
        const std::string wire = Oracle::Serialize(m);
        const Answer json = ToJson(oracle, type, wire, {});
        ASSERT_TRUE(json.ok) << json.bytes << "\n" << m.DebugString();
        const auto resolver = Resolver(schema);
        std::string read;
        const auto status = pb::util::JsonToBinaryString(
            resolver.get(), "type.googleapis.com/" + type, json.bytes, &read);
        ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << json.bytes;
        ASSERT_EQ(oracle.Canonical(type, read), oracle.Canonical(type, wire)) << json.bytes << "\n"
                                                                              << m.DebugString();
      });
}

// What libprotobuf prints, we read as the same message.
TEST(RoundTrip, WeReadLibprotobufs) {
  ForRandomMessages(1 << 21, [](RandomSchema& schema, const std::string& type,
                                const pb::Message& m) {
    Oracle& oracle = schema.oracle();
    const std::string wire = Oracle::Serialize(m);
    const auto resolver = Resolver(schema);
    std::string json;
    const auto status =
        pb::util::BinaryToJsonString(resolver.get(), "type.googleapis.com/" + type, wire, &json);
    ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << m.DebugString();
    const Answer read = ToProto(oracle, type, json, {});
    ASSERT_TRUE(read.ok) << read.bytes << "\n" << json;
    ASSERT_EQ(oracle.Canonical(type, read.bytes), oracle.Canonical(type, wire)) << json << "\n"
                                                                                << m.DebugString();
  });
}

}  // namespace
}  // namespace transcode::conformance
