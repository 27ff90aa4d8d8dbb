#include "codec/proto_to_json.h"

namespace transcode {

Result<> AppendProtoToJson(const Message&, std::string_view, Buffer&, const PrintOptions&) {
  return MakeError(Code::kUnimplemented, "not yet");
}

Result<> ProtoToJson(const Message& message, std::string_view wire, Buffer& out,
                     const PrintOptions& options) {
  out.Clear();
  return AppendProtoToJson(message, wire, out, options);
}

Result<> AppendFieldToJson(const Field&, std::string_view, Buffer&, const PrintOptions&) {
  return MakeError(Code::kUnimplemented, "not yet");
}

void AppendStatusToJson(const TypeIndex&, int, std::string_view, std::string_view, Buffer&,
                        const PrintOptions&) {}

}  // namespace transcode
