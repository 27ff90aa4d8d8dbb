// Between HTTP header fields and gRPC metadata.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/status.h"
#include "server/headers.h"

namespace transcode::server {

// Appends the fields of a request that go to the server as metadata. Not those that are about this
// hop or about the JSON text: connection, what it names and what goes with it, content-*, accept,
// accept-encoding, expect, host, te; and no grpc-*, which the proxy writes itself.
void AddRequestMetadata(const Headers& fields, Headers& to);
// Appends the metadata of the server that goes to the client as fields.
void AddResponseMetadata(const Headers& metadata, Headers& to);

// "100m" and the like; H M S m u n. Nothing if it is not of that form.
std::optional<std::chrono::nanoseconds> ParseTimeout(std::string_view text);
// At most eight digits, rounded up.
std::string FormatTimeout(std::chrono::nanoseconds timeout);

// The message of a status as a field: bytes outside of printable ASCII, and '%', as %XX.
std::string EncodeGrpcMessage(std::string_view text);
std::string DecodeGrpcMessage(std::string_view text);

// grpc-status, grpc-message and grpc-status-details-bin. Without grpc-status: nothing.
std::optional<GrpcStatus> StatusOfTrailers(const Headers& fields);

// The status that an HTTP/2 error code of the server's stream stands for.
GrpcStatus StatusOfReset(uint32_t http2_error);

}  // namespace transcode::server
