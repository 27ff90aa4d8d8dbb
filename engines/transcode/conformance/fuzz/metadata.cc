// Heads of HTTP to metadata of gRPC and back.

#include "server/metadata.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "conformance/files.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/fields.h"
#include "conformance/fuzz/gateway.h"
#include "conformance/fuzz/targets.h"
#include "http/head.h"
#include "http/status.h"

namespace transcode::conformance {
namespace {

using server::HeaderField;
using server::Headers;

// "name:value\n" for each field, as the parsers of HTTP give them: names in lower case, values
// without blanks around them.
Headers HeadOf(std::string_view text) {
  Headers head;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t colon = line.find(':', 1);
    const std::string_view name = line.substr(0, colon);
    std::string_view value = colon == line.npos ? "" : line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    if (IsToken(name) || (name.starts_with(':') && IsToken(name.substr(1)))) {
      head.AddLowered(name, value);
    }
  }
  return head;
}

// What the fields "connection" name, in lower case.
std::set<std::string> NamedByConnection(const Headers& head) {
  std::set<std::string> names;
  for (size_t i = 0; i < head.size(); ++i) {
    if (head[i].name != "connection") continue;
    std::string name;
    for (const char c : std::string(head[i].value) + ",") {
      if (c != ',') {
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
        continue;
      }
      const size_t end = name.find_last_not_of(" \t") + 1;
      const size_t begin = std::min(name.find_first_not_of(" \t"), end);
      names.insert(name.substr(begin, end - begin));
      name.clear();
    }
  }
  return names;
}

// Fields stay as they are and in order, or are left out, and those of one hop are.
void CheckFields(const Headers& head) {
  using Add = void (*)(const Headers&, Headers&);
  for (const Add add : {&server::AddRequestMetadata, &server::AddResponseMetadata}) {
    const bool request = add == &server::AddRequestMetadata;
    const std::set<std::string> named = request ? NamedByConnection(head) : std::set<std::string>();
    Headers to, again;
    add(head, to);
    size_t next = 0;
    for (size_t i = 0; i < head.size(); ++i) {
      const HeaderField field = head[i];
      const bool kept = next < to.size() && to[next].name == field.name &&
                        to[next].value == field.value &&
                        to[next].value.size() == field.value.size();
      const bool hop = field.name.starts_with(':') || field.name.starts_with("grpc-") ||
                       field.name == "connection" || field.name == "content-length" ||
                       field.name == "transfer-encoding" || field.name == "content-type" ||
                       field.name == "upgrade" || named.contains(std::string(field.name));
      if (hop) continue;
      if (kept) ++next;
      if (field.name.starts_with("x-")) REQUIRE(kept, Text(head) + "\n" + Text(to));
    }
    REQUIRE(next == to.size(), Text(head) + "\n" + Text(to));
    add(to, again);
    REQUIRE(Text(again) == Text(to), Text(head));
  }
}

void CheckMessage(std::string_view text) {
  const std::string encoded = server::EncodeGrpcMessage(text);
  REQUIRE(server::DecodeGrpcMessage(encoded) == text, ToHex(text));
  REQUIRE(std::all_of(encoded.begin(), encoded.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
          ToHex(text));
  REQUIRE(server::DecodeGrpcMessage(text).size() <= text.size(), ToHex(text));
}

// One to eight digits and a unit; what is written is that time or the next that can be.
void CheckTimeout(std::string_view text) {
  const auto timeout = server::ParseTimeout(text);
  const std::string_view digits = text.substr(0, text.empty() ? 0 : text.size() - 1);
  const bool right = !digits.empty() && digits.size() <= 8 &&
                     digits.find_first_not_of("0123456789") == digits.npos &&
                     std::string_view("HMSmun").find(text.back()) != std::string_view::npos;
  REQUIRE(timeout.has_value() == right, text);
  if (!timeout) return;
  REQUIRE(timeout->count() >= 0, text);
  const std::string written = server::FormatTimeout(*timeout);
  const auto again = server::ParseTimeout(written);
  REQUIRE(again && *again >= *timeout, written);
  // The units grow by 1000 at least once, so that seven digits are left.
  REQUIRE((*again - *timeout).count() <= std::max<int64_t>(timeout->count() / 1'000'000, 1),
          written);
}

// A status that trailers have is printed, whatever they say.
void CheckStatus(const Headers& head) {
  const auto status = server::StatusOfTrailers(head);
  REQUIRE(status.has_value() == head.Find("grpc-status").has_value(), Text(head));
  if (!status) return;
  REQUIRE(status->code >= 0, Text(head));
  const std::string_view code = *head.Find("grpc-status");
  REQUIRE(!status->ok() || code.find_first_not_of('0') == code.npos, Text(head));
  REQUIRE(!status->ok() || (status->message.empty() && status->details.empty()), Text(head));
  const int http_status = HttpStatusOf(status->code);
  REQUIRE(http_status >= 200 && http_status < 600, Text(head));
  Buffer json;
  AppendStatusJson(*status, &GatewaySchema(), json);
  Json value;
  REQUIRE(ParseStrictJson(json.view(), &value), json.view());
}

// A head; its first field's value is a message and a timeout, too.
void MetadataTarget(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckMessage(text);
  CheckTimeout(text);
  const Headers head = HeadOf(text);
  for (size_t i = 0; i < head.size(); ++i) {
    if (head[i].name == "grpc-timeout") CheckTimeout(head[i].value);
  }
  CheckFields(head);
  CheckStatus(head);
}

std::vector<std::string> MetadataSeeds() {
  std::vector<std::string> seeds = {
      "100m",
      "99999999H",
      "caf\xc3\xa9 100% \r\n",
      "%41%zz%4",
      "host:a\nx-a: b \nconnection:close, X-A ,keep-alive\nx-b-bin:AAE=\ngrpc-timeout:1S\n",
      ":status:200\ncontent-type:application/grpc\ngrpc-encoding:gzip\nx-from-server:1\n",
      "grpc-status:0\ngrpc-message:\n",
      "grpc-status:5\ngrpc-message:no%20such%E2%82%AC\ngrpc-status-details-bin:CAUSAW0\n",
      "grpc-status:99999999999\ngrpc-status-details-bin:CAUSAW0=\n",
  };
  for (const Json& line : ReadJsonLines("corpus/gateway.jsonl")) {
    std::string head;
    for (const auto& [name, value] : line.at("request").at("headers").items()) {
      head += name + ":" + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
    }
    if (!head.empty() && std::find(seeds.begin(), seeds.end(), head) == seeds.end()) {
      seeds.push_back(head);
    }
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> MetadataTargets() { return {{"metadata", MetadataTarget, MetadataSeeds}}; }

}  // namespace transcode::conformance
