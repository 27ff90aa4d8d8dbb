#include "http/route_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace transcode {
namespace {

// "rule a=1 b=2", or "-".
std::string Look(const RouteTable& table, std::string_view method, std::string_view target) {
  PathMatch match;
  if (!table.Find(method, target, match)) return "-";
  std::string text = std::to_string(match.rule);
  for (const PathMatch::Binding& binding : match.bindings) {
    text += ' ' + table.TemplateOf(match.rule).variables[binding.variable].field_path + '=' +
            std::string(binding.value);
  }
  return text;
}

RouteTable Make(const std::vector<std::pair<std::string, std::string>>& rules,
                const RouteTable::Options& options = {}) {
  RouteTable table(options);
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const Result<> added = table.Add(rules[i].first, rules[i].second, i);
    EXPECT_TRUE(added.ok()) << added.error().ToString();
  }
  return table;
}

TEST(RouteTable, PrefersLiteralsThenOneSegmentThenMany) {
  const RouteTable table =
      Make({{"GET", "/a/b"}, {"GET", "/a/*"}, {"GET", "/a/**"}, {"GET", "/a/*/x"}, {"GET", "/**"}});
  EXPECT_EQ(Look(table, "GET", "/a/b"), "0");
  EXPECT_EQ(Look(table, "GET", "/a/c"), "1");
  EXPECT_EQ(Look(table, "GET", "/a/c/d"), "2");
  EXPECT_EQ(Look(table, "GET", "/a"), "2");
  EXPECT_EQ(Look(table, "GET", "/a/b/x"), "3");  // back from the literal b
  EXPECT_EQ(Look(table, "GET", "/z"), "4");
  EXPECT_EQ(Look(table, "GET", "/"), "4");
}

TEST(RouteTable, LiteralsMayFollowManySegments) {
  const RouteTable table =
      Make({{"GET", "/{x=**}/b"}, {"GET", "/{x=**}/c/b"}, {"GET", "/d/{y=**}"}});
  EXPECT_EQ(Look(table, "GET", "/a/b"), "0 x=a");
  EXPECT_EQ(Look(table, "GET", "/a/b/b"), "0 x=a/b");
  EXPECT_EQ(Look(table, "GET", "/a/c/b"), "1 x=a");  // the longest end
  EXPECT_EQ(Look(table, "GET", "/b"), "-");          // "**" before literals takes at least one
  EXPECT_EQ(Look(table, "GET", "/d"), "2 y=");
}

TEST(RouteTable, AnyMethodComesLast) {
  const RouteTable table = Make({{"GET", "/x"}, {"*", "/x"}, {"PUT", "/x/y"}, {"*", "/x/{z}"}});
  EXPECT_EQ(Look(table, "GET", "/x"), "0");
  EXPECT_EQ(Look(table, "FOO", "/x"), "1");
  EXPECT_EQ(Look(table, "PUT", "/x/y"), "2");
  EXPECT_EQ(Look(table, "GET", "/x/y"), "3 z=y");
  PathMatch scratch;
  EXPECT_EQ(table.MethodsOf("/x/y", scratch), (std::vector<std::string>{"*", "PUT"}));
  EXPECT_EQ(table.MethodsOf("/y", scratch), std::vector<std::string>{});
}

TEST(RouteTable, AVerbCountsOnlyIfATemplateHasIt) {
  const std::vector<std::pair<std::string, std::string>> rules = {
      {"POST", "/v/{a}:go"}, {"POST", "/v/{a=**}:run"}, {"GET", "/v/{a}"}};
  const RouteTable table = Make(rules);
  EXPECT_EQ(Look(table, "POST", "/v/1:go"), "0 a=1");
  EXPECT_EQ(Look(table, "POST", "/v/1/2:run"), "1 a=1/2");
  EXPECT_EQ(Look(table, "GET", "/v/1:nope"), "2 a=1:nope");
  EXPECT_EQ(Look(table, "GET", "/v/1:go"), "-");
  EXPECT_EQ(Look(table, "GET", "/v/a:b:go"), "-");
  EXPECT_EQ(Look(table, "POST", "/v/a:b:go"), "0 a=a:b");
  EXPECT_EQ(Look(table, "GET", "/v:go/1"), "-");
  const RouteTable any = Make(rules, {Unescape::kAllExceptReserved, true});
  EXPECT_EQ(Look(any, "GET", "/v/1:nope"), "-");
}

TEST(RouteTable, DecodesWhatAVariableHolds) {
  const std::vector<std::pair<std::string, std::string>> rules = {{"GET", "/one/{x}"},
                                                                  {"GET", "/many/{x=**}"}};
  const RouteTable table = Make(rules);
  EXPECT_EQ(Look(table, "GET", "/one/a%2Fb%20c"), "0 x=a/b c");
  EXPECT_EQ(Look(table, "GET", "/one/%zz%4"), "0 x=%zz%4");
  EXPECT_EQ(Look(table, "GET", "/many/a%2Fb/c%20d%21"), "1 x=a%2Fb/c d%21");
  EXPECT_EQ(Look(Make(rules, {Unescape::kAllExceptSlash, false}), "GET", "/many/a%2Fb%21"),
            "1 x=a%2Fb!");
  EXPECT_EQ(Look(Make(rules, {Unescape::kAll, false}), "GET", "/many/a%2Fb%21"), "1 x=a/b!");
}

TEST(RouteTable, DropsTrailingSlashesAndTheQuery) {
  const RouteTable table = Make({{"GET", "/"}, {"GET", "/a/{x}"}});
  PathMatch match;
  ASSERT_TRUE(table.Find("GET", "/a/b//?k=/v:w?", match));
  EXPECT_EQ(match.query, "k=/v:w?");
  EXPECT_EQ(match.bindings[0].value, "b");
  EXPECT_EQ(Look(table, "GET", ""), "0");
  EXPECT_EQ(Look(table, "GET", "?a"), "-");
  EXPECT_EQ(Look(table, "GET", "//"), "0");
  EXPECT_EQ(Look(table, "GET", "//a/b"), "-");
  EXPECT_EQ(Look(table, "GET", "a/b"), "-");
}

TEST(RouteTable, NamesBothOfTwoEqualRules) {
  RouteTable table;
  ASSERT_TRUE(table.Add("GET", "/a/{x}", 0).ok());
  const Result<> second = table.Add("GET", "/a/{y=*}", 1);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::kAlreadyExists);
  EXPECT_EQ(second.error().message, "GET /a/{y=*} matches the same paths as /a/{x}");
  EXPECT_EQ(Look(table, "GET", "/a/1"), "0 x=1");
  EXPECT_TRUE(table.Add("PUT", "/a/{y}", 1).ok());
  EXPECT_TRUE(table.Add("GET", "/a/{y}:v", 2).ok());
}

// A path that fits every template but the last segment makes the walk try every branch, and no
// branch twice: the nodes are the bound, not the paths through them.
TEST(RouteTable, BacktracksOverEachNodeOnce) {
  RouteTable table;
  uint32_t rule = 0;
  for (uint32_t bits = 0; bits < 1024; ++bits) {
    std::string path;
    for (int i = 0; i < 10; ++i) path += (bits >> i & 1) != 0 ? "/a" : "/*";
    ASSERT_TRUE(table.Add("GET", path + "/end", rule++).ok());
  }
  EXPECT_EQ(Look(table, "GET", "/a/a/a/a/a/a/a/a/a/a/no"), "-");
  EXPECT_EQ(Look(table, "GET", "/a/a/a/a/a/a/a/a/a/b/end"), "511");
}

}  // namespace
}  // namespace transcode
