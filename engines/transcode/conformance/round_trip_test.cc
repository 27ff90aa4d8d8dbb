// Random messages of random schemas, against libprotobuf. TRANSCODE_TEST_LONG=1 takes 300 times
// as many.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
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

constexpr char kAny[] = "google.protobuf.Any";

// An Any of `type`, with `members` before or behind its @type.
std::string AnyText(const std::string& type, const std::string& members, bool type_first) {
  const std::string key = "\"@type\":\"type.googleapis.com/" + type + '"';
  if (members.empty()) return '{' + key + '}';
  return type_first ? '{' + key + ',' + members + '}' : '{' + members + ',' + key + '}';
}

struct FormOfAny {
  std::string type;  // empty: of no type
  std::string members;
  bool lists = false;  // it has fields that are lists or maps: levels that only a reader counts

  std::string Text(bool type_first) const {
    return type.empty() ? "{}" : AnyText(type, members, type_first);
  }
};

std::vector<FormOfAny> FormsOfAny() {
  std::vector<FormOfAny> forms = {{"", ""}};
  for (const char* name : {"Any", "Struct", "Value", "ListValue", "Empty", "Timestamp", "Duration",
                           "FieldMask", "BoolValue", "StringValue"}) {
    forms.push_back({"google.protobuf." + std::string(name), ""});
    forms.push_back({"google.protobuf." + std::string(name), R"("value":null)"});
  }
  for (const char* value : {"{}", R"({"a":null})", R"({"a":{}})", R"({"a":[]})"}) {
    forms.push_back({"google.protobuf.Struct", "\"value\":" + std::string(value)});
    forms.push_back({"google.protobuf.Value", "\"value\":" + std::string(value)});
  }
  for (const char* value : {"[]", "[null]", "[{}]", "[[]]"}) {
    forms.push_back({"google.protobuf.ListValue", "\"value\":" + std::string(value)});
    forms.push_back({"google.protobuf.Value", "\"value\":" + std::string(value)});
  }
  forms.push_back({kAny, R"("value":{})"});
  forms.push_back({"google.protobuf.Empty", R"("value":{})"});
  forms.push_back({"google.protobuf.BoolValue", R"("value":true)"});
  for (const char* members :
       {"", R"("child":null)", R"("child":{})", R"("child":{"child":{}})", R"("name":"a")"}) {
    forms.push_back({"tc.v1.Node", members});
  }
  for (const char* members :
       {R"("any":{})", R"("any":null)", R"("st":{})", R"("list":[])", R"("val":{})",
        R"("val":null)", R"("empty":{})", R"("any":{"@type":"a/google.protobuf.Any"})"}) {
    forms.push_back({"tc.v1.WellKnown", members});
  }
  forms.push_back({"tc.v1.Node", R"("children":[])", true});
  forms.push_back({"tc.v1.Node", R"("children":[{}])", true});
  forms.push_back({"tc.v1.WellKnown", R"("anys":[{}])", true});
  forms.push_back({"tc.v1.Maps", R"("mStringString":{})", true});
  forms.push_back({"tc.v1.Maps", R"("mStringNode":{"k":{}})", true});
  forms.push_back({"tc.v1.Maps", R"("mStringValue":{"k":null})", true});
  return forms;
}

void ExpectPlaceWithin(const Error& error, std::string_view input) {
  EXPECT_TRUE(error.offset == Error::kNoOffset || error.offset <= input.size()) << error.ToString();
}

// Levels of a text without brackets in strings.
int Levels(std::string_view json) {
  int level = 0;
  int most = 0;
  for (const char c : json) {
    if (c == '{' || c == '[') most = std::max(most, ++level);
    if (c == '}' || c == ']') --level;
  }
  return most;
}

// The same is taken at the limit of depth in both directions, whatever the order of the keys:
// neither the text nor what is printed of it may have more levels.
TEST(RoundTrip, TheLimitOfDepthOfAnAnyIsTheSameBothWays) {
  const Message& any = *CorpusOracle().schema().FindMessage(kAny);
  constexpr int kLimit = ParseOptions().depth;
  ParseOptions read_deep;
  PrintOptions print_deep;
  read_deep.depth = print_deep.depth = 2 * kLimit;
  const auto check = [&](const std::string& json, bool lists) {
    Buffer wire, whole, text, again;
    ASSERT_TRUE(JsonToProto(any, json, wire, read_deep).ok());
    ASSERT_TRUE(ProtoToJson(any, wire.view(), whole, print_deep).ok());

    const bool prints = Levels(whole.view()) <= kLimit;
    const Result<> printed = ProtoToJson(any, wire.view(), text);
    EXPECT_TRUE(printed.ok() == prints || (printed.ok() && lists)) << whole.view();
    if (!printed.ok()) ExpectPlaceWithin(printed.error(), wire.view());

    const Result<> read = JsonToProto(any, json, again);
    EXPECT_EQ(read.ok(), prints && Levels(json) <= kLimit);
    if (!read.ok()) ExpectPlaceWithin(read.error(), json);
    EXPECT_EQ(JsonToProto(any, whole.view(), again).ok(), prints) << whole.view();
  };
  for (const FormOfAny& form : FormsOfAny()) {
    for (int levels = kLimit - 5; levels <= kLimit + 2; ++levels) {
      for (const bool type_first : {true, false}) {
        std::string json = form.Text(type_first);
        for (int i = 0; i < levels; ++i) json = AnyText(kAny, "\"value\":" + json, type_first);
        SCOPED_TRACE(form.Text(type_first) + " in " + std::to_string(levels) + " levels");
        check(json, form.lists);
      }
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
