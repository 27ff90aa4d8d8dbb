#include "http/template.h"

#include <gtest/gtest.h>

namespace transcode {
namespace {

TEST(PathTemplate, TakesTheGrammarOfHttpProto) {
  for (const char* good : {"/", "/a", "/a/*", "/a/**", "/{x}", "/{x=*}", "/{x.y=a/*/b}/c:v",
                           "/{x=**}:v", "/a/{x=b/**/c}/d", "/a.b-c~d", "/{_x1}"}) {
    EXPECT_TRUE(PathTemplate::Parse(good).ok()) << good;
  }
}

TEST(PathTemplate, NamesTheByteOfAMistake) {
  const struct {
    const char* text;
    size_t offset;
  } kBad[] = {
      {"", 0},       {"a", 0},        {"/a/", 3},          {"//a", 1},    {"/a//b", 3},
      {"/{x", 3},    {"/x}", 2},      {"/{}", 2},          {"/{x=}", 4},  {"/{x..y}", 4},
      {"/{.x}", 2},  {"/{x.}", 4},    {"/{x={y}}", 5},     {"/a{x}", 2},  {"/{x}a", 4},
      {"/**/*", 5},  {"/**/**", 6},   {"/{x=**}/{y}", 10}, {"/a:", 3},    {"/{x}:v:w", 6},
      {"/a:v/b", 4}, {"/:v", 1},      {"/{x=/a}", 4},      {"/{ x }", 2}, {"/a*", 2},
      {"/***", 3},   {"/{x}/{x}", 7}, {"/{1x}", 2},
  };
  for (const auto& [text, offset] : kBad) {
    const Result<PathTemplate> parsed = PathTemplate::Parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().offset, offset) << parsed.error().ToString();
  }
}

TEST(PathTemplate, VariablesCountFromTheEndBehindDoubleStar) {
  const Result<PathTemplate> parsed = PathTemplate::Parse("/a/{x=b/*}/{y=**}/c/{z=d}:v");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->verb, "v");
  ASSERT_EQ(parsed->variables.size(), 3u);
  const auto& [x, y, z] =
      std::tie(parsed->variables[0], parsed->variables[1], parsed->variables[2]);
  EXPECT_EQ(x.first, 1);
  EXPECT_EQ(x.end, 3);
  EXPECT_TRUE(x.multi_segment);
  EXPECT_TRUE(y.end_from_back);
  EXPECT_EQ(y.end, 2);
  EXPECT_EQ(z.end, 0);
}

}  // namespace
}  // namespace transcode
