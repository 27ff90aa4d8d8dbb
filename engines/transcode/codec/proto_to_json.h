#pragma once

// From the wire format of protobuf to JSON (https://protobuf.dev/programming-guides/json/).
//
// One pass over the wire, in which nothing is built, as long as the fields of a message come in
// the order of their declaration. Otherwise the records of that message are put in order first:
// the text always has the order of declaration, extensions last, each field once.
//
// All legal wire is taken as the specification of the encoding says: of a repeated singular field
// the last value wins, or all are merged if it is a message; of a oneof the last member wins;
// lists may be packed or not; map entries may lack a key or a value; of equal keys the last one
// wins; fields that are unknown, or of another wire type, are skipped, groups included.
//
// Nothing is allocated but room in `out`, which keeps it for the next call. What has to be
// remembered (map keys, fields out of order) lies behind the text in `out`, too.

#include <string_view>

#include "base/buffer.h"
#include "base/error.h"
#include "codec/options.h"
#include "schema/schema.h"

namespace transcode {

// Replaces `out` by the JSON text of a message.
// Errors: INVALID_ARGUMENT, with the path of the field and the byte of `wire`; `out` is then empty.
Result<> ProtoToJson(const Message& message, std::string_view wire, Buffer& out,
                     const PrintOptions& options = {});

// Appends the text to `out`. After an error `out` is as before.
Result<> AppendProtoToJson(const Message& message, std::string_view wire, Buffer& out,
                           const PrintOptions& options = {});

// Appends the JSON value of one field of a message (the response_body of a google.api.http rule).
// If the field is not set: its default; `null` for a message.
Result<> AppendFieldToJson(const Field& field, std::string_view wire, Buffer& out,
                           const PrintOptions& options = {});

// Appends {"code":5,"message":"...","details":[...]}, the JSON of google.rpc.Status.
// `details` is the wire form of a google.rpc.Status (grpc-status-details-bin), of which only the
// details are taken; may be empty. A detail that cannot be printed (`types` lacks its type, or its
// value is broken) becomes {"@type":...,"value":base64}. Bytes of `message` that are not UTF-8
// become U+FFFD. Never fails.
void AppendStatusToJson(const TypeIndex& types, int code, std::string_view message,
                        std::string_view details, Buffer& out, const PrintOptions& options = {});

}  // namespace transcode
