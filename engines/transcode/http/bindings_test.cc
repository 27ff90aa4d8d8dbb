#include "http/bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

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
  EXPECT_EQ(Write("Node", {{}, "name=a&&number=1&"}, options), "1201611801");
  EXPECT_EQ(Write("Node", {{}, "name=a&name=a&number=1"}, options), "too many query parameters");
}

TEST(Bindings, ComparesValuesAndNotTexts) {
  EXPECT_EQ(Write("Node", {{{"number", "5"}}, "number=05", "{\"number\":\"5.0\"}"}), "1805");
  EXPECT_EQ(Write("Node", {{{"number", "0"}}, "", "{\"number\":0}"}), "");
  EXPECT_THAT(Write("Node", {{{"number", "5"}}, "", "{\"number\":6}"}), kConflict);
  EXPECT_THAT(Write("Node", {{{"child.number", "5"}}, "", "{\"number\":6}", "child"}), kConflict);
}

TEST(Bindings, DropsNoParameter) {
  EXPECT_THAT(Write("Scalars", {{}, "fBool"}), testing::HasSubstr("not right for the field"));
  EXPECT_EQ(Write("Node", {{}, "name"}), Write("Node", {{}, "name="}));
  for (const char* query : {"nosuch", "=x", "=", "a=1", "name&nosuch"}) {
    EXPECT_THAT(Write("Node", {{}, query}), testing::HasSubstr("no field")) << query;
  }
  BindingOptions options;
  options.unknown_query = UnknownQuery::kIgnore;
  EXPECT_EQ(Write("Node", {{}, "nosuch&=x&number=1&&"}, options), "1801");
}

// Of one element, of one entry.
TEST(Bindings, ReportsConflictsInListsAndMaps) {
  EXPECT_THAT(Write("Node", {{}, "children.name=a&children.name=b"}), kConflict);
  EXPECT_EQ(Write("Node", {{}, "children.name=a&children.name=a"}), "2203120161");
  EXPECT_THAT(Write("Node", {{}, "children.child.number=1&children.child.number=2"}), kConflict);
  EXPECT_EQ(Write("Node", {{}, "children.name=a", R"({"children":[{"name":"b"}]})"}),
            "2203120162"
            "2203120161");
  EXPECT_EQ(Write("Repeateds", {{}, "r_timestamp=1970-01-01T00:00:01Z&r_timestamp.seconds=2"}),
            "9a01020801"
            "9a01020802");

  EXPECT_THAT(Write("Maps", {{}, "m_string_string[a]=1&m_string_string[a]=2"}), kConflict);
  EXPECT_THAT(Write("Maps", {{}, "m_int32_int32[1]=1&m_int32_int32[1.0]=2"}), kConflict);
  EXPECT_THAT(Write("Maps", {{}, "m_int32_int32[0]=1&m_int32_int32[-0]=2"}), kConflict);
  EXPECT_THAT(Write("Maps", {{}, "m_fixed64_string[0]=1&m_fixed64_string[0]=2"}), kConflict);
  EXPECT_EQ(Write("Maps", {{}, "m_string_string[a]=1&m_string_string[a]=1"}), "0a060a0161120131");
  EXPECT_EQ(Write("Maps", {{}, "m_string_string[a]=1&m_string_string[b]=2"}),
            "0a060a0161120131"
            "0a060a0162120132");
  const std::string_view twice = "m_string_string[a]=1&m_string_string[a]=2";
  EXPECT_EQ(Write("Maps", {{}, twice}, kPathWins), "0a060a0161120132");
  EXPECT_EQ(Write("Maps", {{}, twice}, kBodyWins), "0a060a0161120132");
}

TEST(Bindings, ReportsConflictsOfEntriesWithTheBody) {
  struct Case {
    std::string_view query, body, other;  // `other` has the entry with another value
  };
  const Case cases[] = {
      {"m_string_string[a]=1", R"({"mStringString":{"b":"2","a":"1"}})",
       R"({"mStringString":{"a":"2","b":"1"}})"},
      {"m_string_string[]=", R"({"mStringString":{"":""}})", R"({"mStringString":{"":"x"}})"},
      {"m_int32_int32[0]=0", R"({"mInt32Int32":{"0":0}})", R"({"mInt32Int32":{"0":1}})"},
      {"m_int64_int64[-1]=5", R"({"mInt64Int64":{"-1":5}})", R"({"mInt64Int64":{"-1":0}})"},
      {"m_bool_bool[true]=yes", R"({"mBoolBool":{"true":true}})",
       R"({"mBoolBool":{"true":false}})"},
      {"m_sint32_float[-2]=0.5", R"({"mSint32Float":{"-2":0.5}})", R"({"mSint32Float":{"-2":1}})"},
      {"m_fixed64_string[7]=x", R"({"mFixed64String":{"7":"x"}})",
       R"({"mFixed64String":{"7":"y"}})"},
      {"m_string_timestamp[t]=1970-01-01T00:00:01Z",
       R"({"mStringTimestamp":{"t":"1970-01-01T00:00:01.0Z"}})",
       R"({"mStringTimestamp":{"t":"1970-01-01T00:00:00Z"}})"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.query);
    EXPECT_EQ(Write("Maps", {{}, each.query, each.body}), Write("Maps", {{}, "", each.body}));
    EXPECT_THAT(Write("Maps", {{}, each.query, each.other}), kConflict);
    EXPECT_EQ(Write("Maps", {{}, each.query, each.other}, kBodyWins),
              Write("Maps", {{}, "", each.other}));
    // The last entry counts.
    EXPECT_EQ(Write("Maps", {{}, each.query, each.other}, kPathWins),
              Write("Maps", {{}, "", each.other}) + Write("Maps", {{}, each.query}));
  }
  EXPECT_EQ(Write("Maps", {{}, "m_string_string[c]=1", R"({"mStringString":{"a":"2"}})"}),
            "0a060a0161120132"
            "0a060a0163120131");
  EXPECT_THAT(Write("Maps", {{}, "m_string_string[a]=1", R"({"a":"2"})", "m_string_string"}),
              kConflict);
}

TEST(Bindings, ThePartsOfAWellKnownTypeMakeOneThatHasAForm) {
  for (const char* query :
       {"ts.seconds=999999999999999", "ts.nanos=-5", "ts.nanos=1000000000",
        "dur.seconds=1&dur.nanos=-1", "dur.seconds=315576000001", "mask.paths=addressA",
        "mask.paths=a,b", "mask.paths=address_1", "mask.paths=a&mask.paths=b_",
        "val.number_value=NaN", "val.number_value=Infinity", "any.type_url=x",
        "any.type_url=/no.Such", "any.value=eA%3D%3D", "anys.type_url=x",
        "any.type_url=/tc.v1.Node&any.value=eA%3D%3D", "ts.seconds=1&dur.seconds=1&ts.nanos=-1"}) {
    EXPECT_THAT(Write("WellKnown", {{}, query}),
                testing::HasSubstr("the parts are no google.protobuf."))
        << query;
  }
  EXPECT_THAT(Write("WellKnown", {{{"ts.nanos", "-5"}}, "", "{}"}),
              testing::HasSubstr("the parts"));
  EXPECT_THAT(Write("Repeateds", {{}, "r_timestamp.nanos=-5"}), testing::HasSubstr("the parts"));
  EXPECT_EQ(Write("WellKnown", {{}, "ts.seconds=1&dur.nanos=-5&ts.nanos=7"}).substr(0, 8),
            "0a020801");
  EXPECT_EQ(Write("WellKnown", {{}, "mask.paths=a_b&mask.paths=c"}),
            "1a050a03615f62"
            "1a030a0163");
  EXPECT_EQ(Write("WellKnown", {{}, "w_int32.value=5"}), "72020805");
  // Beside the whole.
  EXPECT_THAT(Write("WellKnown", {{}, "mask.paths=a", R"({"mask":"b"})"}), kConflict);
  EXPECT_THAT(Write("WellKnown", {{}, "list.values.bool_value=true", R"({"list":[1]})"}),
              kConflict);
  EXPECT_THAT(Write("WellKnown", {{}, "mask=a&mask.paths=b"}), kConflict);
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

// Many parameters go another way, which must lead to the same.
TEST(Bindings, SettlesManyAsItSettlesFew) {
  struct Kind {
    const char* type;
    std::vector<const char*> names;
    const char* list;  // of a name that is none of those
  };
  const Kind kinds[] = {
      {"Request",
       {"name", "labels[a]", "labels[b]", "labels[]", "nested.name", "nested.shelf.name"},
       "numbers"},
      {"Maps", {"mInt32Int32[1]", "mInt32Int32[01]", "mInt32Int32[0]", "mBoolBool[true]"}, nullptr},
      {"OneOfs",
       {"oString", "oInt32", "oNode.name", "oNode.child.name", "oNode.children.name"},
       nullptr},
      {"WellKnown", {"ts", "ts.seconds", "ts.nanos", "mask.paths", "val.stringValue"}, nullptr},
      {"Node", {"name", "child.name", "children.name", "children.children.name"}, nullptr},
  };
  std::mt19937 random(1);
  const auto below = [&random](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const auto times = [](const std::string& parameter) {
    std::string query;
    for (int i = 0; i < 40; ++i) query += parameter + "&";
    return query;
  };
  for (int run = 0; run < 3000; ++run) {
    const Kind& kind = kinds[below(std::size(kinds))];
    const BindingOptions options = With(static_cast<Conflicts>(below(3)));
    const size_t names = 1 + below(kind.names.size());
    const size_t count = 1 + below(8), values = 1 + below(3);
    std::string query, first;
    for (size_t i = 0; i < count; ++i) {
      query += i == 0 ? "" : "&";
      query += std::string(kind.names[below(names)]) + "=" + std::to_string(below(values));
      if (i == 0) first = query;
    }
    SCOPED_TRACE(std::string(kind.type) + " " + query);
    const std::string few = Write(kind.type, {{}, query}, options);
    // Of one parameter that comes again and again all but one are dropped, if it is no list.
    if (!first.starts_with("mask.paths")) {
      ASSERT_EQ(Write(kind.type, {{}, times(first) + query}, options), few);
    }
    if (kind.list == nullptr) continue;
    const std::string list = times(std::string(kind.list) + "=7");
    const std::string many = Write(kind.type, {{}, list + query}, options);
    const bool failed = few.find_first_not_of("0123456789abcdef") != std::string::npos;
    ASSERT_EQ(many, failed ? few : Write(kind.type, {{}, list}, options) + few);
  }
}

}  // namespace
}  // namespace transcode
