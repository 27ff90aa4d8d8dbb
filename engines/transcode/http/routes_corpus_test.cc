// The recorded lookups of testdata/corpus/routes.jsonl. Where we decide otherwise,
// testdata/policies/routes.tsv says what we answer and why; nothing else may differ, and nothing
// in it may agree.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "conformance/files.h"
#include "http/percent.h"
#include "http/query.h"
#include "http/route_table.h"

namespace transcode {
namespace {

using conformance::Json;

RouteTable::Options OptionsOf(const Json& options) {
  static const std::map<std::string, Unescape> kUnescape = {
      {"except_reserved", Unescape::kAllExceptReserved},
      {"except_slash", Unescape::kAllExceptSlash},
      {"all", Unescape::kAll}};
  return {kUnescape.at(options.value("unescape", "except_reserved")),
          options.value("any_verb", false)};
}

void AppendPair(std::string_view name, std::string_view value, std::string& text) {
  text.append(" ").append(name).append("=").append(value);
}

std::string Recorded(const Json& result) {
  if (result["match"].is_null()) return "-";
  std::string text = result["match"];
  for (const Json& binding : result["bindings"]) {
    AppendPair(binding["field"].get<std::string>(), binding["value"].get<std::string>(), text);
  }
  return text;
}

std::string Ours(const RouteTable& table, const Json& line, const Json& result) {
  std::string target = result["path"];
  if (result.contains("query")) target += "?" + result["query"].get<std::string>();
  PathMatch match;
  if (!table.Find(result["method"].get<std::string>(), target, match)) return "-";
  std::string text = line["rules"][match.rule]["id"];
  for (const PathMatch::Binding& binding : match.bindings) {
    AppendPair(table.TemplateOf(match.rule).variables[binding.variable].field_path, binding.value,
               text);
  }
  const Json& options = line["options"];
  const Json ignored = options.value("system", Json::array());
  Buffer decoded;
  if (!result.contains("query")) return text;
  for (QueryParameter parameter; NextParameter(match.query, parameter);) {
    if (std::find(ignored.begin(), ignored.end(), parameter.name) != ignored.end()) continue;
    decoded.Clear();
    AppendPair(
        parameter.name,
        PercentDecode(parameter.value, Unescape::kAll, options.value("plus", false), decoded),
        text);
  }
  return text;
}

TEST(RoutesCorpus, IsAsRecordedOrAsThePoliciesSay) {
  std::map<std::string, std::string> policies;
  for (const auto& row : conformance::ReadTable("policies/routes.tsv", 3)) {
    policies[row[0]] = row[1];
  }
  size_t cases = 0;
  const auto check = [&](const std::string& id, const std::string& recorded,
                         const std::string& ours) {
    ++cases;
    const auto policy = policies.find(id);
    if (policy == policies.end()) {
      EXPECT_EQ(ours, recorded) << id;
      return;
    }
    EXPECT_EQ(ours, policy->second) << id;
    EXPECT_NE(ours, recorded) << id << " does not differ any more";
    policies.erase(policy);
  };
  for (const Json& line : conformance::ReadJsonLines("corpus/routes.jsonl")) {
    const std::string id = line["id"];
    RouteTable table(OptionsOf(line["options"]));
    for (uint32_t i = 0; i < line["rules"].size(); ++i) {
      const Json& rule = line["rules"][i];
      const bool added =
          table.Add(rule["method"].get<std::string>(), rule["path"].get<std::string>(), i).ok();
      std::string name = id;
      name.append(" ").append(rule["id"]);
      check(name, line["registered"][i].get<bool>() ? "accepted" : "rejected",
            added ? "accepted" : "rejected");
    }
    for (const Json& result : line["results"]) {
      std::string name = id;
      name.append(" ").append(result["method"]).append(" ").append(result["path"]);
      if (result.contains("query")) name.append("?").append(result["query"]);
      check(name, Recorded(result), Ours(table, line, result));
    }
  }
  EXPECT_GT(cases, 400u);
  for (const auto& [id, answer] : policies) ADD_FAILURE() << "no such case: " << id;
}

}  // namespace
}  // namespace transcode
