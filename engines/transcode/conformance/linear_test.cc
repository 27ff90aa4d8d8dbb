// Hostile inputs cost time in proportion to their size: four times the input takes about four
// times as long. CPU time, the best of several runs; a quadratic path would take 16 times. The
// larger input is below 1 MiB, so that it, too, stays in a cache. What else runs on the machine may
// fill that: then there are more runs, later.

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/cases.h"
#include "http/bindings.h"
#include "server/metadata.h"
#include "stream/response.h"

namespace transcode::conformance {
namespace {

constexpr double kMostRatio = 9;
constexpr int kAttempts = 40;
constexpr std::chrono::milliseconds kPause(250);

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Best(const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    const double begin = CpuSeconds();
    work();
    best = std::min(best, CpuSeconds() - begin);
  }
  return best;
}

// `run(input)` for the inputs of `make(n)` and `make(4 n)`.
void ExpectLinear(size_t n, const std::function<std::string(size_t)>& make,
                  const std::function<void(std::string_view)>& run) {
  const std::string small = make(n);
  const std::string large = make(4 * n);
  const double floor = 20e-6;  // what a clock and a cold cache may add
  double shorter = std::numeric_limits<double>::infinity(), longer = shorter;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause);
    longer = std::min(longer, Best([&] { run(large); }));
    shorter = std::min(shorter, Best([&] { run(small); }));
    if (longer <= kMostRatio * (shorter + floor)) return;
  }
  ADD_FAILURE() << "4 times the input takes " << longer / shorter << " times as long";
}

std::string Repeat(std::string_view piece, size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

// "<open>piece(0),piece(1),...<close>"
std::string List(const std::string& open, size_t count,
                 const std::function<std::string(size_t)>& at, const std::string& close) {
  std::string text = open;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ",";
    text += at(i);
  }
  return text + close;
}

struct JsonCase {
  const char* name;
  const char* type;
  bool accepted;
  size_t n;
  std::function<std::string(size_t)> make;
  ParseOptions options = {};
};

ParseOptions With(const std::function<void(ParseOptions*)>& set) {
  ParseOptions options;
  set(&options);
  return options;
}

std::vector<JsonCase> JsonCases() {
  const ParseOptions lenient = LenientOptions();
  const ParseOptions fold = With([](ParseOptions* o) { o->enums = EnumNames::kFoldCase; });
  const ParseOptions ondemand = With([](ParseOptions* o) { o->parser = Parser::kOnDemand; });
  const auto quoted = [](const char* piece) {
    return [piece](size_t n) { return "{\"fString\":\"" + Repeat(piece, n) + "\"}"; };
  };
  const auto key = [](size_t i) { return "\"k" + std::to_string(i) + "\""; };
  const auto any_last = [](size_t n) {
    return "{\"any\":{\"name\":\"" + Repeat("x", n) +
           "\",\"@type\":\"type.googleapis.com/tc.v1.Node\"}}";
  };
  return {
      {"escapes", "tc.v1.Scalars", true, 30000, quoted("\\u0041")},
      {"surrogate pairs", "tc.v1.Scalars", true, 20000, quoted("\\ud83d\\ude00")},
      {"quotes", "tc.v1.Scalars", true, 50000, quoted("\\\"")},
      {"wide characters", "tc.v1.Scalars", true, 30000, quoted("\xe2\x82\xac")},
      {"string without end", "tc.v1.Scalars", false, 100000,
       [](size_t n) { return "{\"fString\":\"" + Repeat("\\\\", n); }},
      {"string without end, lenient", "tc.v1.Scalars", false, 100000,
       [](size_t n) { return "{\"fString\":\"" + Repeat("\\\\", n); }, lenient},
      {"brackets", "google.protobuf.Value", false, 100000, [](size_t n) { return Repeat("[", n); }},
      {"brackets of an unknown field", "tc.v1.Scalars", false, 100000,
       [](size_t n) { return "{\"u\":" + Repeat("[", n); }},
      {"objects in objects", "tc.v1.Node", false, 20000,
       [](size_t n) { return Repeat("{\"child\":", n); }},
      {"one key of a map many times", "tc.v1.Maps", true, 10000,
       [](size_t n) {
         return List(
             "{\"mStringString\":{", n, [](size_t) { return "\"a\":\"\""; }, "}}");
       },
       lenient},
      {"many keys of a map", "tc.v1.Maps", true, 30000,
       [key](size_t n) {
         return List(
             "{\"mStringString\":{", n, [&](size_t i) { return key(i) + ":\"\""; }, "}}");
       }},
      {"many keys of a map of numbers", "tc.v1.Maps", true, 30000,
       [](size_t n) {
         return List(
             "{\"mInt64Int64\":{", n,
             [](size_t i) { return "\"" + std::to_string(i << 20) + "\":1"; }, "}}");
       }},
      {"many keys of a Struct", "google.protobuf.Struct", true, 30000,
       [key](size_t n) {
         return List(
             "{", n, [&](size_t i) { return key(i) + ":1"; }, "}");
       }},
      {"many unknown keys", "tc.v1.Scalars", true, 10000,
       [key](size_t n) {
         return List(
             "{", n, [&](size_t i) { return key(i) + ":1"; }, "}");
       }},
      {"one field many times", "tc.v1.Scalars", true, 10000,
       [](size_t n) {
         return List(
             "{", n, [](size_t) { return "\"fInt32\":1"; }, "}");
       },
       lenient},
      {"one message many times", "tc.v1.Node", true, 10000,
       [](size_t n) {
         return List(
             "{", n, [](size_t) { return "\"child\":{\"name\":\"a\"}"; }, "}");
       },
       lenient},
      {"tiny maps", "google.protobuf.ListValue", true, 5000,
       [](size_t n) {
         return List(
             "[", n, [](size_t) { return "{\"a\":{}}"; }, "]");
       }},
      {"tiny messages", "tc.v1.Node", true, 10000,
       [](size_t n) {
         return List(
             "{\"children\":[", n, [](size_t) { return "{}"; }, "]}");
       }},
      {"a long text below 90 messages", "tc.v1.Node", true, 20000,
       [](size_t n) {
         return Repeat("{\"child\":", 90) + "{\"name\":\"" + Repeat("x", n) + "\"}" +
                Repeat("}", 90);
       }},
      {"messages that grow past one byte of length", "tc.v1.Node", true, 2000,
       [](size_t n) {
         return List(
             "{\"children\":[", n,
             [](size_t) { return "{\"child\":{\"name\":\"" + Repeat("x", 200) + "\"}}"; }, "]}");
       }},
      {"digits of a double", "tc.v1.Scalars", true, 20000,
       [](size_t n) { return "{\"fDouble\":0." + Repeat("3", n) + "}"; }},
      {"digits of an integer", "tc.v1.Scalars", false, 20000,
       [](size_t n) { return "{\"fInt32\":1" + Repeat("0", n) + "}"; }},
      {"an integer that is one after all", "tc.v1.Scalars", true, 20000,
       [](size_t n) { return "{\"fInt32\":1." + Repeat("0", n) + "}"; }},
      {"an exponent", "tc.v1.Scalars", true, 20000,
       [](size_t n) { return "{\"fDouble\":1e" + Repeat("0", n) + "1}"; }},
      {"white space", "tc.v1.Scalars", true, 100000,
       [](size_t n) { return "{" + Repeat(" \n", n) + "}"; }},
      {"white space and commas", "tc.v1.Repeateds", true, 10000,
       [](size_t n) {
         return List(
             "{\"rInt32\":[", n, [](size_t) { return " 1 "; }, "]}");
       }},
      {"base64 with white space", "tc.v1.Scalars", true, 20000,
       [](size_t n) { return "{\"fBytes\":\"" + Repeat("QQ\\nAA", n) + "\"}"; }},
      {"paths of a FieldMask", "tc.v1.WellKnown", true, 10000,
       [](size_t n) {
         return List(
             "{\"mask\":\"", n, [](size_t) { return "aB.cD"; }, "\"}");
       }},
      {"nulls in a list", "tc.v1.Repeateds", true, 20000,
       [](size_t n) {
         return List(
             "{\"rInt32\":[", n, [](size_t) { return "null"; }, "]}");
       },
       lenient},
      {"unknown names of an enum", "tc.v1.Repeateds", true, 10000,
       [](size_t n) {
         return List(
             "{\"rEnum\":[", n, [](size_t) { return "\"nope\""; }, "]}");
       },
       fold},
      {"an Any whose type comes last", "tc.v1.WellKnown", true, 50000, any_last},
      {"an Any whose type never comes", "tc.v1.WellKnown", false, 50000,
       [](size_t n) { return "{\"any\":{\"name\":\"" + Repeat("x", n) + "\"}}"; }},
      {"an error at the end", "tc.v1.Repeateds", false, 20000,
       [](size_t n) {
         return List(
             "{\"rInt32\":[", n, [](size_t) { return "1"; }, ",x]}");
       }},
      {"an error at the end, lenient", "tc.v1.Repeateds", false, 20000,
       [](size_t n) {
         return List(
             "{\"rInt32\":[", n, [](size_t) { return "1"; }, ",x]}");
       },
       lenient},
      {"escapes, on demand", "tc.v1.Scalars", true, 30000, quoted("\\u0041"), ondemand},
      {"many unknown keys, on demand", "tc.v1.Scalars", true, 10000,
       [key](size_t n) {
         return List(
             "{", n, [&](size_t i) { return key(i) + ":1"; }, "}");
       },
       ondemand},
  };
}

TEST(Linear, Json) {
  for (const JsonCase& test : JsonCases()) {
    SCOPED_TRACE(test.name);
    const Message& type = *CorpusOracle().schema().FindMessage(test.type);
    Buffer out;
    const Result<> result = JsonToProto(type, test.make(test.n), out, test.options);
    EXPECT_EQ(result.ok(), test.accepted) << (result.ok() ? "" : result.error().ToString());
    ExpectLinear(test.n, test.make, [&](std::string_view json) {
      (void)JsonToProto(type, json, out, test.options).ok();
    });
  }
}

// Depth is bounded; below it the type of an Any may come last at every level.
TEST(Linear, AnysInAnys) {
  const Message& type = *CorpusOracle().schema().FindMessage("google.protobuf.Any");
  const auto make = [](size_t depth) {
    std::string text = "{\"@type\":\"type.googleapis.com/google.protobuf.Empty\"}";
    for (size_t i = 0; i < depth; ++i) {
      text = "{\"value\":" + text + ",\"@type\":\"type.googleapis.com/google.protobuf.Any\"}";
    }
    return text;
  };
  Buffer out;
  const double shallow = Best([&] { (void)JsonToProto(type, make(11), out).ok(); });
  const double deep = Best([&] { (void)JsonToProto(type, make(44), out).ok(); });
  EXPECT_LE(deep, 64 * (shallow + 20e-6));  // 4^3; trying both orders would take 2^33 times
}

struct WireCase {
  const char* name;
  const char* type;
  bool accepted;
  size_t n;
  std::function<std::string(size_t)> make;
};

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes.push_back(static_cast<char>(value | 128));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string Length(int field, const std::string& bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::vector<WireCase> WireCases() {
  const auto times = [](const std::string& piece) {
    return [piece](size_t n) { return Repeat(piece, n); };
  };
  const auto nested = [](size_t depth) {
    std::string wire = Length(2, "x");
    for (size_t i = 0; i < depth; ++i) wire = Length(1, wire);
    return wire;
  };
  return {
      {"one scalar many times", "tc.v1.Scalars", true, 30000, times("\x18\x05")},
      {"one string many times", "tc.v1.Scalars", true, 20000, times("\x72\x01z")},
      {"a message in pieces", "tc.v1.Node", true, 10000, times("\x0a\x03\x12\x01z")},
      {"a deep message in pieces", "tc.v1.Node", true, 2000, times(nested(40))},
      {"pieces with lists", "tc.v1.Node", true, 5000, times(Length(1, Length(4, "")))},
      {"members of a oneof in turn", "tc.v1.OneOfs", true, 10000, times("\x0a\x01z\x10\x05")},
      {"messages of a oneof in turn", "tc.v1.OneOfs", true, 10000,
       times(Length(4, Length(2, "x")) + "\x10\x05")},
      {"two lists in turn", "tc.v1.Repeateds", true, 10000,
       times(std::string("\x1a\x01\x05\x22\x01\x05", 6))},
      {"many lists in turn", "tc.v1.Repeateds", true, 20000,
       times(std::string("\x18\x05\x20\x05\x28\x05\x30\x05\x38\x05\x40\x05\x68\x01\x72\x01z", 17))},
      {"two maps in turn", "tc.v1.Maps", true, 30000,
       [](size_t n) {
         std::string wire;
         for (size_t i = 0; i < n; ++i) {
           wire += Length(1, Length(1, std::to_string(i))) + Length(2, "\x08" + Varint(i));
         }
         return wire;
       }},
      {"one key of a map many times", "tc.v1.Maps", true, 10000,
       times(Length(1, Length(1, "k") + Length(2, "v")))},
      {"empty entries", "tc.v1.Maps", true, 20000, times(std::string("\x0a\x00", 2))},
      {"empty packed lists", "tc.v1.Repeateds", true, 20000, times(std::string("\x1a\x00", 2))},
      {"packed zeros", "tc.v1.Repeateds", true, 50000,
       [](size_t n) { return Length(3, std::string(n, '\0')); }},
      {"empty messages", "tc.v1.Node", true, 30000, times(std::string("\x22\x00", 2))},
      {"unknown varints", "tc.v1.Node", true, 30000, times("\xc0\x3e\x01")},
      {"unknown groups", "tc.v1.Node", true, 20000, times("\xc3\x3e\xc4\x3e")},
      {"unknown groups in groups", "tc.v1.Node", false, 30000, times("\xc3\x3e")},
      {"overlong varints", "tc.v1.Repeateds", true, 10000,
       times(std::string("\x18\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11))},
      {"control characters", "tc.v1.Scalars", true, 30000,
       [](size_t n) { return Length(14, std::string(n, '\x01')); }},
      {"bad UTF-8 at the end", "tc.v1.Scalars", false, 100000,
       [](size_t n) { return Length(14, Repeat("\xc3\xa9", n) + "\xff"); }},
      {"paths of a FieldMask", "tc.v1.WellKnown", true, 10000,
       [](size_t n) { return Length(3, Repeat(Length(1, "a_b.c_d"), n)); }},
      {"values of a list", "google.protobuf.ListValue", true, 10000,
       times(Length(1, Length(6, "")))},
      {"a Value of many kinds", "google.protobuf.Value", true, 10000,
       times(Length(3, "x") + std::string("\x08\x00", 2))},
      {"a Value in pieces", "google.protobuf.Value", true, 5000,
       times(Length(6, Length(1, Length(3, "x"))))},
      {"an Any", "tc.v1.WellKnown", true, 30000,
       [](size_t n) {
         return Length(7, Length(1, "type.googleapis.com/tc.v1.Node") +
                              Length(2, Repeat(std::string("\x22\x00", 2), n)));
       }},
      {"a long name of a type", "tc.v1.WellKnown", false, 50000,
       [](size_t n) { return Length(7, Length(1, "type.googleapis.com/" + Repeat("x", n))); }},
  };
}

TEST(Linear, Wire) {
  for (const WireCase& test : WireCases()) {
    SCOPED_TRACE(test.name);
    const Message& type = *CorpusOracle().schema().FindMessage(test.type);
    Buffer out;
    const Result<> result = ProtoToJson(type, test.make(test.n), out, {});
    EXPECT_EQ(result.ok(), test.accepted) << (result.ok() ? "" : result.error().ToString());
    ExpectLinear(test.n, test.make,
                 [&](std::string_view wire) { (void)ProtoToJson(type, wire, out, {}).ok(); });
  }
}

// A length that promises more than there is costs nothing.
TEST(Linear, LengthsThatPromiseTooMuch) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  for (const std::string& wire :
       {std::string("\x72\xff\xff\xff\xff\x07", 6), std::string("\x72\xff\xff\xff\xff\x0f", 6),
        std::string("\x1a\xff\xff\xff\xff\x0f\x01", 7),
        std::string("\x72\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10),
        std::string("\x72\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)}) {
    Buffer out;
    EXPECT_FALSE(ProtoToJson(type, wire, out, {}).ok()) << ToHex(wire);
    EXPECT_TRUE(out.empty());
    EXPECT_LT(out.capacity(), 1u << 20);
  }
}

// "name0: value" and so on, as a head has them after `text` is cut at its lines.
server::Headers FieldsOf(std::string_view text) {
  server::Headers fields;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = line.find(':');
    fields.Add(line.substr(0, colon), line.substr(colon + 1));
  }
  return fields;
}

// What a client may fill a head with. The limits of heads hold most of it small, but not all.
TEST(Linear, FieldsOfARequest) {
  const auto number = [](size_t i) { return "x-" + std::to_string(i); };
  const auto plain = [&](size_t i) { return number(i) + ":v\n"; };
  struct HeadCase {
    const char* name;
    size_t n;
    std::function<std::string(size_t)> make;
  };
  const HeadCase cases[] = {
      {"options of connection, and fields", 1000,
       [&](size_t n) {
         std::string text = List(
             "connection:", n, [&](size_t i) { return "y" + number(i); }, "\n");
         for (size_t i = 0; i < n; ++i) text += plain(i);
         return text;
       }},
      {"empty options of connection, and fields", 1000,
       [&](size_t n) {
         std::string text = "connection:" + std::string(10 * n, ',') + "\n";
         for (size_t i = 0; i < n; ++i) text += plain(i);
         return text;
       }},
      {"fields named connection, and others", 1000,
       [&](size_t n) {
         std::string text;
         for (size_t i = 0; i < n; ++i) text += plain(i) + "connection:y" + number(i) + "\n";
         return text;
       }},
      {"one option many times", 2000,
       [](size_t n) {
         return List(
                    "connection:", n, [](size_t) { return "x-0"; }, "\n") +
                Repeat("x-0:v\n", n);
       }},
  };
  for (const HeadCase& test : cases) {
    SCOPED_TRACE(test.name);
    ExpectLinear(test.n, test.make, [](std::string_view text) {
      const server::Headers fields = FieldsOf(text);
      server::Headers to;
      server::AddRequestMetadata(fields, to);
    });
  }
  ExpectLinear(
      2000,
      [](size_t n) {
        return List(
            "", n, [](size_t i) { return "a/b;p=" + std::to_string(i) + ";q=0.5"; }, "");
      },
      [](std::string_view accept) { (void)FormatOf(accept); });
}

// Up to max_query there are so many as their length allows.
TEST(Linear, ParametersOfAQuery) {
  struct QueryCase {
    const char* name;
    const char* type;
    std::function<std::string(size_t)> at;
  };
  const QueryCase cases[] = {
      {"elements of a list", "tc.v1.Repeateds", [](size_t) { return "rInt32=1"; }},
      {"the same value", "tc.v1.Scalars", [](size_t) { return "fInt32=1"; }},
      {"entries of a map", "tc.v1.Maps",
       [](size_t i) { return "mStringString[" + std::to_string(i) + "]=1"; }},
      {"parts of an element", "tc.v1.Node", [](size_t) { return "children.number=1"; }},
      {"parts of a well-known type", "tc.v1.WellKnown", [](size_t) { return "mask.paths=a"; }},
      {"deep names", "tc.v1.Node", [](size_t) { return "child.child.child.child.number=1"; }},
  };
  for (const QueryCase& test : cases) {
    SCOPED_TRACE(test.name);
    const Message& type = *CorpusOracle().schema().FindMessage(test.type);
    const auto make = [&test](size_t n) {
      std::string query;
      for (size_t i = 0; i < n; ++i) query += (i == 0 ? "" : "&") + test.at(i);
      return query;
    };
    Bindings bindings;
    Buffer out;
    BindingOptions options;
    options.max_query = 100'000;
    const auto run = [&](std::string_view query) {
      bindings.Clear();
      out.Clear();
      if (Result<> added = bindings.AddQuery(type, query, options); !added.ok()) return added;
      return bindings.Append(out, options);
    };
    const Result<> done = run(make(1000));
    EXPECT_TRUE(done.ok()) << done.error().ToString();
    ExpectLinear(1000, make, [&](std::string_view query) { (void)run(query).ok(); });
  }
}

}  // namespace
}  // namespace transcode::conformance
