#include "http/bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/files.h"

namespace transcode {
namespace {

using conformance::ToHex;

const Message& Type(std::string_view name) {
  static const Schema kSchema =
      Schema::Load(conformance::ReadTestData("corpus/transcode_corpus.desc")).value();
  return *kSchema.FindMessage("tc.v1." + std::string(name));
}

std::vector<const Field*> PathOf(const Message& message, std::string_view text) {
  std::vector<const Field*> fields;
  const Message* at = &message;
  for (size_t dot; !text.empty(); text.remove_prefix(std::min(dot + 1, text.size()))) {
    dot = std::min(text.find('.'), text.size());
    fields.push_back(at->FindField(text.substr(0, dot)));
    at = fields.back()->message;
  }
  return fields;
}

struct Variable {
  std::string_view field, value;
};

struct Request {
  std::vector<Variable> path;
  std::string_view query = {};
  std::string_view body = {};  // none: no body
  std::string_view body_field = {};
};

// The message in hex, or the error.
std::string Write(std::string_view type, const Request& request,
                  const BindingOptions& options = {}) {
  const Message& message = Type(type);
  Bindings bindings;
  for (const Variable& variable : request.path) {
    bindings.AddPath(PathOf(message, variable.field), variable.value);
  }
  Result<> added = bindings.AddQuery(message, request.query, options);
  if (!added.ok()) return added.error().message;
  Buffer out("!");
  std::string answer;
  if (request.body.empty()) {
    Result<> done = bindings.Append(out, options);
    if (!done.ok()) answer = done.error().message;
  } else {
    const std::vector<const Field*> body = PathOf(message, request.body_field);
    ParsePart part;
    part.append = true;
    part.body = body;
    Result<Parsed> done = bindings.Write(message, request.body, part, out, options);
    if (!done.ok()) answer = done.error().message;
    if (done.ok()) {
      EXPECT_EQ(done->end, request.body.size());
    }
  }
  if (answer.empty()) return ToHex(out.view().substr(1));
  EXPECT_EQ(out.view(), "!");  // nothing of it is left
  return answer;
}

BindingOptions With(Conflicts conflicts) {
  BindingOptions options;
  options.conflicts = conflicts;
  return options;
}

const auto kConflict = testing::HasSubstr("BINDING_CONFLICT");
const BindingOptions kPathWins = With(Conflicts::kPathWins);
const BindingOptions kBodyWins = With(Conflicts::kBodyWins);

TEST(Bindings, WritesPathsIntoListsMapsAndMessages) {
  EXPECT_EQ(Write("Node", {{{"child.number", "5"}}, "name=a%20b"}),
            "0a021805120361"
            "2062");
  EXPECT_EQ(Write("Repeateds", {{}, "r_string=x&rString=y"}), "720178720179");
  EXPECT_EQ(Write("Maps", {{}, "m_string_string[k]=v"}), "0a060a016b120176");
  // All parameters through one list go to one element.
  EXPECT_EQ(Write("Node", {{}, "children.name=a&children.number=1"}),
            "2205120161"
            "1801");
}

TEST(Bindings, NamesWhatIsNoFieldPath) {
  EXPECT_THAT(Write("Node", {{}, "nope=1"}), testing::HasSubstr("no field \"nope\" in tc.v1.Node"));
  EXPECT_THAT(Write("Node", {{}, "name.x=1"}), testing::HasSubstr("\"name\" has no fields"));
  EXPECT_THAT(Write("Node", {{}, "name[k]=1"}), testing::HasSubstr("only a map has keys"));
  EXPECT_THAT(Write("Maps", {{}, "m_string_string=1"}), testing::HasSubstr("map[key]"));
  BindingOptions options;
  options.max_query = 2;
  EXPECT_EQ(Write("Node", {{}, "name=a&number=1&=x&y"}, options), "1201611801");
  EXPECT_EQ(Write("Node", {{}, "name=a&name=a&number=1"}, options), "too many query parameters");
}

TEST(Bindings, ComparesValuesAndNotTexts) {
  EXPECT_EQ(Write("Node", {{{"number", "5"}}, "number=05", "{\"number\":\"5.0\"}"}), "1805");
  EXPECT_EQ(Write("Node", {{{"number", "0"}}, "", "{\"number\":0}"}), "");
  EXPECT_THAT(Write("Node", {{{"number", "5"}}, "", "{\"number\":6}"}), kConflict);
  EXPECT_THAT(Write("Node", {{{"child.number", "5"}}, "", "{\"number\":6}", "child"}), kConflict);
}

// Another member of the oneof would unset the first one.
TEST(Bindings, ReportsTwoMembersOfAOneof) {
  const std::vector<Variable> path = {{"o_string", "x"}};
  const std::string_view others[] = {R"({"oInt32":1})", R"({"o_int32":0,"plain":"p"})",
                                     R"({"oNode":{}})", R"({"oNull":null})"};
  for (const std::string_view other : others) {
    EXPECT_THAT(Write("OneOfs", {path, "", other}), kConflict) << other;
  }
  EXPECT_THAT(Write("OneOfs", {path, "o_int32=1"}), kConflict);
  EXPECT_THAT(Write("OneOfs", {path, "o_node.name=n"}), kConflict);
  EXPECT_THAT(Write("OneOfs", {path, "o_node.children.name=n"}), kConflict);
  EXPECT_THAT(Write("OneOfs", {path, "", "{}", "o_node"}), kConflict);
  EXPECT_THAT(Write("OneOfs", {{{"o_node.name", "x"}}, "", R"({"oInt32":1})"}), kConflict);
  EXPECT_THAT(Write("OneOfs", {{}, "o_node.children.name=n", R"({"oInt32":1})"}), kConflict);
  // What sets no other member is none.
  EXPECT_EQ(Write("OneOfs", {path, "", R"({"oInt32":null,"plain":"p"})"}), "4a01700a0178");
  EXPECT_EQ(Write("OneOfs", {path, "", "null", "o_node"}), "0a0178");
  EXPECT_EQ(Write("OneOfs", {path, "", R"({"oString":"x"})"}), "0a0178");
  EXPECT_EQ(Write("OneOfs", {{{"o_node.name", "x"}}, "", R"({"oNode":{"number":1}})"}),
            "220218012203120178");
  EXPECT_EQ(Write("OneOfs", {{}, "o_node.children.name=n", R"({"oNode":{"children":[{}]}})"}),
            "2202220022052203"
            "12016e");
}

TEST(Bindings, OfAOneofTheFirstOfTheOrderWins) {
  const Request request = {{{"o_string", "x"}}, "", R"({"oInt32":1})"};
  EXPECT_EQ(Write("OneOfs", request, kPathWins), "10010a0178");  // the last member counts
  EXPECT_EQ(Write("OneOfs", request, kBodyWins), "1001");
  const Request query = {{{"o_string", "x"}}, "o_int32=1"};
  EXPECT_EQ(Write("OneOfs", query, kPathWins), "0a0178");
  EXPECT_EQ(Write("OneOfs", query, kBodyWins), "1001");
}

TEST(Bindings, ReportsAWellKnownTypeSetAsAWholeAndInPart) {
  const std::vector<Variable> part = {{"dur.seconds", "1"}};
  EXPECT_THAT(Write("WellKnown", {part, "", R"({"dur":"2s"})"}), kConflict);
  EXPECT_THAT(Write("WellKnown", {part, "", "\"2s\"", "dur"}), kConflict);
  EXPECT_THAT(Write("WellKnown", {part, "dur=2s"}), kConflict);
  EXPECT_EQ(Write("WellKnown", {part, "", "{}"}), "12020801");
  EXPECT_EQ(Write("WellKnown", {part, "", R"({"dur":"2s"})"}, kBodyWins), "12020802");
}

}  // namespace
}  // namespace transcode
