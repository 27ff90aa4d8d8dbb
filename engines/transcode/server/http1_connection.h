// The server side of one HTTP/1.1 connection: keep-alive, pipelining, chunked bodies both ways.
// Parsing is Boost.Beast's. The first bytes may turn out to be the preface of HTTP/2; the socket
// then goes to another object.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <functional>
#include <optional>
#include <string>

#include "server/client.h"
#include "server/connection.h"
#include "server/limits.h"

namespace transcode::server {

// What a connection has to know of the one who accepted it.
struct ConnectionContext {
  RequestHandler* handler = nullptr;
  const Limits* limits = nullptr;
  std::string_view peer;
  // Called when a connection is gone.
  std::function<void(Connection*)> on_close;
  // Continues with a client that speaks HTTP/2. Null: it does not get to.
  std::function<void(int fd, std::string_view peer, std::string_view bytes)> on_http2;
};

class Http1Connection final : public Connection, private ClientStream {
 public:
  Http1Connection(EventLoop& loop, int fd, const ConnectionContext& context, std::string peer);

  void Shutdown() override;
  void CheckTime(Clock::time_point now) override;

 private:
  // Beast calls it while put() runs; the head's views point into the input.
  class Parser final : public boost::beast::http::basic_parser<true> {
   public:
    using Error = boost::beast::error_code;
    using View = boost::beast::string_view;

    explicit Parser(Http1Connection& connection) : connection_(connection) {}

   private:
    void on_request_impl(boost::beast::http::verb verb, View method, View target, int version,
                         Error& error) override;
    void on_response_impl(int code, View reason, int version, Error& error) override;
    void on_field_impl(boost::beast::http::field field, View name, View value,
                       Error& error) override;
    void on_header_impl(Error& error) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>& length, Error& error) override;
    std::size_t on_body_impl(View body, Error& error) override;
    void on_chunk_header_impl(std::uint64_t size, View extensions, Error& error) override;
    std::size_t on_chunk_body_impl(std::uint64_t remain, View body, Error& error) override;
    void on_finish_impl(Error& error) override;

    Http1Connection& connection_;
  };

  void OnBytes(std::string_view bytes) override;
  void OnEnd() override;
  void OnDrained() override;
  void OnClose() override;
  bool Fill() override;
  Clock::time_point LastStep() const override;

  void Respond(int status, const Headers& fields, Buffer& body) override;
  void Start(int status, const Headers& fields) override;
  void Write(std::string_view bytes) override;
  void Finish(const Headers& trailers) override;
  void Abort() override;
  size_t unsent() const override { return Connection::unsent(); }
  void Hold(bool hold) override;
  void Continue() override;

  bool Sniff(std::string_view bytes);
  // Of the body that is being read: no line of a chunk and no trailers have begun.
  bool IsBetweenParts() const;
  // Reads requests as far as they may be answered now. Returns the bytes used.
  size_t Parse(std::string_view bytes);
  void Process(std::string_view bytes);
  bool StartRequest();
  void Fail(int status, std::string_view message);
  void AppendHead(int status, const Headers& fields, std::optional<size_t> length);
  void ResponseDone();
  void UpdateReading();

  ConnectionContext context_;
  std::string peer_;
  std::string in_;        // input that waits: of the next request, or the start of a head
  bool starved_ = false;  // in_ is read as far as it goes: only more input leads further
  std::optional<Parser> parser_;
  Headers fields_;
  std::string method_, target_;  // copies: the request line may come in an earlier read
  int version_ = 11;
  RequestSink* sink_ = nullptr;
  bool first_ = true;         // nothing received yet that is not a preface
  bool head_done_ = false;    // the head of the request in parser_ is read
  bool responding_ = false;   // a request is being answered
  bool request_done_ = true;  // its body is read
  bool started_ = false;      // its response is
  bool head_only_ = false;    // HEAD
  bool chunked_ = false;
  bool keep_alive_ = true;
  bool expect_continue_ = false;
  bool hold_ = false;
  bool failing_ = false;
  bool shutdown_ = false;
  bool parsing_ = false;
  // The last step forward; in a body, when what waits in in_ began.
  Clock::time_point since_;
};

}  // namespace transcode::server
