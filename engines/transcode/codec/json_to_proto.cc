#include "codec/json_to_proto.h"

namespace transcode {

Result<> JsonToProto(const Message&, std::string_view, Buffer& out, const ParseOptions&) {
  out.Clear();
  return MakeError(Code::kUnimplemented, "not yet");
}

Result<Parsed> JsonPartToProto(const Message&, std::string_view, const ParsePart&, Buffer& out,
                               const ParseOptions&) {
  out.Clear();
  return MakeError(Code::kUnimplemented, "not yet");
}

Result<> TextToProto(const Field&, std::string_view, Buffer&, const ParseOptions&) {
  return MakeError(Code::kUnimplemented, "not yet");
}

}  // namespace transcode
