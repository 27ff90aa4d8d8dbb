#pragma once

// The status of a call: gRPC codes and HTTP statuses.

#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "codec/options.h"
#include "schema/schema.h"

namespace transcode {

struct GrpcStatus {
  int code = 0;         // of google.rpc.Code; may be one that this library does not know
  std::string message;  // decoded text
  std::string details;  // wire bytes of google.rpc.Status ("grpc-status-details-bin"), or empty

  bool ok() const { return code == 0; }
};

// The status that says what an error of this library says.
GrpcStatus StatusOf(const Error& error);

// 1 499, 2 500, 3 400, 4 504, 5 404, 6 409, 7 403, 8 429, 9 400, 10 409, 11 400, 12 501, 13 500,
// 14 503, 15 500, 16 401; others 500, and 0 is 200.
int HttpStatusOf(int grpc_code);

// For an upstream that answers without grpc-status (the map of gRPC's documentation): 400 13,
// 401 16, 403 7, 404 12, 429 14, 502 14, 503 14, 504 14; others 2.
int GrpcCodeOf(int http_status);

// Appends {"code":5,"message":"...","details":[...]}; see AppendStatusToJson. `schema` may be null:
// then no detail is of a known type.
void AppendStatusJson(const GrpcStatus& status, const Schema* schema, Buffer& out,
                      const PrintOptions& options = {});

}  // namespace transcode
