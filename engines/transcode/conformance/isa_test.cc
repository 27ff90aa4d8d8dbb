// Every instruction set and both parsers give the same bytes and the same errors: the corpora,
// each document cut short at every byte, with every byte changed, and moved across vector
// boundaries.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/cases.h"
#include "conformance/random_message.h"

namespace transcode::conformance {
namespace {

std::vector<Isa> Others() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (HasIsa(isa)) isas.push_back(isa);
  }
  return isas;
}

// All that a caller sees of a call.
std::string Seen(const Result<>& result, const Buffer& out) {
  if (result.ok()) return "ok " + ToHex(out.view());
  const Error& error = result.error();
  return error.ToString() + "|" + std::string(CodeName(error.code)) + "|" + error.message + "|" +
         error.path + "|" + std::to_string(error.offset) + "|" + error.expected + "|" + error.got +
         "|" + ToHex(out.view());
}

void CompareParse(const Message& type, std::string_view json, ParseOptions options) {
  options.isa = Isa::kScalar;
  Buffer out;
  const std::string scalar = Seen(JsonToProto(type, json, out, options), out);
  for (const Isa isa : Others()) {
    options.isa = isa;
    ASSERT_EQ(Seen(JsonToProto(type, json, out, options), out), scalar)
        << "isa " << static_cast<int>(isa) << "\n"
        << json;
  }
}

void ComparePrint(const Message& type, std::string_view wire, PrintOptions options) {
  options.isa = Isa::kScalar;
  Buffer out;
  const std::string scalar = Seen(ProtoToJson(type, wire, out, options), out);
  for (const Isa isa : Others()) {
    options.isa = isa;
    ASSERT_EQ(Seen(ProtoToJson(type, wire, out, options), out), scalar)
        << "isa " << static_cast<int>(isa) << "\n"
        << ToHex(wire);
  }
}

// A copy on the heap that ends where the memory ends: reads behind it are seen by ASan.
std::vector<char> Exactly(std::string_view bytes) { return {bytes.begin(), bytes.end()}; }

void CompareHurt(const Message& type, const std::string& bytes, bool json, Random& random) {
  const auto compare = [&](std::string_view hurt) {
    const std::vector<char> copy = Exactly(hurt);
    const std::string_view view(copy.data(), copy.size());
    if (json) {
      CompareParse(type, view, {});
    } else {
      ComparePrint(type, view, {});
    }
  };
  compare(bytes);
  const size_t step = bytes.size() < 300 ? 1 : bytes.size() / 100;
  for (size_t at = 0; at < bytes.size(); at += step) {
    compare(std::string_view(bytes).substr(0, at));
    std::string hurt = bytes;
    hurt[at] = static_cast<char>(random.Next());
    compare(hurt);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Isa, JsonOfTheCorpus) {
  Random random(1);
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    const Message& type = *CorpusOracle().schema().FindMessage(line.at("type").get<std::string>());
    CompareHurt(type, JsonText(line), /*json=*/true, random);
    CompareParse(type, JsonText(line), LenientOptions());
    if (HasFatalFailure()) FAIL() << line.at("id");
  }
}

TEST(Isa, WireOfTheCorpus) {
  Random random(2);
  for (const Json& line : ReadJsonLines("corpus/proto_to_json.jsonl")) {
    const Message& type = *CorpusOracle().schema().FindMessage(line.at("type").get<std::string>());
    CompareHurt(type, FromHex(line.at("hex").get<std::string>()), /*json=*/false, random);
    if (HasFatalFailure()) FAIL() << line.at("id");
  }
}

TEST(Isa, JsonTestSuite) {
  Random random(3);
  const Message& type = *CorpusOracle().schema().FindMessage("google.protobuf.Value");
  for (const std::string& name : ListTestData("jsontestsuite")) {
    const std::string text = ReadTestData("jsontestsuite/" + name);
    if (!name.ends_with(".json")) continue;
    CompareHurt(type, text, /*json=*/true, random);
    if (HasFatalFailure()) FAIL() << name;
  }
}

// A quote, escape, control character or broken UTF-8 at every place of a vector.
TEST(Isa, StringsAtEveryBoundary) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Scalars");
  static const char* const kPieces[] = {
      "\\n",          "\\u20ac", "\\ud83d\\ude00", "\xe2\x82\xac",     "\xc3\xa9", "\x01", "\xff",
      "\xed\xa0\x80", "\\x",     "\\ud800",        "\xf0\x9f\x98\x80", "\""};
  for (size_t before = 0; before < 140; ++before) {
    for (const std::string piece : kPieces) {
      const std::string text =
          "{\"fString\":\"" + std::string(before, 'a') + piece + std::string(70, 'b') + "\"}";
      CompareParse(type, text, {});
      const std::string content = std::string(before, 'a') + piece + std::string(40, 'b');
      std::string wire = "\x72";
      wire.push_back(static_cast<char>((content.size() & 127) | (content.size() > 127 ? 128 : 0)));
      if (content.size() > 127) wire.push_back(1);
      ComparePrint(type, wire + content, {});
      PrintOptions html;
      html.escape_html = true;
      ComparePrint(type, wire + content, html);
      if (HasFatalFailure()) return;
    }
  }
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

// A record of field `number` that holds `content`.
std::string Record(uint64_t number, std::string_view content) {
  return Varint(number << 3 | 2) + Varint(content.size()) + std::string(content);
}

// Packed varints of every length, also longer than they need be, whole, cut short and broken.
TEST(Isa, PackedVarints) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  PrintOptions whitespace;
  whitespace.whitespace = true;
  Random random(4);
  for (const uint64_t number : {3, 4, 5, 6, 7, 8, 13}) {
    for (size_t count = 0; count < 70; ++count) {
      std::string packed;
      const uint64_t bits = 1 + random.Below(64);
      for (size_t i = 0; i < count; ++i) {
        const uint64_t value = random.Next() >> (64 - 1 - random.Below(bits));
        std::string varint = Varint(random.OneIn(3) ? 0 - value : value);
        if (random.OneIn(20) && varint.size() < 10) {
          varint.back() = static_cast<char>(varint.back() | 0x80);
          varint.push_back('\0');
        }
        packed += varint;
      }
      ComparePrint(type, Record(number, packed), whitespace);
      CompareHurt(type, Record(number, packed), /*json=*/false, random);
      CompareHurt(type, Record(number, packed) + std::string(80, '\xff'), /*json=*/false, random);
      for (const size_t size : {9, 10, 11}) {
        std::string broken = packed;
        broken.insert(random.Below(packed.size() + 1), std::string(size, '\xff'));
        ComparePrint(type, Record(number, broken), {});
      }
      if (HasFatalFailure()) FAIL() << "field " << number << ", " << count << " values";
    }
  }
}

// Doubles of all exponents and counts of digits, and what is not a number.
TEST(Isa, PackedDoubles) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  Random random(6);
  for (int list = 0; list < 100; ++list) {
    std::string packed;
    for (int i = 0; i < 300; ++i) {
      const uint64_t bits = random.Next();
      const double power = std::pow(10, static_cast<double>(random.Below(25)));
      const double decimal = static_cast<double>(bits >> random.Below(64)) / power;
      const double value = random.OneIn(2) ? std::bit_cast<double>(bits) : decimal;
      packed.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    ComparePrint(type, Record(1, packed), {});
    ComparePrint(type, Record(2, packed), {});  // as floats
    if (HasFatalFailure()) FAIL() << "list " << list;
  }
}

// Lists of every length around a vector, of doubles that are hard in their own way: powers of two
// and of ten with their neighbours, whole numbers with many zeros, zeros, subnormals, the limits
// between the notations. Any place of a vector has each of them.
TEST(Isa, ShortListsOfHardDoubles) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  Random random(11);
  const auto kind = [&](uint64_t which) {
    const auto step = static_cast<int64_t>(random.Below(5)) - 2;
    const auto near = [step](double value) {
      return std::bit_cast<double>(std::bit_cast<int64_t>(value) + step);
    };
    const auto power = static_cast<int>(random.Below(632)) - 323;
    switch (which) {
      case 0:
        return near(std::bit_cast<double>((1 + random.Below(2045)) << 52));
      case 1:
        return near(std::strtod(("1e" + std::to_string(power)).c_str(), nullptr) + 1e-320);
      case 2:
        return static_cast<double>(random.Below(1000)) * std::pow(10, random.Below(20));
      case 3:
        return static_cast<double>(random.Next() >> random.Below(64));
      case 4:
        return std::bit_cast<double>(random.Next() >> 12);
      case 5:
        return random.OneIn(2) ? 0.0 : -0.0;
      case 6:
        return static_cast<double>(random.Below(100000)) / 1000;
      case 7:
        return static_cast<double>(random.Below(random.OneIn(4) ? 12 : 10));
      case 8:
        return -std::ldexp(static_cast<double>(random.Below(1000)), static_cast<int>(power / 4));
      default:
        return static_cast<double>(random.Next() >> 11) *
               std::pow(10, static_cast<double>(random.Below(30)) - 25);
    }
  };
  for (int list = 0; list < 20000; ++list) {
    const uint64_t all = random.Below(10);
    std::string packed;
    for (uint64_t left = random.Below(27); left > 0; --left) {
      const double value = kind(random.OneIn(8) ? random.Below(10) : all);
      packed.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    ComparePrint(type, Record(1, packed), {});
    if (HasFatalFailure()) FAIL() << "list " << list;
  }
}

// Strings of every length, of which each may need an escape, one after the other.
TEST(Isa, ListsOfStrings) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  static const char* const kPieces[] = {"\n", "\"", "\\", "\x01", "<", "\xc3\xa9", "\xff"};
  Random random(5);
  for (size_t longest = 0; longest < 140; ++longest) {
    std::string wire;
    for (int i = 0; i < 12; ++i) {
      std::string text(random.Below(longest + 1), 'a');
      if (random.OneIn(6)) text.insert(random.Below(text.size() + 1), kPieces[random.Below(7)]);
      wire += Record(14, text);
      if (random.OneIn(20)) wire += Record(3, "\x01");
    }
    CompareHurt(type, wire, /*json=*/false, random);
    PrintOptions other;
    (longest % 2 == 0 ? other.whitespace : other.escape_html) = true;
    ComparePrint(type, wire, other);
    if (HasFatalFailure()) FAIL() << "up to " << longest << " bytes";
  }
}

TEST(Isa, RandomMessages) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    RandomSchema schema(seed);
    Random random(seed);
    for (int i = 0; i < 6; ++i) {
      const std::string& name = schema.types()[random.Below(schema.types().size())];
      const Message& type = *schema.oracle().schema().FindMessage(name);
      const std::string wire = Oracle::Serialize(*schema.Message(name, random));
      CompareHurt(type, wire, /*json=*/false, random);
      const Answer json = ToJson(schema.oracle(), name, wire, {});
      if (json.ok) CompareHurt(type, json.bytes, /*json=*/true, random);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
}

// The other parser and the other ways of writing lengths and doubles: equal messages; errors may
// be worded differently, but come for the same inputs (but for unknown fields).
TEST(Isa, VariantsAgree) {
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    Oracle& oracle = CorpusOracle();
    const std::string type = line.at("type");
    const std::string json = JsonText(line);
    const Answer usual = ToProto(oracle, type, json, {});
    ParseOptions ondemand;
    ondemand.parser = Parser::kOnDemand;
    const Answer found = ToProto(oracle, type, json, ondemand);
    // On-Demand does not look into values of unknown fields.
    if (usual.ok || !found.ok || json.find("unknown") == std::string::npos) {
      EXPECT_EQ(CompareMessage(oracle, type, found, usual), "") << line.at("id") << " " << json;
    }
    ParseOptions twopass;
    twopass.lengths = Lengths::kTwoPass;
    const Answer other = ToProto(oracle, type, json, twopass);
    EXPECT_EQ(other.ok, usual.ok) << line.at("id");
    EXPECT_EQ(other.bytes, usual.bytes) << line.at("id");
  }
  for (const Json& line : ReadJsonLines("corpus/proto_to_json.jsonl")) {
    const std::string wire = FromHex(line.at("hex").get<std::string>());
    PrintOptions standard;
    standard.doubles = Doubles::kStd;
    const std::string type = line.at("type");
    EXPECT_EQ(CompareJson(CorpusOracle(), type, ToJson(CorpusOracle(), type, wire, standard),
                          ToJson(CorpusOracle(), type, wire, {})),
              "")
        << line.at("id");
  }
}

}  // namespace
}  // namespace transcode::conformance
