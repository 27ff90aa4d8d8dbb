#include "codec/json_to_proto.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "codec/lenient.h"

namespace transcode {
namespace {

// The messages of testdata/corpus/transcode_corpus.proto.
const Schema& Types() {
  static const Schema schema = [] {
    std::ifstream file("../testdata/corpus/transcode_corpus.desc", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return Schema::Load(bytes).value();
  }();
  return schema;
}

const Message& Type(std::string_view name) { return *Types().FindMessage(name); }

const Field& FieldOf(std::string_view message, std::string_view name) {
  return *Type(message).FindField(name);
}

// The wire in hexadecimal, or the error; the same for every instruction set and parser.
std::string Parse(std::string_view type, std::string_view json, ParseOptions options = {}) {
  std::string first;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    for (const Parser parser : {Parser::kOnePass, Parser::kOnDemand}) {
      options.isa = isa;
      options.parser = parser;
      Buffer out("stale");
      const Result<> result = JsonToProto(Type(type), json, out, options);
      std::string text;
      if (result.ok()) {
        for (const char c : out.view()) {
          text += "0123456789abcdef"[c >> 4 & 15];
          text += "0123456789abcdef"[c & 15];
        }
      } else {
        text = result.error().ToString();
        EXPECT_TRUE(out.empty());
      }
      if (first.empty()) first = text;
      EXPECT_EQ(text, first) << json;
    }
  }
  return first;
}

std::string Scalars(std::string_view json, const ParseOptions& options = {}) {
  return Parse("tc.v1.Scalars", json, options);
}

TEST(JsonToProto, WritesScalarsInTheOrderOfTheText) {
  EXPECT_EQ(Scalars("{}"), "");
  EXPECT_EQ(Scalars(R"({"fInt32":-1})"), "18ffffffffffffffffff01");
  EXPECT_EQ(Scalars(R"({ "f_int32" : 300 , "fBool" : true })"), "18ac026801");
  EXPECT_EQ(Scalars(R"({"fBool":true,"fInt32":1e2})"), "68011864");
  EXPECT_EQ(Scalars(R"({"fString":"h\u00e9\n","fBytes":"-_8"})"), "720468c3a90a7a02fbff");
  EXPECT_EQ(Scalars(R"({"fUint64":"18446744073709551615"})"), "30ffffffffffffffffff01");
  EXPECT_EQ(Scalars(R"({"fSint32":-2,"fFixed32":1})"), "38034d01000000");
  EXPECT_EQ(Scalars(R"({"fDouble":"-Infinity"})"), "09000000000000f0ff");
  EXPECT_EQ(Scalars(R"({"fEnum":"COLOR_BLUE"})"), "800107");
}

TEST(JsonToProto, LeavesOutWhatIsZeroOrNull) {
  EXPECT_EQ(Scalars(R"({"fInt32":0,"fString":"","fBool":false,"fDouble":0,"fBytes":null})"), "");
  EXPECT_EQ(Scalars(R"({"fDouble":-0.0})"), "090000000000000080");
  EXPECT_EQ(Parse("tc.v1.OptionalScalars", R"({"fInt32":0})"), "1800");
}

TEST(JsonToProto, SaysWhereWhatAndWhy) {
  EXPECT_EQ(Parse("tc.v1.Node", R"({"children":[{},{"number":"x"}]})"),
            "INVALID_ARGUMENT: the value is not right for the field at children[1].number, "
            "byte 26: expected int32, got \"x\"");
  EXPECT_EQ(Scalars(R"({"fInt32":2147483648})"),
            "INVALID_ARGUMENT: the number is out of range at f_int32, byte 10: expected int32, "
            "got 2147483648");
  EXPECT_EQ(Scalars(R"({"fInt32":1)"),
            "INVALID_ARGUMENT: the text ends too early, byte 11: expected ',' or '}', "
            "got the end of the text");
  EXPECT_EQ(Parse("tc.v1.Maps", R"({"mStringNode":{"a b":{"name":1}}})"),
            "INVALID_ARGUMENT: the value is not right for the field at "
            "m_string_node[\"a b\"].name, byte 30: expected string, got 1");
}

TEST(JsonToProto, HasAPolicyForUnknownFields) {
  ParseOptions reject;
  reject.unknown_fields = UnknownFields::kReject;
  EXPECT_EQ(Scalars(R"({"x":[{"y":"\""},1],"fInt32":1})"), "1801");
  EXPECT_EQ(Scalars(R"({"x":1})", reject),
            "INVALID_ARGUMENT: the message has no such field, byte 1: got \"x\"");
}

TEST(JsonToProto, HasAPolicyForDuplicates) {
  ParseOptions last;
  last.duplicate_keys = DuplicateKeys::kLast;
  EXPECT_EQ(Scalars(R"({"fInt32":1,"f_int32":0})", last), "18011800");
  EXPECT_NE(Scalars(R"({"fInt32":1,"f_int32":2})").find("stands twice"), std::string::npos);
  // More keys than are compared one by one.
  std::string map = "{\"mInt32Int32\":{\"0\":0";
  for (int i = 1; i < 300; ++i) {
    map += ",\"" + std::to_string(i) + "\":" + std::to_string(i);
  }
  EXPECT_EQ(Parse("tc.v1.Maps", map + "}}").find("twice"), std::string::npos);
  EXPECT_NE(Parse("tc.v1.Maps", map + ",\"7\":7}}").find("stands twice at m_int32_int32[\"7\"]"),
            std::string::npos);
}

TEST(JsonToProto, TakesOneMemberOfAOneof) {
  EXPECT_EQ(Parse("tc.v1.OneOfs", R"({"oInt32":0,"oString":null})"), "1000");
  EXPECT_NE(Parse("tc.v1.OneOfs", R"({"oInt32":1,"oString":"a"})").find("another member"),
            std::string::npos);
}

TEST(JsonToProto, ReadsTheWellKnownTypes) {
  const auto parse = [](std::string_view json) { return Parse("tc.v1.WellKnown", json); };
  EXPECT_EQ(parse(R"({"ts":"1970-01-01T00:00:01.5Z"})"), "0a0808011080cab5ee01");
  EXPECT_EQ(parse(R"({"ts":"1970-01-01T01:00:00+01:00"})"), "0a00");
  EXPECT_EQ(parse(R"({"dur":"-1s"})"), "120b08ffffffffffffffffff01");
  EXPECT_EQ(parse(R"({"mask":"a.bC,d"})"), "1a0a0a05612e625f630a0164");
  EXPECT_EQ(parse(R"({"val":null})"), "2a020800");
  EXPECT_EQ(parse(R"({"list":[true,"x",{}]})"), "320d0a0220010a031a01780a022a00");
  EXPECT_EQ(parse(R"({"wInt32":0,"wString":"a"})"), "72008a01030a0161");
  EXPECT_EQ(parse(R"({"any":{"seconds":1,"value":"1s",)"
                  R"("@type":"type.googleapis.com/google.protobuf.Duration"}})")
                .substr(0, 4),
            "3a32");
  EXPECT_NE(parse(R"({"any":{"@type":"type.googleapis.com/tc.v1.Node",)"
                  R"("@type":"type.googleapis.com/tc.v1.Node"}})")
                .find("stands twice at any"),
            std::string::npos);
}

TEST(JsonToProto, ReadsAnAnyOfAnyHost) {
  const auto parse = [](std::string_view json) { return Parse("tc.v1.WellKnown", json); };
  const std::string wire = "3a120a0b2f74632e76312e4e6f64651203120178";
  EXPECT_EQ(parse(R"({"any":{"@type":"/tc.v1.Node","name":"x"}})"), wire);
  EXPECT_EQ(parse(R"({"any":{"name":"x","@type":"/tc.v1.Node"}})"), wire);
  EXPECT_EQ(parse(R"({"any":{"\u0040t\u0079pe":"\/tc.v1.Node","name":"x"}})"), wire);
  EXPECT_EQ(parse(R"({"any":{"name":"x","@typ\u0065":"/tc.v1.Node"}})"), wire);
  for (const char* url : {"tc.v1.Node", "", "/", "a/b", "/tc.v1.Node/"}) {
    const std::string json = R"({"any":{"@type":")" + std::string(url) + "\"}}";
    EXPECT_NE(parse(json).find("not known at any"), std::string::npos) << parse(json);
  }
  for (const char* key : {"@typ", "@types", "\\u0040typ", "@typ\\u0065s", "@typ\\u0066"}) {
    const std::string json = R"({"any":{")" + std::string(key) + R"(":"/tc.v1.Node"}})";
    EXPECT_NE(parse(json).find("has no \"@type\" at any"), std::string::npos) << parse(json);
  }
  for (const char* cut :
       {"", "\"", "\"@typ", "\"@type", "\"@typ\\", "\"@typ\\u006", "\"@typ\\u0065"}) {
    const std::string json = R"({"any":{)" + std::string(cut);
    EXPECT_NE(parse(json).find("the text ends too early"), std::string::npos) << parse(json);
  }
}

TEST(JsonToProto, LosesNothingOfAnAnyWithoutValue) {
  const auto parse = [](std::string_view json) { return Parse("tc.v1.WellKnown", json); };
  const std::string type = R"({"any":{"@type":"/google.protobuf.)";
  EXPECT_EQ(parse(type + R"(Duration","\u0076alue":"1s"}})"),
            parse(type + R"(Duration","value":"1s"}})"));
  for (const char* kind : {"Duration", "Any", "Struct", "Int32Value", "FieldMask"}) {
    const std::string empty = parse(type + kind + "\"}}");
    EXPECT_EQ(empty.substr(0, 2), "3a");
    // A type and no content: the length of the one is that of the whole.
    EXPECT_EQ(empty.size(), 2 * (4 + std::string("/google.protobuf.").size() + std::strlen(kind)));
    const std::string wrong = parse(type + kind + R"(","seconds":5}})");
    EXPECT_NE(wrong.find("has no \"value\" at any"), std::string::npos) << wrong;
  }
  for (const char* key : {"valu", "values", "valu\\u0066"}) {
    const std::string wrong = parse(type + "Duration\",\"" + key + R"(":"1s"}})");
    EXPECT_NE(wrong.find("has no \"value\" at any"), std::string::npos) << wrong;
  }
  EXPECT_EQ(parse(type + R"(Empty","seconds":5}})").substr(0, 2), "3a");
}

// Blocks of every length, so that a string or list ends at every place of a vector.
TEST(JsonToProto, IsIndifferentToThePlaceInABlock) {
  for (size_t n = 0; n < 300; ++n) {
    const std::string text(n, 'x');
    const std::string wire = Scalars("{\"fString\":\"" + text + "\\n\"}");
    EXPECT_EQ(wire.size(), 2 * (n + 1 + (n + 1 < 128 ? 2 : 3)));
    std::string list = "{\"rInt32\":[";
    for (size_t i = 0; i < n; ++i)
      list += (i == 0 ? "" : i % 7 == 0 ? ", " : ",") + std::to_string(i);
    EXPECT_EQ(Parse("tc.v1.Repeateds", list + "]}").find("INVALID"), std::string::npos) << n;
  }
}

// The policy list-in-list.
TEST(JsonToProto, AListIsNoElementOfAList) {
  ParseOptions lenient;
  lenient.syntax = Syntax::kLenient;
  ParseOptions skipping;
  skipping.null_in_repeated = NullInRepeated::kSkip;
  for (const Field& field : Type("tc.v1.Repeateds").fields) {
    const std::string open = "{\"" + std::string(field.json_name) + "\":";
    const bool any = field.message != nullptr && field.message->well_known == WellKnown::kValue;
    for (const char* list : {"[[]]", "[[],[]]", "[[null]]", "[[[]]]"}) {
      const std::string json = open + list + "}";
      for (const ParseOptions& options : {ParseOptions(), skipping}) {
        const std::string got = Parse("tc.v1.Repeateds", json, options);
        EXPECT_EQ(got.find("INVALID") == std::string::npos, any) << json << " " << got;
      }
      // In lenient syntax only messages are no elements of such a list.
      const bool taken = field.message == nullptr && std::string_view(list) != "[[null]]";
      const std::string got = Parse("tc.v1.Repeateds", json, lenient);
      EXPECT_EQ(got.find("INVALID") == std::string::npos, any || taken) << json << " " << got;
      if (taken) {
        EXPECT_EQ(got, "");
      }
    }
  }
  const std::string nested = R"({"rInt32":[[1],2],"rString":["a",["b"]]})";
  EXPECT_NE(Parse("tc.v1.Repeateds", nested).find("INVALID"), std::string::npos);
}

TEST(JsonToProto, RefusesListsThatAreNotJson) {
  const std::string tail = ",1111111,1111111,1111111,1111111,1111111,1111111,1111111,1111111";
  for (const char* list :
       {"1,", "01", "1,,2", "-", "1 2", "\"1", "1\"", "--1", "1x", "2147483648"}) {
    const std::string json = std::string("{\"rInt32\":[1111111111,") + list + tail + "]}";
    EXPECT_NE(Parse("tc.v1.Repeateds", json).find("INVALID"), std::string::npos) << list;
  }
}

TEST(JsonToProto, RoundsDoublesAsStrtodDoes) {
  std::mt19937_64 random(7);
  std::vector<std::string> texts = {"2.2250738585072011e-308",
                                    "5e-324",
                                    "1e-400",
                                    "1.7976931348623157e308",
                                    "9007199254740993",
                                    "123456789012345678901234567890e-10",
                                    "0.000001",
                                    "8.5e22"};
  for (int i = 0; i < 20000; ++i) {
    char text[64];
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (value != value || value > 1e308 || value < -1e308) continue;
    if (i % 4 >= 2) value = static_cast<double>(bits) / 1e9;
    snprintf(text, sizeof text, i % 2 == 0 ? "%.16e" : "%.18g", value);
    texts.push_back(text);
  }
  Buffer out;
  for (const std::string& text : texts) {
    ASSERT_TRUE(JsonToProto(Type("tc.v1.OptionalScalars"), "{\"fDouble\":" + text + "}", out).ok())
        << text;
    double got;
    std::memcpy(&got, out.data() + 1, sizeof got);
    EXPECT_EQ(got, std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(JsonToProto, WritesLengthsTheSameInOneAndTwoPasses) {
  // Nested so that some lengths have two bytes, some three, and some are deferred.
  std::string json = "{}";
  for (int i = 0; i < 60; ++i) {
    json = "{\"name\":\"" + std::string(static_cast<size_t>(i), 'n') + "\",\"child\":" + json + "}";
  }
  ParseOptions two_pass;
  two_pass.lengths = Lengths::kTwoPass;
  EXPECT_EQ(Parse("tc.v1.Node", json, two_pass), Parse("tc.v1.Node", json));
}

TEST(JsonToProto, LimitsDepthAndSize) {
  ParseOptions options;
  options.depth = 3;
  EXPECT_EQ(Parse("google.protobuf.Value", "[[[]]]", options), "32080a0632040a023200");
  EXPECT_NE(Parse("google.protobuf.Value", "[[[[]]]]", options).find("nested"), std::string::npos);
  options.max_bytes = 2;
  Buffer out;
  const Result<> result = JsonToProto(Type("tc.v1.Scalars"), "{} ", out, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::kResourceExhausted);
}

TEST(JsonToProto, TakesLenientSyntaxOnASecondTry) {
  ParseOptions lenient;
  lenient.syntax = Syntax::kLenient;
  EXPECT_EQ(Scalars("{fInt32:1,'fString':'a\"',}", lenient), "180172026122");
  EXPECT_EQ(Scalars("", lenient), "");
  EXPECT_NE(Scalars("{fInt32:1}").find("expected a key"), std::string::npos);
  // The offset is that of the text, not of the one made strict.
  EXPECT_EQ(Scalars("{fInt32:'x'}", lenient),
            "INVALID_ARGUMENT: the value is not right for the field at f_int32, byte 8: "
            "expected int32, got \"x\"");
}

TEST(JsonPartToProto, ParsesOneElementOfAnArray) {
  const std::string_view json = R"([{"name":"a"}, {"name":"b"}])";
  ParsePart part;
  part.position = 14;
  part.prefix = true;
  Buffer out;
  const Result<Parsed> parsed = JsonPartToProto(Type("tc.v1.Node"), json, part, out);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->end, 27u);
  EXPECT_EQ(out.view(),
            "\x12\x01"
            "b");
}

TEST(JsonPartToProto, SaysThatAValueMayGoOn) {
  const std::string_view json = R"({"name":"a\u00e9","number":-12,"child":{"children":[]}})";
  ParsePart part;
  part.prefix = part.more = true;
  Buffer out;
  for (size_t size = 0; size <= json.size(); ++size) {
    const auto parsed = JsonPartToProto(Type("tc.v1.Node"), json.substr(0, size), part, out);
    ASSERT_TRUE(parsed.ok()) << size << " " << parsed.error().ToString();
    EXPECT_EQ(parsed->incomplete, size < json.size()) << size;
  }
}

TEST(JsonPartToProto, TakesTheValueOfABodyField) {
  const Field* const path[] = {&FieldOf("tc.v1.Node", "child"), &FieldOf("tc.v1.Node", "number")};
  ParsePart part;
  part.body = path;
  Buffer out;
  ASSERT_TRUE(JsonPartToProto(Type("tc.v1.Node"), "5", part, out).ok());
  EXPECT_EQ(out.view(), "\x0a\x02\x18\x05");
}

TEST(JsonPartToProto, NotesWhichWatchedFieldsTheTextSets) {
  const Field* const inner[] = {&FieldOf("tc.v1.Node", "child"), &FieldOf("tc.v1.Node", "number")};
  const Field* const name[] = {&FieldOf("tc.v1.Node", "name")};
  WatchedPath watched[] = {{inner}, {name}};
  ParsePart part;
  part.watched = watched;
  Buffer out;
  const std::string_view json = R"({"name":null,"child":{"name":"x","number": 7}})";
  ASSERT_TRUE(JsonPartToProto(Type("tc.v1.Node"), json, part, out).ok());
  EXPECT_TRUE(watched[0].seen);
  EXPECT_EQ(json.substr(watched[0].begin, watched[0].end - watched[0].begin), "7");
  EXPECT_FALSE(watched[1].seen);
}

TEST(TextToProto, TextIsUtf8) {
  for (const char* field : {"mask", "ts", "dur"}) {
    Buffer out;
    EXPECT_FALSE(TextToProto(FieldOf("tc.v1.WellKnown", field), "a,\xa8", out).ok()) << field;
    EXPECT_TRUE(out.empty());
  }
  Buffer out;
  EXPECT_TRUE(TextToProto(FieldOf("tc.v1.WellKnown", "mask"), "a,\xc3\xa8", out).ok());
}

// What is not plain is read behind the output, which may move by that.
TEST(JsonToProto, ReadsLongKeysThatAreNotPlain) {
  for (size_t size = 1; size < 3000; size += 61) {
    const std::string name(size, 'k');
    for (const std::string& key : {"\\n" + name, "\u00e9" + name, name + "\\u00e9"}) {
      const std::string json = "{\"" + key + "\":1,\"" + key + "\":[],\"number\":5,\"" + key +
                               "\":2,\"child\":{\"" + key + "\":3,\"number\":6}}";
      ASSERT_EQ(Parse("tc.v1.Node", json), "18050a021806") << json;
    }
  }
}

TEST(JsonToProto, TakesTheValueOfAnAnyAsOftenAsItStands) {
  ParseOptions options;
  options.duplicate_keys = DuplicateKeys::kLast;
  const std::pair<std::string, std::string> forms[] = {
      {"Timestamp", "\"1970-01-01T00:00:01.000000001Z\""},
      {"Duration", "\"1.000000001s\""},
      {"DoubleValue", "1"},
      {"Value", "1"}};
  for (const auto& [type, value] : forms) {
    std::string json = R"({"any":{"@type":"type.googleapis.com/google.protobuf.)" + type + "\"";
    for (int i = 0; i < 200; ++i) json += ",\"value\":" + value;
    json += "}}";
    const std::string wire = Parse("tc.v1.WellKnown", json, options);
    EXPECT_GT(wire.size(), 200u * 2 * 4) << wire;
    EXPECT_TRUE(wire.starts_with("3a")) << wire;
  }
}

TEST(TextToProto, NoTextAtAllIsAnEmptyOne) {
  Buffer nothing;
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.WellKnown", "mask"), {}, nothing).ok());
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.Scalars", "fString"), {}, nothing).ok());
  Buffer empty;
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.WellKnown", "mask"), "", empty).ok());
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.Scalars", "fString"), "", empty).ok());
  EXPECT_EQ(nothing.view(), empty.view());
}

TEST(TextToProto, AppendsABindingToAMessage) {
  Buffer out("!");
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.Scalars", "fInt32"), "-1", out).ok());
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.Scalars", "fString"), "a/b", out).ok());
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.Scalars", "fEnum"), "COLOR_RED", out).ok());
  ASSERT_TRUE(TextToProto(FieldOf("tc.v1.WellKnown", "dur"), "1s", out).ok());
  EXPECT_EQ(out.size(), 1u + 11 + 5 + 3 + 4);
  const Result<> bad = TextToProto(FieldOf("tc.v1.Scalars", "fBool"), "maybe", out);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().path, "f_bool");
  EXPECT_EQ(out.size(), 24u);
}

TEST(MakeStrict, RewritesWhatTheStrictParserRefuses) {
  EXPECT_EQ(MakeStrict("{a:[1.,-.5,01.5,],}").json, R"({"a":[1.0,-0.5,1.5]})");
  EXPECT_EQ(MakeStrict("'it\\'s \"\\v'").json, R"("it's \"\u000b")");
  EXPECT_EQ(MakeStrict("[,]").json, "[,]");
}

TEST(JsonBoundary, FindsTheEndOfAValueInPieces) {
  const std::string_view text = R"( {"a":"}\"]","b":[1,{"c":"a string of more than 16\\"}]} ,7 )";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    JsonBoundary boundary;
    size_t used = 0;
    size_t end = 0;
    if (boundary.Push(text.substr(0, cut), &used)) {
      end = used;
    } else {
      ASSERT_EQ(used, cut);
      ASSERT_TRUE(boundary.Push(text.substr(cut), &used));
      end = cut + used;
    }
    EXPECT_EQ(text.substr(end), " ,7 ") << cut;
  }
}

TEST(JsonBoundary, EndsAWordAtTheByteBehindIt) {
  JsonBoundary boundary;
  size_t used = 0;
  EXPECT_FALSE(boundary.Push("12", &used));
  ASSERT_TRUE(boundary.Push("3,4", &used));
  EXPECT_EQ(used, 1u);
}

}  // namespace
}  // namespace transcode
