// The exchanges of testdata/corpus/gateway.jsonl, recorded through Envoy's transcoder, replayed
// through ours: the same calls must reach the server, the same status and JSON the client. What is
// different on purpose is in testdata/deviations/gateway.txt: a case and the reason.

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "server/test_support.h"

namespace transcode::server {
namespace {

using Json = nlohmann::json;
namespace pb = google::protobuf;

// The keys of gateway_configs.json as our options.
std::unique_ptr<TestProxy> MakeProxy(const std::string& config) {
  ServerOptions options;
  RouterOptions routes;
  PrintOptions& print = options.proxy.response.print;
  BindingOptions& binding = options.proxy.request.binding;
  if (config == "lenient") {
    routes.auto_mapping = routes.any_verb = true;
    binding.unknown_query = UnknownQuery::kIgnore;
    binding.plus_is_space = true;
    binding.parse.enums = EnumNames::kFoldCase;
  } else if (config == "print") {
    print.whitespace = print.enums_as_ints = print.proto_names = true;
    print.unpopulated = Unpopulated::kNoPresence;
  } else if (config == "ndjson") {
    options.proxy.stream_format = StreamFormat::kNdjson;
  } else if (config == "sse") {
    options.proxy.stream_format = StreamFormat::kSse;
  } else if (config == "unescape_all") {
    routes.multi_segment = Unescape::kAll;
  } else if (config == "unescape_except_slash") {
    routes.multi_segment = Unescape::kAllExceptSlash;
  } else if (config == "ignored_params") {
    binding.ignored_query = {"api_key"};
  }
  return std::make_unique<TestProxy>(options, routes);
}

// Code points of the recording are bytes.
std::string Latin1(const std::string& utf8) {
  std::string bytes;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<uint8_t>(utf8[i]);
    bytes.push_back(c < 0x80 ? utf8[i] : static_cast<char>(c << 6 | (utf8[++i] & 0x3f)));
  }
  return bytes;
}

std::string RequestText(const Json& request) {
  std::string text = request["method"].get<std::string>() + " " +
                     request["path"].get<std::string>() + " HTTP/1.1\r\nhost: a\r\n";
  for (const auto& [name, value] : request["headers"].items()) {
    text.append(name).append(": ").append(Latin1(value.get<std::string>())).append("\r\n");
  }
  std::string body;
  if (request.contains("body") && request["body"].is_string()) body = request["body"];
  if (request.contains("body_hex")) body = FromHex(request["body_hex"].get<std::string>());
  if (request.contains("body") || request.contains("body_hex")) {
    text.append("content-length: ").append(std::to_string(body.size())).append("\r\n");
  }
  return text + "\r\n" + body;
}

class GatewayTest : public testing::Test {
 protected:
  GatewayTest() {
    pb::FileDescriptorSet files;
    files.ParseFromString(ReadFile("../testdata/corpus/transcode_gateway.desc"));
    for (const auto& file : files.file()) pool_.BuildFile(file);
    std::istringstream lines(ReadFile("../testdata/deviations/gateway.txt"));
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line[0] != '#') deviations_[line.substr(0, line.find(' '))] = line;
    }
  }

  bool SameMessage(const std::string& path, const std::string& a, const std::string& b) {
    const size_t slash = path.rfind('/');
    const auto* method =
        pool_.FindMethodByName(path.substr(1, slash - 1) + "." + path.substr(slash + 1));
    if (method == nullptr) return false;
    std::unique_ptr<pb::Message> left(factory_.GetPrototype(method->input_type())->New());
    std::unique_ptr<pb::Message> right(left->New());
    pb::util::DefaultFieldComparator comparator;
    comparator.set_treat_nan_as_equal(true);
    pb::util::MessageDifferencer differencer;
    differencer.set_field_comparator(&comparator);
    return left->ParseFromString(a) && right->ParseFromString(b) &&
           differencer.Compare(*left, *right);
  }

  // Empty: as recorded.
  std::string Difference(const Json& exchange, const Response& got,
                         const std::vector<EchoServer::Call>& calls) {
    const Json& want = exchange["response"];
    // None: Envoy broke the connection off.
    const int status = want["status"].is_number() ? want["status"].get<int>() : 0;
    if (status == 0) {
      if (got.complete) return "the body is not cut short";
    } else if (got.status != status) {
      return "status " + std::to_string(status) + ", got " + std::to_string(got.status) + " " +
             got.body;
    }
    if (exchange["upstream"].size() != calls.size()) {
      std::string text = "calls: " + std::to_string(exchange["upstream"].size()) + ", got";
      for (const auto& call : calls) text.append(" ").append(call.path);
      return text;
    }
    for (size_t i = 0; i < calls.size(); ++i) {
      const Json& call = exchange["upstream"][i];
      if (call["method"] != calls[i].path) return "method " + calls[i].path;
      if (call["messages"].size() != calls[i].messages.size()) return "number of messages";
      for (size_t k = 0; k < calls[i].messages.size(); ++k) {
        if (!SameMessage(calls[i].path, FromHex(call["messages"][k].get<std::string>()),
                         calls[i].messages[k])) {
          return "message " + std::to_string(k);
        }
      }
      if (call["headers"].contains("x-custom") && !calls[i].metadata.contains("x-custom")) {
        return "metadata";
      }
    }
    if (status == 0) return "";
    if (status >= 400) return IsStatus(got, want);
    const std::string type = want["headers"].value("content-type", "");
    const auto found = got.fields.find("content-type");
    if ((found == got.fields.end() ? "" : found->second) != type) return "content-type " + type;
    return SameBody(want.value("body", ""), got.body) ? "" : "body " + got.body;
  }

  // The text of errors is ours, but for what the server said.
  static std::string IsStatus(const Response& got, const Json& want) {
    const Json body = Json::parse(got.body, nullptr, false);
    if (!body.is_object() || !body.contains("code") || !body.contains("message")) {
      return "not a google.rpc.Status: " + got.body;
    }
    const Json recorded = Json::parse(want.value("body", ""), nullptr, false);
    if (!recorded.is_object() || !recorded.contains("code")) return "";
    for (const auto& [key, value] : recorded.items()) {
      if (body.value(key, Json()) != value) return key + " of " + got.body;
    }
    return "";
  }

  static bool SameBody(const std::string& want, const std::string& got) {
    if (want == got) return true;
    const Json a = Json::parse(want, nullptr, false);
    const Json b = Json::parse(got, nullptr, false);
    return !a.is_discarded() && a == b;
  }

  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
  std::map<std::string, std::string> deviations_;
};

TEST_F(GatewayTest, AnswersAsRecordedButForTheListedDeviations) {
  std::map<std::string, std::unique_ptr<TestProxy>> proxies;
  std::istringstream lines(ReadFile("../testdata/corpus/gateway.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json exchange = Json::parse(line);
    const std::string id = exchange["id"];
    const std::string config = exchange["config"];
    auto& proxy = proxies[config];
    if (proxy == nullptr) proxy = MakeProxy(config);
    TestClient client(proxy->port());
    client.Send(RequestText(exchange["request"]));
    const Response response = client.Receive(exchange["request"]["method"] == "HEAD");
    client.Close();
    const std::string difference = Difference(exchange, response, proxy->echo().TakeCalls());
    if (deviations_.erase(id) == 0) {
      EXPECT_EQ(difference, "") << id << " " << config << " " << exchange["request"].dump();
    } else {
      EXPECT_NE(difference, "") << id << " is listed as a deviation, but does not differ";
    }
  }
  EXPECT_EQ(count, 181);
  EXPECT_TRUE(deviations_.empty()) << deviations_.begin()->first << " is not a case";
}

}  // namespace
}  // namespace transcode::server
