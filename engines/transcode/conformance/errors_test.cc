// What is wrong is said exactly: the path of the field, the byte, what was expected and what is
// there. And nothing of a message comes out with an error.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/cases.h"

namespace transcode::conformance {
namespace {

struct BadJson {
  const char* type;
  const char* json;  // the fault is at the ^ of `marks`
  const char* marks;
  const char* path;
  const char* expected;  // a part of it
  const char* got;       // a part of it
  ParseOptions options = {};
};

ParseOptions RejectUnknown() {
  ParseOptions options;
  options.unknown_fields = UnknownFields::kReject;
  return options;
}

const std::vector<BadJson>& Table() {
  static const std::vector<BadJson> table = {
      {"tc.v1.Request", R"({"shelfId":"x"})",
       /**************/ R"(           ^    )", "shelf_id", "int64", "x"},
      {"tc.v1.Request", R"({"shelf":{"id":true}})",
       /**************/ R"(               ^     )", "shelf.id", "int64", "true"},
      {"tc.v1.Request", R"({"shelves":[{},{"id":[]}]})",
       /**************/ R"(                     ^    )", "shelves[1].id", "int64", "["},
      {"tc.v1.Request", R"({"labels":{"a":"b","k":5}})",
       /**************/ R"(                       ^  )", "labels[\"k\"]", "string", "5"},
      {"tc.v1.Request", R"({"numbers":[1,2,2147483648]})",
       /**************/ R"(                ^           )", "numbers[2]", "int32", "2147483648"},
      {"tc.v1.Request", R"({"numbers":[1,null]})",
       /**************/ R"(              ^     )", "numbers[1]", "null", "null"},
      {"tc.v1.Request", R"({"numbers":7})",
       /**************/ R"(           ^ )", "numbers", "array", "7"},
      {"tc.v1.Request", R"({"shelf":[]})",
       /**************/ R"(         ^  )", "shelf", "object", "["},
      {"tc.v1.Request", R"({"flag":"yes!"})",
       /**************/ R"(        ^      )", "flag", "bool", "yes!"},
      {"tc.v1.Request", R"({"ratio":"nan"})",
       /**************/ R"(         ^     )", "ratio", "", "nan"},
      {"tc.v1.Request", R"({"ratio":1e999})",
       /**************/ R"(         ^     )", "ratio", "double", "1e999"},
      {"tc.v1.Request", R"({"blob":"a*b="})",
       /**************/ R"(        ^      )", "blob", "base64", "a*b="},
      {"tc.v1.Request", R"({"color":"PINK"})",
       /**************/ R"(         ^      )", "color", "tc.v1.Color", "PINK", RejectUnknown()},
      {"tc.v1.Request", R"({"when":"yesterday"})",
       /**************/ R"(        ^           )", "when", "time", "yesterday"},
      {"tc.v1.Request", R"({"nested":{"nested":{"when":7}}})",
       /**************/ R"(                            ^   )", "nested.nested.when", "time", "7"},
      {"tc.v1.Request", R"({"nope":1})",
       /**************/ R"( ^        )", "", "", "nope", RejectUnknown()},
      {"tc.v1.Request", R"({"shelf":{"nope":{"a":[]}}})",
       /**************/ R"(          ^                )", "shelf", "", "nope", RejectUnknown()},
      {"tc.v1.Request", R"({"name":"a","name":"b"})",
       /**************/ R"(            ^          )", "name", "", ""},
      {"tc.v1.OneOfs", R"({"oString":"a","oInt32":5})",
       /*************/ R"(               ^          )", "o_int32", "", ""},
      {"tc.v1.Request", R"({"name":"a" "flag":true})",
       /**************/ R"(            ^           )", "", ",", "\""},
      {"tc.v1.Request", R"({"name":"a",})",
       /**************/ R"(            ^)", "", "key", "}"},
      {"tc.v1.Request", R"({"name" "a"})",
       /**************/ R"(        ^   )", "", ":", "\""},
      {"tc.v1.Request", R"({"name":"a)",
       /**************/ R"(          ^)", "name", "", ""},
      {"tc.v1.Request", R"({"name":"a\q"})",
       /**************/ R"(           ^  )", "name", "escape", "q"},
      {"tc.v1.Request", R"({"name":"\ud800x"})",
       /**************/ R"(         ^       )", "name", "", "\\ud800"},
      {"tc.v1.Request", R"({"name":"a"}x)",
       /**************/ R"(            ^)", "", "", "x"},
      {"tc.v1.Request",
       R"({"name":"a"})"
       "\xff",
       /**************/ R"(            ^)", "", "", ""},
      {"tc.v1.Request", "", "^", "", "", ""},
      {"tc.v1.Request", "[]", "^ ", "", "object", "["},
      {"tc.v1.Request", R"({"numbers":[01]})",
       /**************/ R"(             ^  )", "numbers[0]", "", "1"},
      {"google.protobuf.Struct", R"({"a":{"b":[1,nul]}})",
       /***********************/ R"(             ^     )", "[\"a\"][\"b\"][1]", "", "nul"},
      {"tc.v1.WellKnown", R"({"any":{"@type":"type.googleapis.com/no.Such"}})",
       /****************/ R"(                ^                               )", "any", "type",
       "no."},
      {"tc.v1.WellKnown", R"({"any":{"@type":"type.googleapis.com/tc.v1.Node","number":"x"}})",
       R"(                                                          ^     )", "any.number", "int32",
       "x"},
  };
  return table;
}

TEST(Errors, OfJsonSayWhatAndWhere) {
  for (const BadJson& bad : Table()) {
    SCOPED_TRACE(std::string(bad.json) + "\n" + bad.marks);
    Buffer out;
    out.Append("what was there before");
    const Result<> result =
        JsonToProto(*CorpusOracle().schema().FindMessage(bad.type), bad.json, out, bad.options);
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(out.empty());
    const Error& error = result.error();
    EXPECT_EQ(error.code, Code::kInvalidArgument);
    EXPECT_EQ(error.path, bad.path) << error.ToString();
    EXPECT_EQ(error.offset, std::string(bad.marks).find('^')) << error.ToString();
    const std::string said = error.message + " " + error.expected;
    EXPECT_NE(said.find(bad.expected), std::string::npos) << error.ToString();
    EXPECT_NE((error.message + " " + error.got).find(bad.got), std::string::npos)
        << error.ToString();
    EXPECT_NE(error.message, "");
    EXPECT_LE(error.got.size(), 100u);
  }
}

TEST(Errors, OfLimitsAreResourceExhausted) {
  ParseOptions options;
  options.max_bytes = 10;
  Buffer out;
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Request");
  const Result<> size = JsonToProto(type, R"({"name":"abc"})", out, options);
  ASSERT_FALSE(size.ok());
  EXPECT_EQ(size.error().code, Code::kResourceExhausted);
}

struct BadWire {
  const char* type;
  std::string wire;
  const char* path;
  size_t offset_from, offset_to;  // the fault lies here
};

TEST(Errors, OfWireSayWhere) {
  const std::vector<BadWire> table = {
      {"tc.v1.Request", "\x0a\x05z", "", 0, 3},
      {"tc.v1.Request", "\x10\xff", "", 0, 2},
      {"tc.v1.Request", "\x1a\x04\x0a\x05zz", "shelf", 2, 6},
      {"tc.v1.Request", std::string("\x6a\x00\x6a\x03\x0a\x01\xff", 7), "shelves[1].name", 4, 7},
      {"tc.v1.Request", "\x7a\x06\x0a\x01k\x12\x01\xff", "labels[\"k\"]", 2, 8},
      {"tc.v1.Request", "\x2a\x02\x05\xff", "numbers", 2, 4},
      {"tc.v1.Request", "\x07", "", 0, 1},
      {"tc.v1.Request", std::string("\x00\x01", 2), "", 0, 1},
      {"tc.v1.Request", "\xc3\x3e\x08", "", 0, 3},
      {"tc.v1.Request", "\xc4\x3e", "", 0, 2},
      {"tc.v1.Request", "\x52\x06\x08\x80\x80\x80\x80\x80", "when", 2, 8},
  };
  for (const BadWire& bad : table) {
    SCOPED_TRACE(ToHex(bad.wire));
    Buffer out;
    const Result<> result =
        ProtoToJson(*CorpusOracle().schema().FindMessage(bad.type), bad.wire, out, {});
    ASSERT_FALSE(result.ok()) << out.view();
    EXPECT_TRUE(out.empty());
    const Error& error = result.error();
    EXPECT_EQ(error.code, Code::kInvalidArgument);
    EXPECT_EQ(error.path, bad.path) << error.ToString();
    EXPECT_GE(error.offset, bad.offset_from) << error.ToString();
    EXPECT_LE(error.offset, bad.offset_to) << error.ToString();
    EXPECT_NE(error.message, "");
  }
}

TEST(Errors, AMessageSetIsNeitherReadNorPrinted) {
  const Schema schema = Schema::Load(ReadTestData("corpus/test_messages.desc")).value();
  const Message& message =
      *schema.FindMessage("protobuf_test_messages.proto2.TestAllTypesProto2.MessageSetCorrect");
  Buffer out;
  EXPECT_FALSE(JsonToProto(message, "{}", out).ok());
  const Result<> printed =
      ProtoToJson(message, std::string_view("\x0b\x10\xe8\x07\x1a\x04\x0a\x02hi\x0c", 10), out);
  ASSERT_FALSE(printed.ok());
  EXPECT_EQ(printed.error().message, "a message set cannot be printed");
  EXPECT_TRUE(out.empty());

  // In an Any, too, whatever is given as its content, and without any.
  const Message& any = *schema.FindMessage("google.protobuf.Any");
  const std::string url = "type.googleapis.com/" + std::string(message.full_name);
  for (const char* content :
       {"", R"(,"value":null)", R"(,"value":{})", R"(,"value":"")", R"(,"a":1)"}) {
    SCOPED_TRACE(content);
    const std::string json = "{\"@type\":\"" + url + '"' + content + '}';
    const Result<> read = JsonToProto(any, json, out);
    ASSERT_FALSE(read.ok()) << ToHex(out.view());
    EXPECT_EQ(read.error().message, "a message set cannot be read");
  }
  const std::string wire = "\x0a" + std::string(1, static_cast<char>(url.size())) + url;
  for (const std::string content : {"", "\x12\x02\x0b\x0c", "\x12\x02\x08\x01"}) {
    const Result<> refused = ProtoToJson(any, wire + content, out);
    ASSERT_FALSE(refused.ok()) << out.view();
    EXPECT_EQ(refused.error().message, "a message set cannot be printed");
  }
}

}  // namespace
}  // namespace transcode::conformance
