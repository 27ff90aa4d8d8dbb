#include "conformance/oracle.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/files.h"

namespace transcode::conformance {
namespace {

// The message without unknown fields, in its canonical form.
std::string Known(const std::string& type, const std::string& hex) {
  const auto message = CorpusOracle().New(type);
  EXPECT_TRUE(message->ParseFromString(FromHex(hex)));
  Oracle::DiscardUnknown(message.get());
  return ToHex(*CorpusOracle().Canonical(type, Oracle::Serialize(*message)));
}

// Field 1000 (c23e01..) is unknown everywhere.
TEST(Oracle, DiscardsUnknownFieldsAtEveryPlace) {
  EXPECT_EQ(Known("tc.v1.Node", "1805c23e0178"), "1805");
  EXPECT_EQ(Known("tc.v1.Node", "0a061801c23e0178"), "0a021801");
  EXPECT_EQ(Known("tc.v1.Node",
                  "22061801c23e0178"
                  "22021802"),
            "2202180122021802");
  // An entry of map<string, Node>: its value, and itself.
  EXPECT_EQ(Known("tc.v1.Maps", "520b0a016b12061801c23e0178"), "52070a016b12021801");
  EXPECT_EQ(Known("tc.v1.Maps", "520b0a016b12021801c23e0178"), "52070a016b12021801");
}

}  // namespace
}  // namespace transcode::conformance
