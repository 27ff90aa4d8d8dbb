#include "http/head.h"

#include <gtest/gtest.h>

#include <string>

namespace transcode {
namespace {

TEST(HeadTest, AFieldValueHasNoOtherControlThanATabBetween) {
  for (int i = 0; i < 256; ++i) {
    const auto c = static_cast<char>(i);
    const bool blank = c == ' ' || c == '\t';
    const bool control = i < 0x20 || i == 0x7f;
    EXPECT_EQ(IsFieldValue(std::string("a") + c + "b"), !control || c == '\t') << i;
    EXPECT_EQ(IsFieldValue(std::string("a") + c), !control && !blank) << i;
    EXPECT_EQ(IsFieldValue(c + std::string("a")), !control && !blank) << i;
  }
  EXPECT_TRUE(IsFieldValue(""));
  EXPECT_TRUE(IsFieldValue(std::string(8192, 'a')));
  EXPECT_FALSE(IsFieldValue(std::string(8193, 'a')));
}

TEST(HeadTest, ATokenHasNoSeparators) {
  const std::string others = "!#$%&'*+-.^_`|~";
  for (int i = 0; i < 256; ++i) {
    const auto c = static_cast<char>(i);
    const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    EXPECT_EQ(IsToken(std::string("A") + c), letter || others.find(c) != others.npos) << i;
  }
  EXPECT_FALSE(IsToken(""));
}

}  // namespace
}  // namespace transcode
