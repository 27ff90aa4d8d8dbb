#pragma once

// The body of an HTTP request to gRPC frames, from pieces of any size.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "codec/json_to_proto.h"
#include "http/bindings.h"
#include "http/router.h"
#include "schema/schema.h"
#include "stream/gathered_text.h"

namespace transcode {

enum class RequestFormat : uint8_t {
  kArray,   // a streaming request is a JSON array of messages
  kNdjson,  // one JSON value after the other, usually one a line
};

struct RequestOptions {
  RequestFormat format = RequestFormat::kArray;  // of streaming requests
  BindingOptions binding;
  bool bind_all = false;  // bindings on every message of a stream, not only on the first
  // A message whose JSON text (or raw piece) is longer is RESOURCE_EXHAUSTED. 0: no limit.
  size_t max_message = 0;
  std::string content_type;  // of a raw body
};

// What a request is translated to. Made from a Route, or by hand.
struct RequestTarget {
  const Message* message = nullptr;
  bool client_streaming = false;
  bool has_body = true;
  std::span<const Field* const> body;  // the field that the body is; empty: the message
  bool raw = false;                    // that is a google.api.HttpBody
};

// Push model: Push, Next until it says false, ..., Finish, Next until it says false. Reused between
// requests by Start; nothing is allocated in steady state.
//
// Memory: one message of a stream; (input + output) of a unary request. A unary body that comes in
// one piece is not copied if Finish is called before Next.
class RequestTranscoder {
 public:
  // Of a match. The match, its target, its route and the options must live until the last frame
  // is out.
  // Errors: those of the query parameters.
  Result<> Start(const Match& match, const RequestOptions& options);
  // Without a router; `bindings` is filled by the caller and must live as long.
  void Start(const RequestTarget& target, Bindings* bindings, const RequestOptions& options);

  // A piece of the body. It must stay as it is until Next has returned false.
  // Errors: RESOURCE_EXHAUSTED.
  Result<> Push(std::string_view piece) {
    if (body_.TryAppend(piece)) return {};
    return Begin(piece);
  }
  // No more pieces.
  void Finish();

  // True: `frame` is replaced by a 5-byte header and a message. False: more input is needed, or
  // all is done. An error is final; frames before it are valid.
  Result<bool> Next(Buffer& frame) {
    if (gather_limit_ != 0 && !finished_ && piece_.empty()) return false;
    return Advance(frame);
  }
  // True when the last frame is out.
  bool done() const { return state_ == State::kDone; }
  // Bytes of the body that are kept for the next frame.
  size_t held() const { return body_.size() + text_.size(); }
  // Ends the request and gives back its memory.
  void Release();

 private:
  enum class State : uint8_t {
    kNoBody,
    kUnary,    // gathers all
    kOpen,     // wants '['
    kFirst,    // wants a value or ']'
    kComma,    // wants ',' or ']'
    kValue,    // wants a value
    kClosed,   // only white space may come
    kLine,     // NDJSON: wants a value or the end
    kLineGap,  // NDJSON: wants white space before the next value
    kRaw,      // HttpBody
    kDone,
    kFailed,
  };

  Result<> Begin(std::string_view piece);
  Result<bool> Advance(Buffer& frame);
  Error Fail(Error error);
  Error FailSyntax(const char* expected);
  Error FailValue(Error error);
  void Open(Buffer& frame);
  Result<bool> Close(Buffer& frame);
  Result<Parsed> Translate(const std::string_view* json, const ParsePart& part, Buffer& frame);
  void Gather();
  void Skip(size_t count);
  void SkipBlank();
  Result<bool> NextUnary(Buffer& frame);
  Result<bool> NextCut(Buffer& frame);
  Result<bool> NextRaw(Buffer& frame);
  Result<bool> NextStream(Buffer& frame);
  Result<bool> NextValue(Buffer& frame);

  RequestTarget target_;
  const RequestOptions* options_ = nullptr;
  Bindings own_bindings_;
  Bindings* bindings_ = nullptr;
  State state_ = State::kDone;
  bool finished_ = false;
  bool first_ = true;
  std::string_view piece_;   // not yet read
  size_t offset_ = 0;        // of piece_ in the body
  size_t gather_limit_ = 0;  // of body_, where the body is one message; else 0
  GatheredText body_;        // of one message, in several pieces
  Buffer text_;              // of a value of a stream, in several pieces
  size_t value_offset_ = 0;  // of the value in text_
  JsonBoundary boundary_;    // of the value in text_
  Error error_;
};

}  // namespace transcode
