#include "schema/schema.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace transcode {
namespace {

constexpr char kLibrary[] = R"(
file {
  name: "library.proto" package: "library" syntax: "proto3"
  dependency: "google/protobuf/timestamp.proto"
  message_type {
    name: "Book"
    field { name: "book_id" number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL json_name: "bookId" }
    field { name: "due" number: 16 type: TYPE_MESSAGE label: LABEL_OPTIONAL
            type_name: ".google.protobuf.Timestamp" json_name: "due" }
    field { name: "isbn" number: 3000 type: TYPE_STRING label: LABEL_OPTIONAL
            oneof_index: 0 json_name: "isbn" }
    field { name: "pages" number: 4 type: TYPE_SINT32 label: LABEL_REPEATED json_name: "pages" }
    field { name: "genre" number: 5 type: TYPE_ENUM label: LABEL_OPTIONAL
            type_name: ".library.Genre" json_name: "genre" }
    oneof_decl { name: "code" }
  }
  enum_type {
    name: "Genre"
    value { name: "NONE" number: 0 } value { name: "POETRY" number: 7 }
    value { name: "VERSE" number: 7 } options { allow_alias: true }
  }
  service {
    name: "Library"
    method { name: "Get" input_type: ".library.Book" output_type: ".library.Book"
             server_streaming: true options { } }
  }
})";

std::string Bytes(const google::protobuf::UnknownFieldSet& fields) {
  std::string bytes;
  EXPECT_TRUE(fields.SerializeToString(&bytes));
  return bytes;
}

std::string Descriptors(const std::string& http_rule = "") {
  google::protobuf::FileDescriptorSet set;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kLibrary, &set));
  if (!http_rule.empty()) {
    auto* options = set.mutable_file(0)->mutable_service(0)->mutable_method(0)->mutable_options();
    auto* unknown = options->GetReflection()->MutableUnknownFields(options);
    unknown->AddLengthDelimited(72295728, http_rule);
  }
  return set.SerializeAsString();
}

TEST(Schema, NamesWhatItDoesNotTake) {
  google::protobuf::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(Descriptors()));
  auto* message = set.mutable_file(0)->add_message_type();
  message->set_name("Set");
  message->mutable_options()->set_message_set_wire_format(true);
  auto* extensions = message->add_extension_range();
  extensions->set_start(4);
  extensions->set_end(2147483647);
  set.mutable_file(0)->set_syntax("proto2");
  const auto schema = Schema::Load(set.SerializeAsString());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  EXPECT_EQ(schema->FindMessage("library.Set")->well_known, WellKnown::kMessageSet);

  auto* file = set.add_file();
  file->set_name("ed.proto");
  file->set_syntax("editions");
  const auto edition = Schema::Load(set.SerializeAsString());
  ASSERT_FALSE(edition.ok());
  EXPECT_EQ(edition.error().ToString(),
            "INVALID_ARGUMENT: ed.proto is written in an edition: expected files of syntax proto2 "
            "and proto3 only");
}

TEST(Schema, FlattensMessages) {
  const auto schema = Schema::Load(Descriptors());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  const Message* book = schema->FindMessage("library.Book");
  ASSERT_NE(book, nullptr);
  EXPECT_EQ(book->name, "Book");
  ASSERT_EQ(book->fields.size(), 5u);

  const Field* id = book->FindField("bookId");
  ASSERT_NE(id, nullptr);
  EXPECT_EQ(book->FindField("book_id"), id);
  EXPECT_EQ(book->FindField("bookid"), nullptr);
  EXPECT_EQ(book->FindNumber(1), id);
  EXPECT_EQ(id->json_key, "\"bookId\":");
  EXPECT_EQ(id->proto_key, "\"book_id\":");
  EXPECT_FALSE(id->has_presence);

  const Field* due = book->FindField("due");
  EXPECT_EQ(due->message->well_known, WellKnown::kTimestamp);
  EXPECT_EQ(std::string(due->tag.bytes.data(), due->tag.size), "\x82\x01");

  const Field* isbn = book->FindField("isbn");
  EXPECT_EQ(book->FindNumber(3000), isbn);
  EXPECT_EQ(book->oneof_names[static_cast<size_t>(isbn->oneof)], "code");

  const Field* pages = book->FindField("pages");
  EXPECT_TRUE(pages->packed);
  EXPECT_EQ(pages->packed_tag.bytes[0], 0x22);
  EXPECT_EQ(pages->tag.bytes[0], 0x20);
  EXPECT_EQ(book->FindNumber(2), nullptr);
  EXPECT_EQ(book->FindNumber(2999), nullptr);
}

TEST(Schema, FindsEnumValuesByNameAndNumber) {
  const auto schema = Schema::Load(Descriptors());
  ASSERT_TRUE(schema.ok());
  const Enum* genre = schema->FindEnum("library.Genre");
  ASSERT_NE(genre, nullptr);
  EXPECT_EQ(genre->FindName("VERSE")->number, 7);
  EXPECT_EQ(genre->FindName("verse"), nullptr);
  EXPECT_EQ(genre->FindNameFolded("verse")->number, 7);
  EXPECT_EQ(genre->FindNumber(7)->name, "POETRY");  // the first of two aliases
  EXPECT_EQ(genre->FindNumber(0)->json_text, "\"NONE\"");
  EXPECT_EQ(genre->FindNumber(1), nullptr);
}

TEST(Schema, ReadsHttpRulesFromTheUnknownFieldOfTheOptions) {
  google::protobuf::UnknownFieldSet rule, more, custom;
  custom.AddLengthDelimited(1, "LOCK");
  custom.AddLengthDelimited(2, "/v1/lock");
  more.AddLengthDelimited(8, Bytes(custom));
  rule.AddLengthDelimited(4, "/v1/{book_id}");
  rule.AddLengthDelimited(7, "*");
  rule.AddLengthDelimited(11, Bytes(more));
  const auto schema = Schema::Load(Descriptors(Bytes(rule)));
  ASSERT_TRUE(schema.ok());
  const Method* get = schema->FindMethod("/library.Library/Get");
  ASSERT_NE(get, nullptr);
  EXPECT_TRUE(get->server_streaming);
  EXPECT_FALSE(get->client_streaming);
  ASSERT_EQ(get->http_rules.size(), 2u);
  EXPECT_EQ(get->http_rules[0].verb, "POST");
  EXPECT_EQ(get->http_rules[0].path, "/v1/{book_id}");
  EXPECT_EQ(get->http_rules[0].body, "*");
  EXPECT_EQ(get->http_rules[1].verb, "LOCK");
  EXPECT_EQ(get->http_rules[1].path, "/v1/lock");
}

TEST(Schema, SaysWhatDoesNotResolve) {
  EXPECT_FALSE(Schema::Load("\xff\xff").ok());
  google::protobuf::FileDescriptorSet set;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(file { name: "a.proto" dependency: "missing.proto" })", &set));
  const auto schema = Schema::Load(set.SerializeAsString());
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(schema.error().code, Code::kInvalidArgument);
  EXPECT_NE(schema.error().message.find("missing.proto"), std::string::npos);
}

TEST(NameTable, FindsNamesThatShareTheirEnds) {
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) texts.push_back("common_head_" + std::to_string(i) + "_common");
  std::vector<std::string_view> names(texts.begin(), texts.end());
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < names.size(); ++i) numbers.push_back(i);
  NameTable table;
  table.Build(names, numbers);
  for (uint32_t i = 0; i < names.size(); ++i) EXPECT_EQ(table.Find(names[i]), i);
  EXPECT_EQ(table.Find("common_head_3000_common"), NameTable::kNotFound);
  EXPECT_EQ(table.Find(""), NameTable::kNotFound);
}

}  // namespace
}  // namespace transcode
