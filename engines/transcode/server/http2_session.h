// An HTTP/2 connection, client or server, over nghttp2: streams with bounded queues of output and
// flow-control windows that open only as the receiver takes the data.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "server/connection.h"
#include "server/headers.h"

namespace transcode::server {

// What both directions need of a stream. `id` is 0 once the stream is closed.
struct Http2Stream {
  int32_t id = 0;
  Headers in;  // of the last header block, pseudo fields included

  Buffer out;  // to be sent, from out_sent on
  size_t out_sent = 0;
  uint64_t taken = 0;         // of all output
  bool out_ended = false;     // nothing is appended any more
  bool out_deferred = false;  // nghttp2 waits for more
  Headers trailers;           // sent after `out`

  bool hold_in = false;  // the receiver is slow: received data does not open the window
  size_t held_in = 0;    // received and not yet credited

  size_t unsent() const { return out.size() - out_sent; }
  void Reset();
  // Forgets the output and gives back its memory.
  void DropOutput() {
    out.Recycle();
    out_sent = 0;
  }
};

class Http2Session : public Connection {
 public:
  enum class Role { kClient, kServer };
  struct Settings {
    uint32_t stream_window = 1u << 20;
    uint32_t connection_window = 16u << 20;
    uint32_t max_streams = 256;
    uint32_t max_header_bytes = 64u << 10;
  };

  Http2Session(EventLoop& loop, int fd, Role role, const Settings& settings,
               bool connecting = false);
  ~Http2Session() override;

  // Appends to the stream's output.
  void Send(Http2Stream& stream, std::string_view bytes);
  // Hands over the whole of `bytes`, by swapping the memory where nothing waits before it.
  void SendSwap(Http2Stream& stream, Buffer& bytes);
  // Ends the output; stream.trailers follow it if there are any.
  void End(Http2Stream& stream);
  // RST_STREAM. OnStreamClose follows at the end of the round.
  void Reset(Http2Stream& stream, uint32_t error_code);
  // While held, the peer may send what is left of the window and no more.
  void Hold(Http2Stream& stream, bool hold);

 protected:
  void OnBytes(std::string_view bytes) final;
  bool Fill() override;

  // A header block of the stream begins. The stream's user data may be set.
  virtual void OnBeginHeaders(const nghttp2_frame& frame) = 0;
  virtual void OnHeader(int32_t stream_id, Http2Stream* stream, std::string_view name,
                        std::string_view value) = 0;
  virtual void OnHeadersEnd(const nghttp2_frame& frame, Http2Stream& stream, bool end_stream) = 0;
  virtual void OnData(Http2Stream& stream, std::string_view bytes) = 0;
  // The peer ended its side with a DATA frame.
  virtual void OnDataEnd(Http2Stream& stream) = 0;
  // The stream is gone; the object is not used any more.
  virtual void OnStreamClose(Http2Stream& stream, uint32_t error_code) = 0;
  virtual void OnGoaway() {}
  // Output left the stream's queue.
  virtual void OnOutputTaken(Http2Stream& /*stream*/) {}

  nghttp2_session* session() { return session_; }
  nghttp2_data_provider Provider(Http2Stream& stream);

 private:
  struct Callbacks;

  nghttp2_session* session_ = nullptr;
  size_t max_header_bytes_;
  size_t block_ = 0;          // size of the header fields of the block that is being read
  size_t turn_ = 0;           // of those of this turn
  std::string rest_;          // input of the next turns
  bool peer_leaves_ = false;  // it has sent GOAWAY
  EventLoop::Timer next_turn_;
};

// Name and value for nghttp2, which copies both.
nghttp2_nv MakeNv(std::string_view name, std::string_view value);

}  // namespace transcode::server
