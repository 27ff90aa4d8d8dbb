// One request and its answer: either JSON translated to a gRPC call, or gRPC passed through.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/proxy.h"

namespace transcode::server {

class Exchange final : public RequestSink, private UpstreamEvents {
 public:
  explicit Exchange(Proxy& proxy);

  // False: the request is answered already.
  bool Begin(const RequestHead& head, ClientStream& client);

  void CheckTime(Clock::time_point now);

  void OnBody(std::string_view bytes) override;
  void OnBodyEnd() override;
  void OnClientGone() override;
  void OnClientWritable() override;
  Clock::time_point moved() const override { return moved_; }

 private:
  void OnUpstreamHead(const Headers& fields, bool end) override;
  void OnUpstreamData(std::string_view bytes) override;
  void OnUpstreamTrailers(const Headers& fields) override;
  void OnUpstreamClosed(std::optional<uint32_t> http2_error, bool connected) override;
  void OnUpstreamWritable() override;

  bool BeginGrpc(const RequestHead& head);
  bool BeginJson(const RequestHead& head);
  bool CheckContentType(const RequestHead& head);
  void MakeCallHead(const RequestHead& head, std::string_view path);
  void SetDeadline(const Headers& fields);
  bool StartCall();
  void PumpRequest();
  void PumpResponse();
  void AddContentType();
  void StartResponse();
  void Complete(const GrpcStatus& status, const Headers* trailers);
  // Answers an error of a request that is not yet answered, or ends the answer with it.
  void Fail(const GrpcStatus& status, int http_status = 0);
  void FailHttp(int http_status, std::string_view message);
  void FailGrpc(const GrpcStatus& status);
  // Whether a part of a request or an answer may be kept: a small one always.
  bool MayHold(size_t bytes) const;
  void FailFull();
  void DropCall();
  void Done(int http_status, int grpc_code);

  Proxy& proxy_;
  ClientStream* client_ = nullptr;
  UpstreamCall* call_ = nullptr;
  EventLoop::Timer deadline_timer_;
  std::optional<Clock::time_point> deadline_;
  Clock::time_point began_, moved_;
  size_t unsent_ = 0;  // of the answer, when CheckTime() last looked

  bool grpc_ = false;
  bool started_ = false;  // the answer to the client is
  bool request_ended_ = false;
  bool response_ended_ = false;  // the server's
  std::string method_, target_, peer_;
  Match match_;
  RequestOptions request_options_;
  ResponseOptions response_options_;
  StreamFormat format_ = StreamFormat::kUnary;
  RequestTranscoder request_;
  ResponseTranscoder response_;
  Headers call_head_;
  Headers response_head_;
  Buffer frame_, text_;
};

}  // namespace transcode::server
