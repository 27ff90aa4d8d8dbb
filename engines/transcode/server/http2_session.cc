#include "server/http2_session.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace transcode::server {
namespace {

std::string_view View(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A byte of input may stand for a field of kilobytes. So many bytes of fields are a turn: then it
// is that of the other connections.
constexpr size_t kTurnBytes = size_t{1} << 20;
constexpr std::chrono::milliseconds kTurnPause{1};
// What a block may be larger than its limit and still have an answer that says so.
constexpr size_t kMostOversize = 2;

Http2Stream* Find(nghttp2_session* session, int32_t id) {
  return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
}

}  // namespace

nghttp2_nv MakeNv(std::string_view name, std::string_view value) {
  // nghttp2's interface is not const-correct.
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

void Http2Stream::Reset() {
  id = 0;
  in.Clear();
  DropOutput();
  taken = 0;
  out_ended = out_deferred = false;
  trailers.Clear();
  hold_in = false;
  held_in = 0;
}

// nghttp2's callbacks, as calls of the session's virtual functions.
struct Http2Session::Callbacks {
  static Http2Session& Self(void* user) { return *static_cast<Http2Session*>(user); }

  static int BeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Self(user).block_ = 0;
    Self(user).OnBeginHeaders(*frame);
    return 0;
  }
  static int Header(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
                    size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                    void* user) {
    Http2Session& self = Self(user);
    const size_t cost = Headers::CostOf(View(name, name_size), View(value, value_size));
    self.block_ += cost;
    self.turn_ += cost;
    // RST_STREAM; the rest is decoded and not looked at.
    if (self.block_ > kMostOversize * self.max_header_bytes_) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    const int32_t id = frame->hd.stream_id;
    self.OnHeader(id, Find(session, id), View(name, name_size), View(value, value_size));
    return self.turn_ > kTurnBytes ? NGHTTP2_ERR_PAUSE : 0;
  }
  // Without it nghttp2 drops the field in silence.
  static int InvalidHeader(nghttp2_session*, const nghttp2_frame*, const uint8_t*, size_t,
                           const uint8_t*, size_t, uint8_t, void*) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // RST_STREAM
  }
  static int FrameRecv(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Session& self = Self(user);
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      self.peer_leaves_ = true;
      self.OnGoaway();
      return 0;
    }
    Http2Stream* stream = Find(session, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const bool end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_HEADERS) {
      self.OnHeadersEnd(*frame, *stream, end);
    } else if (frame->hd.type == NGHTTP2_DATA && end) {
      self.OnDataEnd(*stream);
    }
    return 0;
  }
  static int DataChunk(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data,
                       size_t size, void* user) {
    nghttp2_session_consume_connection(session, size);
    Http2Stream* stream = Find(session, id);
    if (stream == nullptr) return 0;
    stream->held_in += size;
    Self(user).OnData(*stream, View(data, size));
    if (!stream->hold_in && stream->id != 0) {
      nghttp2_session_consume_stream(session, id, std::exchange(stream->held_in, 0));
    }
    return 0;
  }
  static int StreamClose(nghttp2_session* session, int32_t id, uint32_t error_code, void* user) {
    Http2Stream* stream = Find(session, id);
    if (stream == nullptr) return 0;
    nghttp2_session_set_stream_user_data(session, id, nullptr);
    stream->id = 0;
    stream->in.Clear();
    stream->DropOutput();
    Self(user).OnStreamClose(*stream, error_code);
    return 0;
  }

  static ssize_t Read(nghttp2_session* session, int32_t id, uint8_t*, size_t length,
                      uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    const size_t size = std::min(length, stream.unsent());
    if (size == 0 && !stream.out_ended) {
      stream.out_deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (size == stream.unsent() && stream.out_ended) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (!stream.trailers.empty()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        std::vector<nghttp2_nv> fields;
        for (size_t i = 0; i < stream.trailers.size(); ++i) {
          fields.push_back(MakeNv(stream.trailers[i].name, stream.trailers[i].value));
        }
        nghttp2_submit_trailer(session, id, fields.data(), fields.size());
      }
    }
    return static_cast<ssize_t>(size);
  }

  // Copies a DATA frame once: from the stream's queue to the connection's output.
  static int SendData(nghttp2_session*, nghttp2_frame*, const uint8_t* header, size_t length,
                      nghttp2_data_source* source, void* user) {
    Http2Session& self = Self(user);
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    constexpr size_t kFrameHeader = 9;
    self.out().Append(View(header, kFrameHeader));
    self.out().Append(stream.out.view().substr(stream.out_sent, length));
    stream.out_sent += length;
    stream.taken += length;
    if (stream.unsent() == 0) stream.DropOutput();
    self.OnOutputTaken(stream);
    return 0;
  }

  static nghttp2_session_callbacks* Make() {
    nghttp2_session_callbacks* all = nullptr;
    nghttp2_session_callbacks_new(&all);
    nghttp2_session_callbacks_set_on_begin_headers_callback(all, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(all, Header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(all, InvalidHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(all, FrameRecv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(all, DataChunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(all, StreamClose);
    nghttp2_session_callbacks_set_send_data_callback(all, SendData);
    return all;
  }
};

Http2Session::Http2Session(EventLoop& loop, int fd, Role role, const Settings& settings,
                           bool connecting)
    : Connection(loop, fd, connecting),
      max_header_bytes_(settings.max_header_bytes),
      next_turn_(loop, [this] {
        if (closed()) return;
        SetReading(true);
        OnBytes(std::exchange(rest_, {}));
      }) {
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, 1);
  // What was let in goes on with fields of our own.
  nghttp2_option_set_max_send_header_block_length(option, size_t{2} * settings.max_header_bytes);
  nghttp2_session_callbacks* callbacks = Callbacks::Make();
  if (role == Role::kClient) {
    nghttp2_session_client_new2(&session_, callbacks, this, option);
  } else {
    nghttp2_session_server_new2(&session_, callbacks, this, option);
  }
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);

  std::vector<nghttp2_settings_entry> entries{
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.max_header_bytes}};
  if (role == Role::kServer) {
    entries.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.max_streams});
  } else {
    entries.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  }
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, entries.data(), entries.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<int32_t>(settings.connection_window));
  QueueFlush();
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

void Http2Session::OnBytes(std::string_view bytes) {
  turn_ = 0;
  const ssize_t used = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  // Protocol errors are answered by GOAWAY, which Fill() writes; what is left here is fatal.
  if (used < 0) return Close();
  QueueFlush();
  if (static_cast<size_t>(used) == bytes.size()) return;
  rest_.assign(bytes.substr(static_cast<size_t>(used)));
  SetReading(false);
  next_turn_.Arm(loop().now() + kTurnPause);
}

bool Http2Session::Fill() {
  const size_t before = out().size();
  while (unsent() < kOutputLimit) {
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) {
      Close();
      return false;
    }
    if (size == 0) break;
    out().Append(View(data, static_cast<size_t>(size)));
  }
  if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0) {
    // A client may say more behind its GOAWAY, and must not lose its answers by that.
    CloseAfterWrite(peer_leaves_ && nghttp2_session_check_server_session(session_) != 0);
  }
  return out().size() != before;
}

nghttp2_data_provider Http2Session::Provider(Http2Stream& stream) {
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = Callbacks::Read;
  return provider;
}

void Http2Session::Send(Http2Stream& stream, std::string_view bytes) {
  if (stream.out_sent > kOutputLimit) stream.out.Consume(std::exchange(stream.out_sent, 0));
  stream.out.Append(bytes);
  if (std::exchange(stream.out_deferred, false)) nghttp2_session_resume_data(session_, stream.id);
  QueueFlush();
}

void Http2Session::SendSwap(Http2Stream& stream, Buffer& bytes) {
  if (stream.unsent() != 0) return Send(stream, bytes.view());
  stream.out.Clear();
  stream.out_sent = 0;
  stream.out.Swap(bytes);
  if (std::exchange(stream.out_deferred, false)) nghttp2_session_resume_data(session_, stream.id);
  QueueFlush();
}

void Http2Session::End(Http2Stream& stream) {
  stream.out_ended = true;
  if (std::exchange(stream.out_deferred, false)) nghttp2_session_resume_data(session_, stream.id);
  QueueFlush();
}

void Http2Session::Reset(Http2Stream& stream, uint32_t error_code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, error_code);
  QueueFlush();
}

void Http2Session::Hold(Http2Stream& stream, bool hold) {
  stream.hold_in = hold;
  if (hold || stream.held_in == 0 || stream.id == 0) return;
  nghttp2_session_consume_stream(session_, stream.id, std::exchange(stream.held_in, 0));
  QueueFlush();
}

}  // namespace transcode::server
