#include "codec/proto_to_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace transcode {
namespace {

const Schema& Corpus() {
  static const Schema schema = [] {
    std::ifstream file("../testdata/corpus/transcode_corpus.desc", std::ios::binary);
    if (!file) file.open("testdata/corpus/transcode_corpus.desc", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return *Schema::Load(bytes);
  }();
  return schema;
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes.push_back(static_cast<char>(value | 128));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}
std::string Int(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
std::string Len(int field, std::string_view bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}

// The text, or the error; the same for every instruction set.
std::string Print(std::string_view type, std::string_view wire, PrintOptions options = {}) {
  std::string first;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    options.isa = isa;
    Buffer out;
    const Result<> result = ProtoToJson(*Corpus().FindMessage(type), wire, out, options);
    EXPECT_TRUE(result.ok() || out.empty());
    const std::string text(result.ok() ? out.view() : result.error().ToString());
    if (isa == Isa::kScalar) first = text;
    EXPECT_EQ(text, first);
  }
  return first;
}

constexpr std::string_view kNode = "tc.v1.Node";
constexpr std::string_view kMaps = "tc.v1.Maps";
constexpr std::string_view kOneOfs = "tc.v1.OneOfs";
constexpr std::string_view kRepeateds = "tc.v1.Repeateds";
constexpr std::string_view kScalars = "tc.v1.Scalars";

TEST(ProtoToJson, OrderIsThatOfTheDeclaration) {
  EXPECT_EQ(Print(kNode, Int(3, 5) + Len(2, "a") + Len(1, Int(3, 1) + Len(2, "b"))),
            R"({"child":{"name":"b","number":1},"name":"a","number":5})");
}

TEST(ProtoToJson, TheLastValueWinsAndMessagesMerge) {
  EXPECT_EQ(Print(kNode, Len(2, "a") + Len(2, "b")), R"({"name":"b"})");
  EXPECT_EQ(Print(kNode, Len(2, "a") + Len(2, "")), "{}");
  EXPECT_EQ(Print(kNode, Len(1, Len(1, Int(3, 1))) + Int(3, 7) + Len(1, Len(1, Len(2, "x")))),
            R"({"child":{"child":{"name":"x","number":1}},"number":7})");
}

// Messages at the end of messages, around what is in order, out of order, empty or wrong.
TEST(ProtoToJson, ChainsOfMessages) {
  for (const size_t depth : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 90u}) {
    const auto around = [&](std::string wire) {
      for (size_t i = 0; i < depth; ++i) wire = Len(1, wire);
      return Print(kNode, wire);
    };
    std::string open, path = "child";
    for (size_t i = 0; i < depth; ++i) open += "{\"child\":";
    for (size_t i = 1; i < depth; ++i) path += ".child";
    const std::string close(depth, '}');
    EXPECT_EQ(around(""), open + "{}" + close);
    EXPECT_EQ(around(Len(2, "a") + Int(3, 1)), open + R"({"name":"a","number":1})" + close);
    EXPECT_EQ(around(Int(3, 1) + Len(2, "a")), open + R"({"name":"a","number":1})" + close);
    EXPECT_EQ(around(Len(1, Int(3, 1)) + Len(1, Len(2, "a"))),
              open + R"({"child":{"name":"a","number":1}})" + close);
    EXPECT_EQ(around(Len(1, "") + Int(3, 1)), open + R"({"child":{},"number":1})" + close);
    EXPECT_EQ(around(Int(1000, 1) + Len(1, "")), open + R"({"child":{}})" + close);
    EXPECT_EQ(around(Int(1000, 1)), open + "{}" + close);
    EXPECT_THAT(around(Len(2, "\xff")), testing::HasSubstr(" " + path + ".name,"));
    EXPECT_THAT(around(std::string("\x12\x05", 2)), testing::HasSubstr(" " + path + ","));
    EXPECT_THAT(around(Int(3, 1) + Len(2, "\xff")), testing::HasSubstr(" " + path + ".name,"));
  }
}

TEST(ProtoToJson, ListsComeTogether) {
  EXPECT_EQ(Print(kRepeateds, Int(3, 1) + Len(14, "a") + Len(3, "\x02\x03") + Int(3, 4)),
            R"({"rInt32":[1,2,3,4],"rString":["a"]})");
  EXPECT_EQ(Print(kRepeateds, Int(3, 1) + Int(1000, 9) + Int(3, 2)), R"({"rInt32":[1,2]})");
}

TEST(ProtoToJson, OfAOneofTheLastMemberWins) {
  EXPECT_EQ(Print(kOneOfs, Len(1, "a") + Int(2, 0)), R"({"oInt32":0})");
  EXPECT_EQ(Print(kOneOfs, Int(2, 5) + Len(1, "a")), R"({"oString":"a"})");
  // What a member was before another one is lost.
  EXPECT_EQ(Print(kOneOfs, Len(4, Len(2, "lost")) + Int(2, 5) + Len(4, Int(3, 1)) + Len(4, "")),
            R"({"oNode":{"number":1}})");
}

TEST(ProtoToJson, MapsOfAllForms) {
  EXPECT_EQ(Print(kMaps, Len(1, "") + Len(1, Len(2, "v") + Len(1, "k"))),
            R"({"mStringString":{"":"","k":"v"}})");
  EXPECT_EQ(Print(kMaps, Len(2, Int(1, 1) + Int(2, 2)) + Len(2, Int(1, 1) + Int(2, 3))),
            R"({"mInt32Int32":{"1":3}})");
  EXPECT_EQ(Print(kMaps, Len(3, Int(1, 1)) + Len(6, Int(1, 2) + Int(2, 2))),
            R"({"mInt64Int64":{"1":"0"},"mBoolBool":{"true":true}})");
}

constexpr std::string_view kWellKnown = "tc.v1.WellKnown";

TEST(ProtoToJson, AnErrorSaysNoPlaceWhereThereIsNone) {
  const std::string url = "type.googleapis.com/google.protobuf.";
  for (const std::string inner : {"Any", "Struct", "ListValue"}) {
    std::string wire = Len(1, url + inner);  // without a value
    for (int i = 0; i < 98; ++i) wire = Len(1, url + "Any") + Len(2, wire);
    const std::string text = Print(kWellKnown, Len(7, wire));
    EXPECT_TRUE(text.starts_with("INVALID_ARGUMENT: messages are nested too deep")) << text;
    EXPECT_EQ(text.find("byte"), std::string::npos) << text;
  }
}

TEST(ProtoToJson, PrintsAnAnyOfAnyHost) {
  for (const std::string url : {"/tc.v1.Node", "a/tc.v1.Node", "https://a/b/tc.v1.Node"}) {
    EXPECT_EQ(Print(kWellKnown, Len(7, Len(1, url) + Len(2, Len(2, "x")))),
              R"({"any":{"@type":")" + url + R"(","name":"x"}})");
  }
  EXPECT_NE(Print(kWellKnown, Len(7, Len(1, "tc.v1.Node"))).find("type URL"), std::string::npos);
}

TEST(ProtoToJson, PrintsEveryPathOfAMaskThatComesBack) {
  EXPECT_EQ(Print(kWellKnown, Len(3, Len(1, "\xc3\xa9_a") + Len(1, "a\"<\n\x7f"))),
            "{\"mask\":\"\xc3\xa9"
            "A,a\\u0022\\u003c\\u000a\\u007f\"}");
  for (const char* path : {"A", "a,b", "a__b", "a_", "a_1", "\xc3\xa9_"}) {
    EXPECT_NE(Print(kWellKnown, Len(3, Len(1, path))).find("come back"), std::string::npos);
  }
  EXPECT_NE(Print(kWellKnown, Len(3, Len(1, "a\xc3"))).find("UTF-8"), std::string::npos);
}

TEST(ProtoToJson, OfManyEqualKeysTheLastWins) {
  std::string wire;
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) {
      const std::string key = "key" + std::to_string(i);
      wire += Len(1, Len(1, key) + Len(2, std::to_string(round)));
      if (round == 1) text += (i == 0 ? "\"" : ",\"") + key + "\":\"1\"";
    }
  }
  EXPECT_EQ(Print(kMaps, wire), "{\"mStringString\":{" + text + "}}");
}

// The room of the output grows at every possible place, while keys and pieces are kept behind it.
TEST(ProtoToJson, MapsGrowAnywhere) {
  PrintOptions options;
  options.whitespace = true;
  std::string wire;
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = Int(1, static_cast<uint64_t>(i));
    const std::string value = Len(2, Len(2, "lost")) + Len(2, Len(2, "kept"));
    wire += Len(11, key + value) + Len(11, key + value);
    text += (i == 0 ? "\n  \"" : ",\n  \"") + std::to_string(i);
    text += "\": {\n   \"name\": \"kept\"\n  }";
  }
  EXPECT_EQ(Print(kMaps, wire, options), "{\n \"mInt32Node\": {" + text + "\n }\n}");
}

TEST(ProtoToJson, UnknownFieldsAndGroupsAreSkipped) {
  const std::string group = Varint(1000 << 3 | 3) + Int(1, 1) + Varint(1000 << 3 | 4);
  EXPECT_EQ(Print(kNode, group + Int(999, 1) + Len(2, "a") + Len(998, "zzz")), R"({"name":"a"})");
}

TEST(ProtoToJson, ZerosOfFieldsWithoutPresenceAreNotSet) {
  EXPECT_EQ(Print(kScalars, Int(3, 0) + Int(5, uint64_t{1} << 32)), "{}");
  EXPECT_EQ(Print("tc.v1.OptionalScalars", Int(3, 0)), R"({"fInt32":0})");
}

TEST(ProtoToJson, EscapesAndUtf8AtEveryPlace) {
  for (size_t size : {1, 7, 31, 32, 33, 63, 64, 65, 200}) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '\n';
      std::string wanted = text;
      wanted.replace(at, 1, "\\n");
      EXPECT_EQ(Print(kNode, Len(2, text)), "{\"name\":\"" + wanted + "\"}");
      text[at] = '\x01';
      wanted.replace(at, 2, "\\u0001");
      EXPECT_EQ(Print(kNode, Len(2, text)), "{\"name\":\"" + wanted + "\"}");
      text.replace(at, 1, "\xe2\x82\xac");
      EXPECT_EQ(Print(kNode, Len(2, text)), "{\"name\":\"" + text + "\"}");
      text[at + 2] = 'x';
      EXPECT_NE(Print(kNode, Len(2, text)).find("not UTF-8"), std::string::npos);
    }
  }
}

TEST(ProtoToJson, BytesOfEveryLength) {
  EXPECT_EQ(Print(kScalars, Len(15, "f")), R"({"fBytes":"Zg=="})");
  EXPECT_EQ(Print(kScalars, Len(15, "fo")), R"({"fBytes":"Zm8="})");
  for (size_t size = 1; size < 100; ++size) {
    const std::string text = Print(kScalars, Len(15, std::string(size, '\0')));
    EXPECT_EQ(text.size(), (size + 2) / 3 * 4 + 13) << text;  // {"fBytes":""}
  }
}

TEST(ProtoToJson, PackedVarintsOfEveryLength) {
  std::string packed;
  std::string text;
  for (int i = 0; i < 500; ++i) {
    const uint64_t value = uint64_t{0x9e3779b97f4a7c15} * static_cast<uint64_t>(i) >> (i % 64);
    packed += Varint(value);
    text += (i == 0 ? "\"" : ",\"") + std::to_string(value) + "\"";
  }
  EXPECT_EQ(Print(kRepeateds, Len(6, packed)), "{\"rUint64\":[" + text + "]}");
}

TEST(ProtoToJson, PackedVarintsOf32Bits) {
  std::vector<int32_t> values = {INT32_MIN, INT32_MAX, 0, -1, 1, 9, 10, -10, 127, 128, -128};
  for (int64_t power = 1; power < UINT32_MAX; power *= 10) {
    for (const int64_t v : {power - 1, power, -power, 4 * power - 1}) {
      values.push_back(static_cast<int32_t>(v));
    }
  }
  std::string packed[3];
  std::string text[3];
  for (const int32_t v : values) {
    const auto bits = static_cast<uint32_t>(v);
    packed[0] += Varint(static_cast<uint64_t>(int64_t{v}));
    (text[0] += ',') += std::to_string(v);
    packed[1] += Varint(bits);
    (text[1] += ',') += std::to_string(bits);
    packed[2] += Varint(bits << 1 ^ (v < 0 ? UINT32_MAX : 0));
    (text[2] += ',') += std::to_string(v);
  }
  EXPECT_EQ(Print(kRepeateds, Len(3, packed[0])), "{\"rInt32\":[" + text[0].substr(1) + "]}");
  EXPECT_EQ(Print(kRepeateds, Len(5, packed[1])), "{\"rUint32\":[" + text[1].substr(1) + "]}");
  EXPECT_EQ(Print(kRepeateds, Len(7, packed[2])), "{\"rSint32\":[" + text[2].substr(1) + "]}");
}

TEST(ProtoToJson, AnEmptyPathOfAFieldMaskStandsAlone) {
  constexpr std::string_view kMask = "google.protobuf.FieldMask";
  EXPECT_EQ(Print(kMask, ""), R"("")");
  EXPECT_EQ(Print(kMask, Len(1, "")), R"("")");
  EXPECT_EQ(Print(kMask, Len(1, "a_b") + Len(1, "c")), R"("aB,c")");
  for (const std::string& wire :
       {Len(1, "a") + Len(1, ""), Len(1, "") + Len(1, "a"), Len(1, "") + Len(1, "")}) {
    EXPECT_THAT(Print(kMask, wire), testing::HasSubstr("does not come back the same"));
  }
}

TEST(ProtoToJson, Options) {
  PrintOptions options;
  options.whitespace = true;
  EXPECT_EQ(Print(kNode, Len(1, Int(3, 1)) + Len(4, ""), options),
            "{\n \"child\": {\n  \"number\": 1\n },\n \"children\": [\n  {}\n ]\n}");
  options = {};
  options.unpopulated = Unpopulated::kNoPresence;
  EXPECT_EQ(Print(kNode, "", options), R"({"name":"","number":0,"children":[]})");
  options.unpopulated = Unpopulated::kAll;
  EXPECT_EQ(Print(kNode, "", options), R"({"child":null,"name":"","number":0,"children":[]})");
  options = {};
  options.int64 = Int64Format::kNumber;
  options.proto_names = true;
  options.enums_as_ints = true;
  EXPECT_EQ(Print(kScalars, Int(4, 9) + Int(16, 1), options), R"({"f_int64":9,"f_enum":1})");
  options = {};
  options.escape_html = true;
  EXPECT_EQ(Print(kNode, Len(2, "<&>\xe2\x80\xa8"), options),
            R"({"name":"\u003c\u0026\u003e\u2028"})");
}

TEST(ProtoToJson, DepthIsLimited) {
  std::string wire;
  for (int i = 0; i < 99; ++i) wire = Len(1, wire);
  EXPECT_EQ(Print(kNode, wire).substr(0, 10), R"({"child":{)");
  EXPECT_NE(Print(kNode, Len(1, wire)).find("too deep at child.child"), std::string::npos);
}

TEST(AppendProtoToJson, KeepsWhatWasThere) {
  const Message& node = *Corpus().FindMessage(kNode);
  Buffer out("before ");
  ASSERT_TRUE(AppendProtoToJson(node, Len(2, "a"), out).ok());
  EXPECT_EQ(out.view(), R"(before {"name":"a"})");
  EXPECT_FALSE(AppendProtoToJson(node, Len(2, "a") + "\x07", out).ok());
  EXPECT_EQ(out.view(), R"(before {"name":"a"})");
}

TEST(AppendFieldToJson, PrintsTheValueAlone) {
  const Message& node = *Corpus().FindMessage(kNode);
  const auto print = [&](std::string_view name, std::string_view wire) {
    Buffer out;
    EXPECT_TRUE(AppendFieldToJson(*node.FindField(name), wire, out).ok());
    return std::string(out.view());
  };
  const std::string wire = Len(4, Int(3, 1)) + Len(2, "a") + Len(1, Len(2, "b")) + Len(4, "");
  EXPECT_EQ(print("name", wire), R"("a")");
  EXPECT_EQ(print("child", wire), R"({"name":"b"})");
  EXPECT_EQ(print("children", wire), R"([{"number":1},{}])");
  EXPECT_EQ(print("number", wire), "0");
  EXPECT_EQ(print("children", ""), "[]");
  EXPECT_EQ(print("child", ""), "null");
}

TEST(AppendStatusToJson, PrintsDetailsOfKnownAndUnknownTypes) {
  const TypeIndex& types = *Corpus().FindMessage(kNode)->types;
  const std::string known = Len(1, "type.googleapis.com/tc.v1.Node") + Len(2, Len(2, "a"));
  const std::string unknown = Len(1, "type.googleapis.com/x.Y") + Len(2, "abc");
  Buffer out;
  AppendStatusToJson(types, 5, "no \"x\" \xff", Int(1, 5) + Len(3, known) + Len(3, unknown), out);
  EXPECT_EQ(out.view(),
            "{\"code\":5,\"message\":\"no \\\"x\\\" \xef\xbf\xbd\",\"details\":["
            "{\"@type\":\"type.googleapis.com/tc.v1.Node\",\"name\":\"a\"},"
            "{\"@type\":\"type.googleapis.com/x.Y\",\"value\":\"YWJj\"}]}");
}

}  // namespace
}  // namespace transcode
