#pragma once

// libprotobuf as the oracle: what a message means, whatever bytes it has.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schema/schema.h"

namespace transcode::conformance {

class Oracle {
 public:
  // From a serialized FileDescriptorSet with its imports.
  explicit Oracle(std::string_view file_descriptor_set);

  const google::protobuf::DescriptorPool& pool() const { return pool_; }
  const Schema& schema() const { return *schema_; }

  // A new message of the type, which must exist.
  std::unique_ptr<google::protobuf::Message> New(const std::string& type);

  // The message parsed and serialized again in one fixed way: known fields in the order of their
  // numbers, maps sorted and each key once (the last), packed as declared, the contents of an Any
  // too. Two messages are equal if this is. None: libprotobuf does not parse it.
  std::optional<std::string> Canonical(const std::string& type, std::string_view wire);

  static std::string Serialize(const google::protobuf::Message& message);

  // Removes unknown fields, also those of the entries and values of maps.
  static void DiscardUnknown(google::protobuf::Message* message);

 private:
  void Normalize(google::protobuf::Message* message);

  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
  std::optional<Schema> schema_;
};

// Those of the corpora: tc.v1, and the messages of protobuf's own suite.
Oracle& CorpusOracle();
Oracle& SuiteOracle();

}  // namespace transcode::conformance
