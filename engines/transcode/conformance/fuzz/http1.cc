// The bytes that a client of HTTP/1.1 writes.

#include "conformance/files.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/conversation.h"
#include "conformance/fuzz/targets.h"
#include "conformance/fuzz/wire.h"

namespace transcode::conformance {
namespace {

void RemoveDates(std::string* text) {
  constexpr std::string_view kField = "\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT";
  for (size_t at = 0; (at = text->find("\r\ndate: ", at)) != std::string::npos;) {
    text->erase(at, kField.size());
  }
}

void Http1Target(const uint8_t* data, size_t size) {
  const ClientInput input = ReadClientInput(data, size);
  const std::vector<size_t> cuts = CutEvery(input.step, input.bytes.size());
  if (input.gateway) return ServeGateway(input, cuts);
  Served whole = Serve(input, false, {});
  Served pieces = Serve(input, false, cuts);
  RemoveDates(&whole.answers);
  RemoveDates(&pieces.answers);
  // What waits for its end has a limit; what comes whole is never kept. And of a head that has no
  // end the mistakes are known early only where it comes whole.
  if (pieces.answers.find(" 431 ") != std::string::npos) return;
  if (pieces.requests == whole.requests && whole.answers.starts_with(pieces.answers) &&
      whole.answers.substr(pieces.answers.size()).starts_with("HTTP/1.1 400 ")) {
    return;
  }
  REQUIRE(pieces == whole, "whole:\n" + whole.requests + whole.answers + "\npieces:\n" +
                               pieces.requests + pieces.answers);
}

std::vector<std::string> Http1Seeds() {
  std::vector<std::string> seeds;
  const std::string direct = {'\0', '\7'}, gateway = {'\1', '\7'}, small = {'\3', '\7'};
  const std::string host = " HTTP/1.1\r\nhost: a\r\n";
  const std::string get = "GET /a" + host + "\r\n";
  const std::string chunked = host + "transfer-encoding: chunked\r\n\r\n";
  for (const char way : std::string("abcdef")) {
    seeds.push_back(direct + "POST /" + way + host + "content-length: 5\r\n\r\nhello" + get);
    seeds.push_back(direct + "POST /" + way + chunked +
                    "5;x=\"y\"\r\nhello\r\n0\r\nx-t: 1\r\n\r\n" + get);
    seeds.push_back(direct + "GET /" + way + " HTTP/1.0\r\nconnection: keep-alive\r\n\r\n" + get);
  }
  seeds.push_back(direct + "POST /f" + host + "expect: 100-continue\r\ncontent-length: 1\r\n\r\nx");
  const std::string narrow = {'\x08', '\7'};
  seeds.push_back(narrow + "GET /b" + host + "\r\n" + "GET /b" + host + "\r\n" + get);
  seeds.push_back(direct + "HEAD /d" + host + "connection: close\r\n\r\n" + get);
  seeds.push_back(direct + get + "\r\n\r\n" + get + "GARBAGE\r\n\r\n");
  const std::string json = "content-type: application/json\r\n";
  seeds.push_back(gateway + "POST /v1/bidi HTTP/1.1\r\nhost: a\r\n" + json +
                  "transfer-encoding: chunked\r\n\r\n1\r\n[\r\nc\r\n{\"name\":\"a\"}\r\n1\r\n]\r\n"
                  "0\r\n\r\n" +
                  get);
  for (const Json& line : ReadJsonLines("corpus/gateway.jsonl")) {
    const Json& request = line.at("request");
    const std::string body = request.value("body", std::string());
    const std::string text = request.at("method").get<std::string>() + " " +
                             request.at("path").get<std::string>() + host + json +
                             "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    if (text.size() > 300 || seeds.size() > 120) continue;
    seeds.push_back((seeds.size() % 8 == 0 ? small : gateway) + text);
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> Http1Targets() { return {{"http1", Http1Target, Http1Seeds}}; }

}  // namespace transcode::conformance
