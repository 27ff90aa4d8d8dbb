// The corpus that three libraries answered. Where all agree the codec gives their answer, as a
// value; where they do not, or where the codec's defaults are stricter, a line of
// testdata/policies says what it does and which policy that follows.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "conformance/cases.h"

namespace transcode::conformance {
namespace {

std::set<std::string> Policies() {
  std::set<std::string> names;
  for (const auto& row : ReadTable("policies/policies.tsv", 2)) {
    EXPECT_NE(row[1], "") << row[0] << " says nothing";
    EXPECT_TRUE(names.insert(row[0]).second) << row[0] << " comes twice";
  }
  return names;
}

using Lines = std::map<std::string, std::vector<std::string>>;

Lines PolicyLines(const std::string& path, size_t columns) {
  const std::set<std::string> policies = Policies();
  Lines lines;
  for (const auto& row : ReadTable(path, columns)) {
    EXPECT_TRUE(lines.emplace(row[0], row).second) << row[0] << " comes twice";
    EXPECT_TRUE(policies.contains(row.back())) << row[0] << ": no policy " << row.back();
  }
  return lines;
}

// Under its heading POLICIES.md has the same lines.
TEST(Corpus, PoliciesAreThoseOfTheDocument) {
  const std::string document = ReadTestData("../POLICIES.md");
  const size_t begin = document.find("## What the libraries dispute");
  ASSERT_NE(begin, std::string::npos);
  std::set<std::string> written, told;
  std::istringstream section(document.substr(begin, document.find("\n## ", begin) - begin));
  for (std::string line; std::getline(section, line);) {
    if (line.starts_with("| ") && !line.starts_with("| policy |") && !line.starts_with("| --- |")) {
      written.insert(line);
    }
  }
  for (const auto& row : ReadTable("policies/policies.tsv", 2)) {
    told.insert("| " + row[0] + " | " + row[1] + " |");
  }
  EXPECT_EQ(written, told);
}

TEST(Corpus, JsonToProto) {
  // case, answer under default options, answer under lenient ones, policy
  Lines lines = PolicyLines("policies/json_to_proto.tsv", 4);
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    const std::string id = line.at("id");
    const bool agreed = line.at("agree").get<bool>();
    std::string answers[2] = {"seed", "seed"};
    const auto listed = lines.find(id);
    if (listed != lines.end()) {
      answers[0] = listed->second[1];
      answers[1] = listed->second[2];
      EXPECT_FALSE(agreed && answers[0] == "seed" && answers[1] == "seed") << id << ": needless";
      lines.erase(listed);
    } else if (!agreed) {
      ADD_FAILURE() << id << ": the libraries disagree and no policy is written: " << line.dump();
      continue;
    }
    ParseOptions modes[2] = {ParseOptions(), LenientOptions()};
    for (int mode = 0; mode < 2; ++mode) {
      if (line.value("case_insensitive_enums", false)) modes[mode].enums = EnumNames::kFoldCase;
      Oracle& oracle = CorpusOracle();
      const std::string type = line.at("type");
      EXPECT_EQ(CompareMessage(oracle, type, ToProto(oracle, type, JsonText(line), modes[mode]),
                               RecordedMessage(line, answers[mode])),
                "")
          << id << (mode == 0 ? " default" : " lenient") << "\n   given " << type << " "
          << JsonText(line).substr(0, 200);
    }
  }
  for (const auto& [id, row] : lines) ADD_FAILURE() << "listed, but no case: " << id;
}

TEST(Corpus, ProtoToJson) {
  // case, answer (a library, `reject`, or the text under default options), policy
  Lines lines = PolicyLines("policies/proto_to_json.tsv", 3);
  for (const Json& line : ReadJsonLines("corpus/proto_to_json.jsonl")) {
    const std::string id = line.at("id");
    const std::string type = line.at("type");
    const std::string wire = FromHex(line.at("hex").get<std::string>());
    const auto listed = lines.find(id);
    const std::string answer = listed == lines.end() ? "seed" : listed->second[1];
    if (listed != lines.end()) lines.erase(listed);
    // Unlisted: all that answered the question under any options gave the same value.
    for (const Json& output : line.at("outputs")) {
      const Answer got = ToJson(CorpusOracle(), type, wire, NamedOptions(output.at("options")));
      const bool text = answer.starts_with("{") || answer.starts_with("\"") || answer == "null";
      if (text && !output.at("options").empty()) continue;
      const Answer wanted = text ? Answer{true, answer} : RecordedJson(output, answer);
      EXPECT_EQ(CompareJson(CorpusOracle(), type, got, wanted), "")
          << id << " " << output.at("options") << "\n   given " << type << " "
          << ToHex(wire).substr(0, 200) << "\n"
          << line.dump().substr(0, 1500);
    }
  }
  for (const auto& [id, row] : lines) ADD_FAILURE() << "listed, but no case: " << id;
}

}  // namespace
}  // namespace transcode::conformance
