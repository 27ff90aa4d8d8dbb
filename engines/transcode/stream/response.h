#pragma once

// gRPC frames to the body of an HTTP response, from pieces of any size.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "codec/options.h"
#include "http/router.h"
#include "http/status.h"
#include "schema/schema.h"
#include "stream/frame.h"

namespace transcode {

enum class StreamFormat : uint8_t {
  kUnary,   // one message
  kArray,   // [a,b]
  kNdjson,  // a\nb\n
  kSse,     // data: a\n\n
};

// The format of a streaming response by the Accept header: text/event-stream, application/x-ndjson,
// application/ndjson or application/jsonl, application/json (an array). The one of the highest
// weight; among equal ones the one that is named, not only matched by a range, and first.
// `otherwise`: when the header leaves it open.
StreamFormat FormatOf(std::string_view accept, StreamFormat otherwise = StreamFormat::kArray);
// "application/json", "application/x-ndjson", "text/event-stream".
std::string_view ContentTypeOf(StreamFormat format);

struct ResponseOptions {
  PrintOptions print;  // `whitespace` counts for kUnary and kArray only
  size_t max_message =
      0;              // longer ones (after decompression too) are RESOURCE_EXHAUSTED; 0: no limit
  bool gzip = false;  // frames may be compressed ("grpc-encoding: gzip")
  const Schema* schema = nullptr;  // for the details of errors; null: all of unknown type
};

// What is translated. Made from a Route, or by hand.
struct ResponseSource {
  const Message* message = nullptr;
  std::span<const Field* const> response_body;  // the field that is sent; empty: the message
  bool raw = false;                             // that is a google.api.HttpBody
};

// Push model: Push, Next until it says false, ..., then Finish with the status of the call.
// Reused between responses by Start; nothing is allocated in steady state.
// Memory: one message.
class ResponseTranscoder {
 public:
  void Start(const Route& route, StreamFormat format, const ResponseOptions& options);
  void Start(const ResponseSource& source, StreamFormat format, const ResponseOptions& options);

  // Bytes of the gRPC stream. They must stay as they are until Next has returned false.
  void Push(std::string_view piece) { frames_.Push(piece); }

  // True: `text` is replaced by the text of the next message (with what the format puts before and
  // behind). False: more input is needed. Of a unary call the text comes from Finish.
  // An error is final (INTERNAL for frames and messages that cannot be read): call Finish with
  // StatusOf(error) and cancel the call.
  Result<bool> Next(Buffer& text);

  // Push and Next until all is read; appends to `text`.
  Result<> Push(std::string_view piece, Buffer& text);

  struct End {
    int http_status = 200;  // to send, where no text has been sent before
    // The body has been sent in part and ends with an error: it is in the text (in-band), and the
    // HTTP message should be ended abnormally so that nobody takes it for complete.
    bool broken = false;
  };
  // Replaces `text` by the end of the body. `status` is that of the trailers. A body in which
  // nothing was sent becomes google.rpc.Status as JSON when the status is not OK; else the error is
  // the last element of the array, {"error":{...}}, a line of NDJSON, or "event: error" of SSE.
  End Finish(const GrpcStatus& status, Buffer& text);

  // The value of the header, once Next or Finish has given text. Of raw bodies: what the first
  // message says.
  std::string_view content_type() const { return content_type_; }
  // Bytes that are kept for the next text.
  size_t held() const { return frames_.held() + unary_.size(); }
  // Ends the response and gives back its memory.
  void Release();
  uint64_t messages() const { return messages_; }

 private:
  Result<> Print(std::string_view message, Buffer& text);
  Error Fail(Error error);

  ResponseSource source_;
  StreamFormat format_ = StreamFormat::kUnary;
  ResponseOptions options_;
  FrameReader frames_;
  Buffer unary_;          // the text of a unary call until Finish
  Buffer inner_, other_;  // the messages on the way to response_body
  Buffer next_;
  std::string content_type_;
  uint64_t messages_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace transcode
