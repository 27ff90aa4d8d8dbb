#include "http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/files.h"

namespace transcode {
namespace {

const Schema& Library() {
  static const Schema kSchema = [] {
    Result<Schema> loaded =
        Schema::Load(conformance::ReadTestData("corpus/transcode_gateway.desc"));
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }();
  return kSchema;
}

// The error of one more rule, or "".
std::string Problem(const HttpRule& rule, const std::string& method = "NoRule") {
  const std::vector<ExtraRule> extra = {{"tc.v1.Library." + method, rule}};
  const Result<Router> router = Router::Make(Library(), {}, extra);
  return router.ok() ? "" : router.error().message;
}

TEST(Router, FindsTheMethodOfARule) {
  const Result<Router> router = Router::Make(Library());
  ASSERT_TRUE(router.ok()) << router.error().ToString();
  Match match;
  ASSERT_EQ(router->Find("PATCH", "/v1/shelves/9?flag=true", match), Match::Outcome::kFound);
  EXPECT_EQ(match.route->method->name, "UpdateShelf");
  EXPECT_EQ(match.route->BodyText(), "*");
  EXPECT_EQ(match.path.bindings[0].value, "shelves/9");
  EXPECT_EQ(match.route->variables[0].back()->name, "name");
  EXPECT_EQ(match.path.query, "flag=true");
  ASSERT_EQ(router->Find("PUT", "/v1/archive", match), Match::Outcome::kFound);
  EXPECT_EQ(match.route->BodyText(), "labels");  // of additional_bindings
  ASSERT_EQ(router->Find("POST", "/v1/upload", match), Match::Outcome::kFound);
  EXPECT_TRUE(match.route->raw_request);
  ASSERT_EQ(router->Find("GET", "/v1/download/x", match), Match::Outcome::kFound);
  EXPECT_TRUE(match.route->raw_response);
  EXPECT_FALSE(match.route->has_body);
}

TEST(Router, TellsAWrongMethodFromAWrongPath) {
  const Result<Router> router = Router::Make(Library());
  Match match;
  EXPECT_EQ(router->Find("PUT", "/v1/shelves/9", match), Match::Outcome::kMethodNotAllowed);
  EXPECT_EQ(router->Allow("/v1/shelves/9"), "GET, PATCH");
  EXPECT_EQ(router->Find("GET", "/v1/nope", match), Match::Outcome::kNotFound);
  EXPECT_EQ(match.route, nullptr);
}

TEST(Router, MapsMethodsToTheirGrpcPathsIfAsked) {
  RouterOptions options;
  options.auto_mapping = true;
  const Result<Router> router = Router::Make(Library(), options);
  Match match;
  ASSERT_EQ(router->Find("POST", "/tc.v1.Library/NoRule", match), Match::Outcome::kFound);
  EXPECT_EQ(match.route->method->name, "NoRule");
}

TEST(Router, ChecksRulesWhenTheyAreLoaded) {
  EXPECT_EQ(Problem({"GET", "/v2/{shelf.name}", "", "shelf"}), "");
  const std::string at = "tc.v1.Library.NoRule (GET /v2/{nope}): ";
  EXPECT_EQ(Problem({"GET", "/v2/{nope}", "", ""}), at + "no field \"nope\" in tc.v1.Request");
  EXPECT_THAT(Problem({"GET", "/v2/{tags}", "", ""}), testing::HasSubstr("not a singular scalar"));
  EXPECT_THAT(Problem({"GET", "/v2/{shelf}", "", ""}), testing::HasSubstr("not a singular scalar"));
  EXPECT_THAT(Problem({"GET", "/v2/{name.x}", "", ""}), testing::HasSubstr("is not a message"));
  EXPECT_THAT(Problem({"GET", "/v2/{shelves.name}", "", ""}), testing::HasSubstr("not a message"));
  EXPECT_THAT(Problem({"POST", "/v2", "nope", ""}), testing::HasSubstr("no field"));
  EXPECT_THAT(Problem({"POST", "/v2", "", "nope"}), testing::HasSubstr("no field"));
  EXPECT_THAT(Problem({"POST", "v2", "", ""}), testing::HasSubstr("starts with '/'"));
  for (const char* method : {"", "A B", "A\r\nB", "\xc3\xa9"}) {
    EXPECT_THAT(Problem({method, "/v2", "", ""}), testing::HasSubstr("the method of a rule"));
  }
  EXPECT_EQ(Problem({"GET", "/v1/shelves/{name=*}", "", ""}),
            "tc.v1.Library.NoRule (GET /v1/shelves/{name=*}): GET /v1/shelves/{name=*} matches the "
            "same paths as /v1/shelves/{shelf_id} of tc.v1.Library.GetShelf");
}

TEST(Router, WarnsOfARuleThatNoPathReaches) {
  const std::vector<ExtraRule> extra = {{"tc.v1.Library.NoRule", {"GET", "/a b", "", ""}}};
  const Result<Router> router = Router::Make(Library(), {}, extra);
  ASSERT_EQ(router->warnings().size(), 1u);
  EXPECT_THAT(router->warnings()[0], testing::HasSubstr("never matches"));
  const std::vector<ExtraRule> empty = {{"tc.v1.Library.NoRule", {"GET", "", "", ""}}};
  EXPECT_THAT(Router::Make(Library(), {}, empty)->warnings().at(0),
              testing::HasSubstr("never matches: it has no path"));
}

}  // namespace
}  // namespace transcode
