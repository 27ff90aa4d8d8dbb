// Lists of doubles are read as std::from_chars reads each element, by every instruction set, and
// what is no number is refused alike wherever it stands in a list.

#include <gtest/gtest.h>

#include <charconv>
#include <string>
#include <vector>

#include "codec/json_to_proto.h"
#include "conformance/oracle.h"
#include "conformance/random_message.h"

namespace transcode::conformance {
namespace {

constexpr size_t kElements = 100;

std::vector<Isa> Isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    if (HasIsa(isa)) isas.push_back(isa);
  }
  return isas;
}

std::string DigitsOf(Random& random, size_t count) {
  std::string digits;
  for (size_t i = 0; i < count; ++i) digits.push_back(static_cast<char>('0' + random.Below(10)));
  return digits;
}

// A number of JSON: of up to 24 digits before the point and behind it, seldom with an exponent.
std::string RandomNumber(Random& random) {
  std::string number = random.OneIn(3) ? "-" : "";
  std::string whole = DigitsOf(random, random.OneIn(8) ? random.Below(24) : random.Below(6));
  whole.erase(0, whole.find_first_not_of('0'));
  number += whole.empty() ? "0" : whole;
  if (!random.OneIn(4)) {
    number += "." + DigitsOf(random, 1 + (random.OneIn(8) ? random.Below(24) : random.Below(17)));
  }
  if (random.OneIn(12)) number += "e" + std::to_string(static_cast<int>(random.Below(300)) - 200);
  return number;
}

std::string ListOf(const std::vector<std::string>& elements, Random& random) {
  std::string list = "{\"rDouble\":";
  char mark = '[';
  for (const std::string& element : elements) {
    list += mark + (random.OneIn(4) ? " " + element : element);
    mark = ',';
  }
  return list + "]}";
}

// All that a caller sees.
std::string Seen(std::string_view json, Isa isa) {
  ParseOptions options;
  options.isa = isa;
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  Buffer out;
  const Result<> result = JsonToProto(type, json, out, options);
  return result.ok() ? std::string(out.view()) : "refused: " + result.error().ToString();
}

TEST(DoubleList, ReadsWhatFromCharsReads) {
  Random random(1);
  for (int list = 0; list < 2000; ++list) {
    std::vector<std::string> elements;
    std::string wanted = "\x0a\xa0\x06";  // field 1, 800 bytes
    for (size_t i = 0; i < kElements; ++i) {
      const std::string number = RandomNumber(random);
      double value = 0;
      ASSERT_EQ(std::from_chars(number.data(), number.data() + number.size(), value).ec,
                std::errc())
          << number;
      wanted.append(reinterpret_cast<const char*>(&value), sizeof value);
      elements.push_back(random.OneIn(6) ? '"' + number + '"' : number);
    }
    const std::string json = ListOf(elements, random);
    for (const Isa isa : Isas()) {
      ASSERT_TRUE(Seen(json, isa) == wanted) << "isa " << static_cast<int>(isa) << "\n" << json;
    }
  }
}

TEST(DoubleList, RefusesWhatIsNoNumber) {
  static const std::string kNone[] = {"",      ".",     "-",      ".5",     "5.",  "-.5",  "1..2",
                                      "1.2.3", "01",    "-01.5",  "00",     "+1",  "1-2",  "--1",
                                      "1e",    "1.5e+", "0x1",    "1_0",    "1 2", "1/2",  "1:2",
                                      "\"\"",  "\".\"", "\"1.\"", "\"-.\"", "\"1", "1\"",  "\"1 \"",
                                      "1e999", "inf",   "NaN",    "{}",     "[1]", "true", "\"x\""};
  Random random(2);
  for (const std::string& none : kNone) {
    for (size_t at = 0; at < kElements; at += 3) {
      std::vector<std::string> elements;
      for (size_t i = 0; i < kElements; ++i) elements.push_back(RandomNumber(random));
      elements[at] = none;
      const std::string json = ListOf(elements, random);
      const std::string scalar = Seen(json, Isa::kScalar);
      ASSERT_TRUE(scalar.starts_with("refused: ")) << none << " in " << json;
      for (const Isa isa : Isas()) ASSERT_EQ(Seen(json, isa), scalar) << none << " in " << json;
    }
  }
}

}  // namespace
}  // namespace transcode::conformance
