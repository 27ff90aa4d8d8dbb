#include "stream/request.h"

#include <utility>

#include "stream/frame.h"
#include "stream/http_body.h"

namespace transcode {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool AllBlank(std::string_view text) { return text.find_first_not_of(" \n\r\t") == text.npos; }

Error TooLong(size_t limit) {
  return MakeError(Code::kResourceExhausted,
                   "a message of more than " + std::to_string(limit) + " bytes");
}

}  // namespace

Result<> RequestTranscoder::Start(const Match& match, const RequestOptions& options) {
  const Route& route = *match.route;
  RequestTarget target;
  target.message = route.method->input;
  target.client_streaming = route.method->client_streaming;
  target.has_body = route.has_body;
  target.body = route.body;
  target.raw = route.raw_request;
  own_bindings_.Clear();
  for (const PathMatch::Binding& binding : match.path.bindings) {
    own_bindings_.AddPath(route.variables[binding.variable], binding.value);
  }
  Start(target, &own_bindings_, options);
  Result<> added = own_bindings_.AddQuery(*target.message, match.path.query, options.binding);
  if (!added.ok()) return Fail(std::move(added).error());
  return {};
}

void RequestTranscoder::Start(const RequestTarget& target, Bindings* bindings,
                              const RequestOptions& options) {
  target_ = target;
  bindings_ = bindings;
  options_ = &options;
  finished_ = false;
  first_ = true;
  piece_ = {};
  offset_ = 0;
  text_.Clear();
  boundary_.Reset();
  if (!target.has_body) {
    state_ = State::kNoBody;
  } else if (target.raw) {
    state_ = State::kRaw;
  } else if (!target.client_streaming) {
    state_ = State::kUnary;
  } else {
    state_ = options.format == RequestFormat::kNdjson ? State::kLine : State::kOpen;
  }
  const bool whole =
      state_ == State::kUnary || (state_ == State::kRaw && !target_.client_streaming);
  const size_t limit = options.max_message;
  gather_limit_ = !whole ? 0 : limit == 0 ? static_cast<size_t>(-1) : limit;
  const ParseOptions& parse = options.binding.parse;
  const bool one_pass = parse.parser == Parser::kOnePass && parse.syntax == Syntax::kRfc8259;
  body_.Start(state_ == State::kUnary && one_pass, gather_limit_, parse.isa);
}

Error RequestTranscoder::Fail(Error error) {
  gather_limit_ = 0;
  body_.Start(false, 0, Isa::kAuto);  // it takes no more
  state_ = State::kFailed;
  error_ = error;
  return error;
}

Error RequestTranscoder::FailSyntax(const char* expected) {
  Error error = MakeError(Code::kInvalidArgument,
                          piece_.empty() ? "the stream of messages is not complete"
                                         : "unexpected character in the stream of messages");
  error.offset = offset_;
  error.expected = expected;
  error.got = piece_.empty() ? "the end" : std::string(piece_.substr(0, 1));
  return Fail(std::move(error));
}

Result<> RequestTranscoder::Begin(std::string_view piece) {
  if (state_ == State::kFailed) return error_;
  if (piece.empty()) return {};
  const bool whole = gather_limit_ != 0;
  if (whole && body_.size() + piece_.size() + piece.size() > gather_limit_) {
    return Fail(TooLong(gather_limit_));
  }
  if (!piece_.empty()) {
    if (!whole) {
      return Fail(MakeError(Code::kFailedPrecondition, "Push before Next has returned false"));
    }
    Gather();
  }
  if (whole && !body_.empty()) {  // not the first piece: it is copied anyway
    body_.Append(piece);
    return {};
  }
  piece_ = piece;
  if (state_ == State::kNoBody) {
    piece_ = {};
    if (!AllBlank(piece)) {
      return Fail(MakeError(Code::kInvalidArgument, "a body where the HTTP rule has none"));
    }
  }
  return {};
}

void RequestTranscoder::Finish() { finished_ = true; }

void RequestTranscoder::Release() {
  state_ = State::kDone;
  gather_limit_ = 0;
  body_.Release();
  text_.Recycle();
}

Result<bool> RequestTranscoder::Advance(Buffer& frame) {
  switch (state_) {
    case State::kDone:
      return false;
    case State::kFailed:
      return error_;
    case State::kNoBody:
    case State::kUnary:
      return NextUnary(frame);
    case State::kRaw:
      return NextRaw(frame);
    default:
      return NextStream(frame);
  }
}

void RequestTranscoder::Open(Buffer& frame) {
  frame.Clear();
  frame.Reserve(kFrameHeader);
  frame.SetSize(kFrameHeader);
}

Result<bool> RequestTranscoder::Close(Buffer& frame) {
  const size_t size = frame.size() - kFrameHeader;
  if (size > 0xffffffff) return Fail(MakeError(Code::kResourceExhausted, "a message of 4 GiB"));
  WriteFrameHeader(size, frame.data());
  first_ = false;
  return true;
}

// One message from a JSON value (or, with null, of the bindings alone).
Result<Parsed> RequestTranscoder::Translate(const std::string_view* json, const ParsePart& part,
                                            Buffer& frame) {
  Open(frame);
  Bindings* bindings = first_ || options_->bind_all ? bindings_ : nullptr;
  if (bindings != nullptr && bindings->empty()) bindings = nullptr;
  const BindingOptions& options = options_->binding;
  if (json == nullptr) {
    if (bindings == nullptr) return Parsed{};
    Result<> done = bindings->Append(frame, options);
    return done.ok() ? Result<Parsed>(Parsed{}) : Result<Parsed>(std::move(done).error());
  }
  if (bindings != nullptr) return bindings->Write(*target_.message, *json, part, frame, options);
  return JsonPartToProto(*target_.message, *json, part, frame, options.parse);
}

// What has not been read is kept, as the caller takes it back.
void RequestTranscoder::Gather() {
  body_.Append(piece_);
  offset_ += piece_.size();
  piece_ = {};
}

Result<bool> RequestTranscoder::NextUnary(Buffer& frame) {
  if (!finished_) {
    if (!piece_.empty()) Gather();
    return false;
  }
  if (!body_.empty()) Gather();
  if (body_.is_cut()) return NextCut(frame);
  std::string_view json = body_.empty() ? piece_ : body_.view();
  ParsePart part;
  part.append = true;
  part.body = target_.body;
  const bool blank = AllBlank(json);
  // An empty body is an empty message, also as a field.
  const bool as_message = !target_.body.empty() && !target_.body.back()->repeated &&
                          target_.body.back()->is_message() &&
                          target_.body.back()->message->well_known == WellKnown::kNone;
  if (blank && as_message) json = "{}";
  const bool none = state_ == State::kNoBody || (blank && !as_message);
  Result<Parsed> parsed = Translate(none ? nullptr : &json, part, frame);
  if (!parsed.ok()) return Fail(std::move(parsed).error());
  state_ = State::kDone;
  return Close(frame);
}

// A message with a long string; in one piece where the parser does not find it or something is
// wrong.
Result<bool> RequestTranscoder::NextCut(Buffer& frame) {
  CutString cut = body_.Cut();
  if (bindings_ == nullptr || bindings_->empty()) {
    ParsePart part;
    part.append = true;
    part.body = target_.body;
    part.cut = &cut;
    const std::string_view json = body_.view();
    const Result<Parsed> parsed = Translate(&json, part, frame);
    if (parsed.ok() && !parsed->incomplete) {
      state_ = State::kDone;
      return Close(frame);
    }
  }
  body_.Join(cut, frame);
  return NextUnary(frame);
}

// A whole body as one HttpBody; of a stream, each piece as one, the first with the content type.
Result<bool> RequestTranscoder::NextRaw(Buffer& frame) {
  HttpBody body;
  if (first_) body.content_type = options_->content_type;
  if (target_.client_streaming) {
    if (piece_.empty() && !(finished_ && first_)) {
      if (finished_) state_ = State::kDone;
      return false;
    }
    const size_t limit = options_->max_message;
    body.data = piece_.substr(0, limit == 0 ? piece_.npos : limit);
  } else {
    if (!finished_) {
      Gather();
      return false;
    }
    if (!body_.empty()) Gather();
    body.data = body_.empty() ? piece_ : body_.view();
  }
  if (first_ && bindings_ != nullptr && bindings_->AnyUnder(target_.body) &&
      (!target_.body.empty() || target_.raw) && options_->binding.conflicts == Conflicts::kReject) {
    return Fail(MakeError(Code::kInvalidArgument,
                          "BINDING_CONFLICT: a parameter for a field of the raw body"));
  }
  Result<Parsed> bound = Translate(nullptr, {}, frame);  // before the body, which wins
  if (!bound.ok()) return Fail(std::move(bound).error());
  AppendHttpBody(body, target_.body, frame);
  piece_.remove_prefix(target_.client_streaming ? body.data.size() : 0);
  if (!target_.client_streaming || (finished_ && piece_.empty())) state_ = State::kDone;
  return Close(frame);
}

void RequestTranscoder::SkipBlank() {
  size_t count = 0;
  while (count < piece_.size() && IsBlank(piece_[count])) ++count;
  Skip(count);
}

void RequestTranscoder::Skip(size_t count) {
  piece_.remove_prefix(count);
  offset_ += count;
}

Result<bool> RequestTranscoder::NextStream(Buffer& frame) {
  while (true) {
    if (!text_.empty()) return NextValue(frame);
    // NDJSON: something that separates it from the value before.
    if (state_ == State::kLineGap && !piece_.empty()) {
      if (!IsBlank(piece_[0])) return FailSyntax("a new line");
      state_ = State::kLine;
    }
    SkipBlank();
    if (piece_.empty()) {
      if (!finished_) return false;
      if (state_ != State::kClosed && state_ != State::kLine && state_ != State::kLineGap) {
        return FailSyntax(state_ == State::kOpen ? "an array of messages" : "',' or ']'");
      }
      state_ = State::kDone;
      return false;
    }
    const bool trailing = options_->binding.parse.syntax == Syntax::kLenient;
    const char c = piece_[0];
    if (state_ == State::kOpen) {
      if (c != '[') return FailSyntax("an array of messages");
      state_ = State::kFirst;
    } else if (state_ == State::kClosed) {
      return FailSyntax("the end");
    } else if (c == ']' && (state_ == State::kFirst || state_ == State::kComma ||
                            (state_ == State::kValue && trailing))) {
      state_ = State::kClosed;
    } else if (state_ == State::kComma) {
      if (c != ',') return FailSyntax("',' or ']'");
      state_ = State::kValue;
    } else {
      return NextValue(frame);
    }
    Skip(1);
  }
}

Result<bool> RequestTranscoder::NextValue(Buffer& frame) {
  ParsePart part;
  part.append = true;
  part.body = target_.body;
  part.prefix = true;
  std::string_view json = piece_;
  size_t used = 0;
  bool complete = false;
  const size_t limit = options_->max_message;
  if (text_.empty()) {  // the value starts here: most often it ends here too
    part.more = !finished_;
    value_offset_ = offset_;
    Result<Parsed> parsed = Translate(&json, part, frame);
    if (parsed.ok() && !parsed->incomplete) {
      Skip(parsed->end);
      if (limit != 0 && parsed->end > limit) return Fail(TooLong(limit));
      state_ = state_ == State::kLine ? State::kLineGap : State::kComma;
      return Close(frame);
    }
    boundary_.Reset();
    complete = boundary_.Push(piece_, &used);
    // What looks wrong may be right as a whole: 2.5 is no integer, and 2.5e1 is one.
    if (!parsed.ok() && (complete || finished_)) return FailValue(std::move(parsed).error());
  } else {
    complete = boundary_.Push(piece_, &used);
  }
  if (!complete) used = piece_.size();
  if (limit != 0 && text_.size() + used > limit) return Fail(TooLong(limit));
  text_.Append(piece_.substr(0, used));
  Skip(used);
  if (!complete && !finished_) return false;
  // The text does not end here, and no error says so: as far as the parser looks for one token.
  constexpr std::string_view kMore = "        ";
  if (complete) text_.Append(kMore);
  json = text_.view();
  part.more = false;
  Result<Parsed> parsed = Translate(&json, part, frame);
  if (!parsed.ok()) return FailValue(std::move(parsed).error());
  if (complete) json.remove_suffix(kMore.size());
  const State value = state_;
  state_ = value == State::kLine ? State::kLineGap : State::kComma;
  const Result<bool> closed = Close(frame);
  if (parsed->end < json.size()) {  // a word goes on to the next mark; a number may end before
    piece_ = json.substr(parsed->end);
    offset_ -= piece_.size();
    FailSyntax(value == State::kLine ? "a new line" : "',' or ']'");  // behind this frame
    piece_ = {};
  }
  text_.Clear();
  return closed;
}

// Offsets count from the start of the body.
Error RequestTranscoder::FailValue(Error error) {
  if (error.offset != Error::kNoOffset) error.offset += value_offset_;
  return Fail(std::move(error));
}

}  // namespace transcode
