// Error responses of the front itself: google.rpc.Status as JSON, whatever the error.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "server/headers.h"

namespace transcode::server {

// Fills the fields and the body of a response with this HTTP status (400 and above).
void MakeErrorBody(int http_status, std::string_view message, Headers& fields, Buffer& body);

// The google.rpc.Code in such a body.
int CodeOfHttpError(int http_status);

}  // namespace transcode::server
