#pragma once

// The recorded cases, and what passing one means.

#include <map>
#include <string>

#include "codec/options.h"
#include "conformance/files.h"
#include "conformance/oracle.h"

namespace transcode::conformance {

// The answer of an engine: the bytes of a message or a JSON text, or an error.
struct Answer {
  bool ok = false;
  std::string bytes;  // or the error's text
};

Answer ToProto(Oracle& oracle, const std::string& type, std::string_view json,
               const ParseOptions& options);
Answer ToJson(Oracle& oracle, const std::string& type, std::string_view wire,
              const PrintOptions& options);

// The policies under which the libraries of the corpus were recorded: leniency in syntax, null in
// lists skipped, a key that comes twice taken twice.
ParseOptions LenientOptions();

// `add_whitespace` and so on, as the cases name them.
PrintOptions NamedOptions(const Json& names);

// Empty: the same message (or both refused); otherwise the difference.
std::string CompareMessage(Oracle& oracle, const std::string& type, const Answer& got,
                           const Answer& wanted);
// Empty: the same JSON value of the type (or both refused); otherwise the difference.
std::string CompareJson(Oracle& oracle, const std::string& type, const Answer& got,
                        const Answer& wanted);

// The answer that a library gave, as recorded in json_to_proto.jsonl and proto_to_json.jsonl.
// `library`: seed, protobuf_3_21, protobuf_35; or `reject`, or ok: and
// the message in hex.
Answer RecordedMessage(const Json& line, const std::string& library);
Answer RecordedJson(const Json& output, const std::string& library);

// A line of conformance.jsonl against the codec. Empty: passed; otherwise the difference.
std::string RunConformance(const Json& line);

// A file of the JSONTestSuite as a google.protobuf.Value. Empty: as its name wants it.
std::string RunSuiteFile(const std::string& name);

// What `transcode_correctness` counts: the cases of a set that failed, each with the difference.
// Sets are agreed, required, recommended and jsontestsuite; directions from_json and to_json.
struct Count {
  size_t total = 0;
  std::map<std::string, std::string> failed;
};
Count CountCases(const std::string& direction, const std::string& set);

}  // namespace transcode::conformance
