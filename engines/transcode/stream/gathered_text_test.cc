#include "stream/gathered_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/random_message.h"
#include "conformance/streams.h"

namespace transcode {
namespace {

using conformance::CorpusOracle;
using conformance::Random;
using conformance::RunRequest;
using conformance::Seen;

constexpr size_t kNoLimit = static_cast<size_t>(-1);
constexpr Isa kIsas[] = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512};

const Message& TypeOf(const char* name) { return *CorpusOracle().schema().FindMessage(name); }

// Plain text of a string.
std::string Plain(size_t size) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i) text += "a plain text, number " + std::to_string(i);
  return text.substr(0, size);
}

void Gather(std::string_view text, size_t step, GatheredText& gathered) {
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    const std::string piece(text.substr(0, step));
    gathered.Append(piece);
  }
}

TEST(GatheredText, TheParserTakesALongStringWithoutACopy) {
  const Message& type = TypeOf("tc.v1.Node");
  for (const Isa isa : kIsas) {
    ParseOptions options;
    options.isa = isa;
    for (const size_t step : {1u, 7u, 64u, 255u, 4096u, 65536u}) {
      const std::string json = "{\"name\":\"" + Plain(300000) + "\\n\\u00e9\",\"number\":7}";
      GatheredText gathered;
      gathered.Start(true, kNoLimit, isa);
      Gather(json, step, gathered);
      EXPECT_EQ(gathered.size(), json.size());
      ASSERT_TRUE(gathered.is_cut());
      CutString cut = gathered.Cut();
      const char* const plain = cut.plain->data() + cut.front;
      ParsePart part;
      part.cut = &cut;
      Buffer out, whole;
      const Result<Parsed> parsed = JsonPartToProto(type, gathered.view(), part, out, options);
      ASSERT_TRUE(parsed.ok());
      EXPECT_FALSE(parsed->incomplete);
      EXPECT_EQ(parsed->end, json.size());
      EXPECT_EQ(out.data() + cut.taken_at, plain);
      ASSERT_TRUE(JsonToProto(type, json, whole, options).ok());
      EXPECT_TRUE(out.view() == whole.view());
      gathered.Join(cut, out);
      EXPECT_TRUE(gathered.view() == json);
    }
  }
}

TEST(GatheredText, ShortStringsAndNumbersStayInOnePiece) {
  std::string strings = "{\"names\":[", numbers = "{\"a:\":[";
  for (int i = 0; i < 20000; ++i) {
    strings += "\"a name\",";
    numbers += "12345,";
  }
  for (const std::string& text : {strings, Plain(100000), std::string(100000, '\\')}) {
    GatheredText gathered;
    gathered.Start(true, kNoLimit, Isa::kAuto);
    Gather(text, 100, gathered);
    EXPECT_FALSE(gathered.is_cut());
    EXPECT_TRUE(gathered.view() == text);
  }
  GatheredText gathered;
  gathered.Start(false, kNoLimit, Isa::kAuto);
  const std::string text = "{\"name\":\"" + Plain(100000);
  Gather(text, 100, gathered);
  EXPECT_FALSE(gathered.is_cut());
  // The guess is wrong here, which costs a copy and nothing else.
  gathered.Start(true, kNoLimit, Isa::kAuto);
  Gather(numbers, 100, gathered);
  EXPECT_TRUE(gathered.is_cut());
  gathered.Join(gathered.Cut(), {});
  EXPECT_TRUE(gathered.view() == numbers);
}

struct Case {
  const char* name;
  const char* type;
  std::string json;
  const char* body = "";  // the field that the body is
};

// Long strings at every place where a string may be, and whatever may go wrong behind their start.
std::vector<Case> Cases() {
  const std::string p = Plain(20000);
  const std::string long_p = Plain(40000);
  const std::string accents = [] {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    return text;
  }();
  const std::string base64(24000, 'Q');
  const auto named = [](const std::string& text) { return "{\"name\":\"" + text + "\"}"; };
  return {
      {"one", "tc.v1.Node", named(p)},
      {"a field behind it", "tc.v1.Node", "{\"name\":\"" + p + "\",\"number\":5}"},
      {"a field before it", "tc.v1.Node", "{\"number\":5 , \"name\" : \"" + p + "\" } "},
      {"two", "tc.v1.Node", "{\"child\":" + named(p) + ",\"name\":\"" + long_p + "\"}"},
      {"of 2 bytes length", "tc.v1.Node", named(Plain(16383))},
      {"of 3 bytes length", "tc.v1.Node", named(Plain(16384))},
      {"shorter than it seems", "tc.v1.Node", named(Plain(16300) + std::string(60, '\n'))},
      {"an escape changes the width of the length", "tc.v1.Node",
       named(Plain(16380) + "\\u0041\\u0041")},
      {"not plain ASCII", "tc.v1.Node", named(accents)},
      {"not plain ASCII at its end", "tc.v1.Node", named(p + "\xc3\xa9")},
      {"an escape first", "tc.v1.Node", named("\\n" + p)},
      {"an escape in the middle", "tc.v1.Node", named(p + "\\n" + p)},
      {"a pair of surrogates", "tc.v1.Node", named(p + "\\ud83d\\ude00" + p)},
      {"half a pair", "tc.v1.Node", named(p + "\\ud83d" + p)},
      {"no escape", "tc.v1.Node", named(p + "\\x" + p)},
      {"a control character", "tc.v1.Node", named(p + "\n" + p)},
      {"a broken sequence", "tc.v1.Node", named(p + "\xc3" + p)},
      {"a broken sequence at its end", "tc.v1.Node", named(p + "\xf0\x9f\x98")},
      {"a broken sequence far behind", "tc.v1.Node", named(p + "\\n\xff")},
      {"no end", "tc.v1.Node", "{\"name\":\"" + p},
      {"no end behind an escape", "tc.v1.Node", "{\"name\":\"" + p + "\\n" + p},
      {"no end of the message", "tc.v1.Node", "{\"name\":\"" + p + "\""},
      {"more than a message", "tc.v1.Node", named(p) + "{"},
      {"wrong behind it", "tc.v1.Node", "{\"name\":\"" + p + "\",\"number\":\"x\"}"},
      {"wrong far behind it", "tc.v1.Node",
       "{\"name\":\"" + p + "\",\"child\":" + named(p) + ",\"number\":\"x\"}"},
      {"twice", "tc.v1.Node", "{\"name\":\"" + p + "\",\"name\":\"" + p + "\"}"},
      {"in a number", "tc.v1.Node", "{\"number\":\"" + p + "\"}"},
      {"in an unknown field", "tc.v1.Node", "{\"unknown\":\"" + p + "\",\"name\":\"a\"}"},
      {"a key", "tc.v1.Node", "{\"" + p + "\":1,\"name\":\"a\"}"},
      {"behind the message", "tc.v1.Node", "{} \"" + p + "\""},
      {"behind the message, as it seems", "tc.v1.Maps",
       "{\"mStringString\":{\"" + Plain(4100) + ":\":\"\"}}" + std::string(8192, ' ') + "x"},
      {"in itself", "tc.v1.Node",
       "{\"child\":{\"child\":{\"child\":" + named(p) + "}},\"number\":1}"},
      {"in a list", "tc.v1.Repeateds", "{\"rString\":[\"a\",\"" + p + "\",\"" + p + "\"]}"},
      {"in a list of messages", "tc.v1.Node",
       "{\"children\":[" + named(p) + "," + named("b") + "," + named(long_p) + "]}"},
      {"in a map", "tc.v1.Maps", "{\"mStringString\":{\"k\":\"" + p + "\",\"l\":\"" + p + "\"}}"},
      {"a key of a map", "tc.v1.Maps", "{\"mStringString\":{\"" + p + "\":\"v\",\"l\":\"w\"}}"},
      {"a key of a map, twice", "tc.v1.Maps",
       "{\"mStringString\":{\"" + p + "\":\"v\",\"" + p + "\":\"w\"}}"},
      {"in a oneof", "tc.v1.OneOfs", "{\"oString\":\"" + p + "\"}"},
      {"in a oneof that is set", "tc.v1.OneOfs", "{\"oString\":\"" + p + "\",\"oInt32\":1}"},
      {"bytes", "tc.v1.Scalars", "{\"fBytes\":\"" + base64 + "\"}"},
      {"bytes and a string", "tc.v1.Scalars",
       "{\"fBytes\":\"" + base64 + "\",\"fString\":\"" + p + "\"}"},
      {"an enum", "tc.v1.Scalars", "{\"fEnum\":\"" + p + "\"}"},
      {"a Struct", "google.protobuf.Struct",
       "{\"a\":\"" + p + "\",\"b\":[1,\"" + p + "\",{\"c\":\"" + p + "\"}]}"},
      {"a key of a Struct", "google.protobuf.Struct", "{\"" + p + "\":1,\"b\":2}"},
      {"a Value", "google.protobuf.Value", "\"" + p + "\""},
      {"a StringValue", "google.protobuf.StringValue", "\"" + p + "\""},
      {"a Timestamp", "google.protobuf.Timestamp", "\"" + p + "\""},
      {"an Any", "google.protobuf.Any",
       "{\"@type\":\"type.googleapis.com/tc.v1.Node\",\"name\":\"" + p + "\"}"},
      {"an Any, its type last", "google.protobuf.Any",
       "{\"name\":\"" + p + "\",\"@type\":\"type.googleapis.com/tc.v1.Node\"}"},
      {"a body that is a field", "tc.v1.Node", "\"" + p + "\\n\"", "name"},
      {"a body that is a message", "tc.v1.Node", named(p), "child.child"},
      {"numbers before it", "tc.v1.Repeateds",
       [&] {
         std::string list = "{\"rInt32\":[1";
         for (int i = 0; i < 10000; ++i) list += ",1";
         return list + "],\"rString\":[\"" + p + "\"]}";
       }()},
      {"what is printed longer before it", "tc.v1.Repeateds",
       [&] {
         std::string list = "{\"rDouble\":[1";
         for (int i = 0; i < 2500; ++i) list += ",1";
         return list + "],\"rString\":[\"" + long_p + "\"]}";
       }()},
  };
}

std::vector<size_t> Steps(size_t size, size_t step, size_t first) {
  std::vector<size_t> cuts;
  for (size_t cut = first; cut < size; cut += step) cuts.push_back(cut);
  return cuts;
}

// A body in any pieces is what it is in one: the same message or the same error.
TEST(GatheredText, LongStringsAreTheSameInAnyPieces) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.name);
    RequestTarget target;
    target.message = &TypeOf(test.type);
    const std::vector<const Field*> body = conformance::FieldsOfPath(*target.message, test.body);
    target.body = body;
    Random random(test.json.size());
    for (const Isa isa : kIsas) {
      RequestOptions options;
      options.binding.parse.isa = isa;
      const auto run = [&](const std::vector<size_t>& cuts) {
        Bindings none;
        return RunRequest(target, &none, options, test.json, cuts);
      };
      const Seen whole = run({});
      std::vector<std::vector<size_t>> all;
      for (const size_t step : {7u, 64u, 255u, 1021u, 4096u, 9000u}) {
        all.push_back(Steps(test.json.size(), step, step));
      }
      // Wherever the string is cut first, and where it ends.
      for (size_t i = 0; i < 70; ++i) all.push_back(Steps(test.json.size(), 5000, 4096 + i));
      for (size_t i = 1; i < 12; ++i) all.push_back({4096, 8192, test.json.size() - i});
      for (int i = 0; i < 10; ++i) {
        std::vector<size_t> cuts;
        for (int k = 0; k < 6; ++k) cuts.push_back(random.Below(test.json.size()));
        std::sort(cuts.begin(), cuts.end());
        all.push_back(cuts);
      }
      for (const std::vector<size_t>& cuts : all) {
        const Seen seen = run(cuts);
        ASSERT_EQ(seen.ok, whole.ok) << seen.error << whole.error;
        ASSERT_EQ(seen.error, whole.error) << ::testing::PrintToString(cuts);
        ASSERT_TRUE(seen.outputs == whole.outputs) << ::testing::PrintToString(cuts);
      }
    }
  }
}

TEST(GatheredText, AllOptionsAndBindingsSeeTheWholeText) {
  const std::string json = "{'name':'" + Plain(20000) + "',\"number\":\"5\"}";
  const std::string strict = "{\"name\":\"" + Plain(20000) + "\",\"number\":5}";
  RequestTarget target;
  target.message = &TypeOf("tc.v1.Node");
  RequestOptions lenient, on_demand, limited;
  lenient.binding.parse.syntax = Syntax::kLenient;
  on_demand.binding.parse.parser = Parser::kOnDemand;
  limited.max_message = strict.size() - 1;
  for (const auto& [options, text] : {std::pair(lenient, json), std::pair(lenient, strict),
                                      std::pair(on_demand, strict), std::pair(limited, strict)}) {
    for (const bool bound : {false, true}) {
      Bindings bindings;
      if (bound) {
        ASSERT_TRUE(bindings.Add(*target.message, "child.name", "b").ok());
      }
      const Seen whole = RunRequest(target, &bindings, options, text, {});
      const Seen seen = RunRequest(target, &bindings, options, text, Steps(text.size(), 100, 100));
      EXPECT_EQ(whole.ok, options.max_message == 0) << whole.error;
      EXPECT_TRUE(seen == whole) << seen.error << whole.error;
    }
  }
}

}  // namespace
}  // namespace transcode
