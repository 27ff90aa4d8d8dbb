#pragma once

// Requests and responses cut in pieces in any way, and all that a caller sees of them.

#include <string>
#include <string_view>
#include <vector>

#include "codec/options.h"
#include "http/bindings.h"
#include "schema/schema.h"
#include "stream/request.h"
#include "stream/response.h"

namespace transcode::conformance {

// The fields of a path such as "shelf.name"; empty: there is no such path.
std::vector<const Field*> FieldsOfPath(const Message& message, std::string_view path);

struct Seen {
  std::vector<std::string> outputs;  // frames of a request; the text of a response
  bool ok = false;
  std::string error;  // all of it

  bool operator==(const Seen&) const = default;
};

// The pieces of `bytes` between the cuts (ascending), each in memory of exactly its size.
std::vector<std::vector<char>> Pieces(std::string_view bytes, const std::vector<size_t>& cuts);

// A body in pieces that end at `cuts` (ascending). Each piece is on the heap for itself and gone
// when the next one comes.
Seen RunRequest(const RequestTarget& target, Bindings* bindings, const RequestOptions& options,
                std::string_view body, const std::vector<size_t>& cuts);
Seen RunResponse(const ResponseSource& source, StreamFormat format, const ResponseOptions& options,
                 std::string_view frames, const std::vector<size_t>& cuts);

// A frame: 5 bytes of header and the message.
std::string Frame(std::string_view message);

// Every size_t from 1 to size - 1: byte by byte.
std::vector<size_t> EveryByte(size_t size);

}  // namespace transcode::conformance
