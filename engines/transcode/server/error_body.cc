#include "server/error_body.h"

#include "http/status.h"

namespace transcode::server {

int CodeOfHttpError(int http_status) {
  switch (http_status) {
    case 404:
      return static_cast<int>(Code::kNotFound);
    case 405:
    case 501:
      return static_cast<int>(Code::kUnimplemented);
    case 408:
      return static_cast<int>(Code::kDeadlineExceeded);
    case 413:
    case 431:
      return static_cast<int>(Code::kResourceExhausted);
    case 503:
      return static_cast<int>(Code::kUnavailable);
    default:
      return static_cast<int>(Code::kInvalidArgument);
  }
}

void MakeErrorBody(int http_status, std::string_view message, Headers& fields, Buffer& body) {
  fields.Add("content-type", "application/json");
  GrpcStatus status;
  status.code = CodeOfHttpError(http_status);
  status.message = message;
  AppendStatusJson(status, nullptr, body);
}

}  // namespace transcode::server
