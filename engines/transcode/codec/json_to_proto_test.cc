#include "codec/json_to_proto.h"

#include <gtest/gtest.h>

namespace transcode {
namespace {

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
