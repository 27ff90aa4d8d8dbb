#pragma once

// google.api.HttpBody on the wire: content_type = 1, data = 2, extensions = 3.

#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "schema/schema.h"

namespace transcode {

struct HttpBody {
  std::string_view content_type;
  std::string_view data;
};

// Reads the last value of both fields. Errors: INTERNAL for what is not wire format.
Result<HttpBody> ReadHttpBody(std::string_view wire);

// Appends an HttpBody as the value of the message field at the end of `path` (or, without a path,
// as the message itself). Empty fields are left out.
void AppendHttpBody(const HttpBody& body, std::span<const Field* const> path, Buffer& out);

// Replaces `out` by all that `wire` has of a message field, merged.
// Errors: INTERNAL for what is not wire format.
Result<> ReadMessageField(std::string_view wire, const Field& field, Buffer& out);

}  // namespace transcode
