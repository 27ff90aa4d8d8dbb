// The server side of one HTTP/2 connection without TLS (h2c, prior knowledge).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/client.h"
#include "server/http1_connection.h"
#include "server/http2_session.h"
#include "server/limits.h"

namespace transcode::server {

class Http2Connection final : public Http2Session {
 public:
  Http2Connection(EventLoop& loop, int fd, const ConnectionContext& context, std::string peer);

  // `bytes` were read by the one who had the socket before.
  void Begin(std::string_view bytes) { OnBytes(bytes); }
  // GOAWAY: no new streams; closes with the last one.
  void Shutdown() override;
  void CheckTime(Clock::time_point now) override;

 private:
  struct Stream;

  void OnBeginHeaders(const nghttp2_frame& frame) override;
  void OnHeader(int32_t stream_id, Http2Stream* stream, std::string_view name,
                std::string_view value) override;
  void OnHeadersEnd(const nghttp2_frame& frame, Http2Stream& stream, bool end_stream) override;
  void OnData(Http2Stream& stream, std::string_view bytes) override;
  void OnDataEnd(Http2Stream& stream) override;
  void OnStreamClose(Http2Stream& stream, uint32_t error_code) override;
  void OnOutputTaken(Http2Stream& stream) override;
  void OnClose() override;
  Clock::time_point LastStep() const override;

  void StartRequest(Stream& stream, bool end_stream);
  void SubmitHead(Stream& stream, int status, const Headers& fields, bool end);

  ConnectionContext context_;
  std::string peer_;
  std::vector<std::unique_ptr<Stream>> streams_;  // active first
  size_t active_ = 0;
  std::vector<nghttp2_nv> nvs_;
  Clock::time_point since_;
  const Stream* open_head_ = nullptr;  // its header block has begun and not ended
  Clock::time_point head_since_;
};

}  // namespace transcode::server
