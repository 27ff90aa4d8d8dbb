#include "conformance/streams.h"

#include <algorithm>

namespace transcode::conformance {
namespace {

void Fail(Seen* seen, const Error& error) {
  seen->ok = false;
  seen->error = error.ToString();
}

}  // namespace

std::vector<std::vector<char>> Pieces(std::string_view bytes, const std::vector<size_t>& cuts) {
  std::vector<std::vector<char>> pieces;
  size_t begin = 0;
  for (const size_t cut : cuts) {
    pieces.emplace_back(bytes.begin() + static_cast<long>(begin),
                        bytes.begin() + static_cast<long>(cut));
    begin = cut;
  }
  pieces.emplace_back(bytes.begin() + static_cast<long>(begin), bytes.end());
  return pieces;
}

std::vector<const Field*> FieldsOfPath(const Message& message, std::string_view path) {
  std::vector<const Field*> fields;
  const Message* at = &message;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const Field* field = at == nullptr ? nullptr : at->FindField(path.substr(begin, end - begin));
    if (field == nullptr) return {};
    fields.push_back(field);
    at = field->message;
    begin = end + 1;
  }
  return fields;
}

Seen RunRequest(const RequestTarget& target, Bindings* bindings, const RequestOptions& options,
                std::string_view body, const std::vector<size_t>& cuts) {
  Seen seen;
  RequestTranscoder request;
  request.Start(target, bindings, options);
  Buffer frame;
  const auto drain = [&] {
    while (true) {
      const Result<bool> more = request.Next(frame);
      if (!more.ok()) {
        Fail(&seen, more.error());
        return false;
      }
      if (!*more) return true;
      seen.outputs.emplace_back(frame.view());
    }
  };
  for (std::vector<char>& piece : Pieces(body, cuts)) {
    const Result<> pushed = request.Push({piece.data(), piece.size()});
    if (!pushed.ok()) {
      Fail(&seen, pushed.error());
      return seen;
    }
    if (!drain()) return seen;
    piece = {};
  }
  request.Finish();
  if (drain()) seen.ok = request.done();
  return seen;
}

Seen RunResponse(const ResponseSource& source, StreamFormat format, const ResponseOptions& options,
                 std::string_view frames, const std::vector<size_t>& cuts) {
  Seen seen;
  seen.outputs.emplace_back();
  ResponseTranscoder response;
  response.Start(source, format, options);
  Buffer text;
  for (std::vector<char>& piece : Pieces(frames, cuts)) {
    Buffer more;
    const Result<> pushed = response.Push({piece.data(), piece.size()}, more);
    seen.outputs[0] += more.view();
    if (!pushed.ok()) {
      Fail(&seen, pushed.error());
      return seen;
    }
    piece = {};
  }
  const ResponseTranscoder::End end = response.Finish({}, text);
  seen.outputs[0] += text.view();
  seen.ok = !end.broken && end.http_status == 200;
  return seen;
}

std::string Frame(std::string_view message) {
  std::string frame(5, '\0');
  for (size_t i = 0; i < 4; ++i) {
    frame[1 + i] = static_cast<char>(message.size() >> (24 - 8 * i));
  }
  return frame.append(message);
}

std::vector<size_t> EveryByte(size_t size) {
  std::vector<size_t> cuts;
  for (size_t at = 1; at < size; ++at) cuts.push_back(at);
  return cuts;
}

}  // namespace transcode::conformance
