#include "http/status.h"

#include <iterator>

#include "codec/proto_to_json.h"

namespace transcode {

GrpcStatus StatusOf(const Error& error) {
  GrpcStatus status;
  status.code = static_cast<int>(error.code);
  const std::string text = error.ToString();
  const std::string prefix = std::string(CodeName(error.code)) + ": ";
  status.message = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  return status;
}

int HttpStatusOf(int grpc_code) {
  static constexpr int kHttp[] = {200, 499, 500, 400, 504, 404, 409, 403, 429,
                                  400, 409, 400, 501, 500, 503, 500, 401};
  return grpc_code >= 0 && grpc_code < static_cast<int>(std::size(kHttp)) ? kHttp[grpc_code] : 500;
}

int GrpcCodeOf(int http_status) {
  switch (http_status) {
    case 400:
      return 13;
    case 401:
      return 16;
    case 403:
      return 7;
    case 404:
      return 12;
    case 429:
    case 502:
    case 503:
    case 504:
      return 14;
    default:
      return 2;
  }
}

void AppendStatusJson(const GrpcStatus& status, const Schema* schema, Buffer& out,
                      const PrintOptions& options) {
  static const TypeIndex kNoTypes;
  const bool known = schema != nullptr && !schema->messages().empty();
  AppendStatusToJson(known ? *schema->messages().front().types : kNoTypes, status.code,
                     status.message, status.details, out, options);
}

}  // namespace transcode
