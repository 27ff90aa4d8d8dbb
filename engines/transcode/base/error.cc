#include "base/error.h"

namespace transcode {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kCancelled:
      return "CANCELLED";
    case Code::kUnknown:
      return "UNKNOWN";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case Code::kNotFound:
      return "NOT_FOUND";
    case Code::kAlreadyExists:
      return "ALREADY_EXISTS";
    case Code::kPermissionDenied:
      return "PERMISSION_DENIED";
    case Code::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case Code::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case Code::kAborted:
      return "ABORTED";
    case Code::kOutOfRange:
      return "OUT_OF_RANGE";
    case Code::kUnimplemented:
      return "UNIMPLEMENTED";
    case Code::kInternal:
      return "INTERNAL";
    case Code::kUnavailable:
      return "UNAVAILABLE";
    case Code::kDataLoss:
      return "DATA_LOSS";
    case Code::kUnauthenticated:
      return "UNAUTHENTICATED";
  }
  return "UNKNOWN";
}

std::string Error::ToString() const {
  std::string text(CodeName(code));
  text.append(": ").append(message);
  if (!path.empty()) text.append(" at ").append(path);
  if (offset != kNoOffset) text.append(", byte ").append(std::to_string(offset));
  if (!expected.empty()) text.append(": expected ").append(expected);
  if (!got.empty()) text.append(expected.empty() ? ": got " : ", got ").append(got);
  return text;
}

Error MakeError(Code code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

}  // namespace transcode
