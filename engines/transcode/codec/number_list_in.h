#pragma once

// Lists of numbers of any type.

#include "codec/double_list_in.h"
#include "codec/int_list_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

// As ParsePlainList, for the type of a field.
[[gnu::noinline]] Cursor ParsePlainNumbers(State& s, Cursor c, Type type, PlainRun* run) {
  switch (type) {
    case Type::kInt32:
      return ParsePlainIntegers<Type::kInt32>(s, c, run);
    case Type::kUint32:
      return ParsePlainIntegers<Type::kUint32>(s, c, run);
    case Type::kInt64:
      return ParsePlainIntegers<Type::kInt64>(s, c, run);
    case Type::kUint64:
      return ParsePlainIntegers<Type::kUint64>(s, c, run);
    case Type::kSint32:
      return ParsePlainIntegers<Type::kSint32>(s, c, run);
    case Type::kSint64:
      return ParsePlainIntegers<Type::kSint64>(s, c, run);
    case Type::kFixed32:
      return ParsePlainIntegers<Type::kFixed32>(s, c, run);
    case Type::kSfixed32:
      return ParsePlainIntegers<Type::kSfixed32>(s, c, run);
    case Type::kFixed64:
      return ParsePlainIntegers<Type::kFixed64>(s, c, run);
    case Type::kSfixed64:
      return ParsePlainIntegers<Type::kSfixed64>(s, c, run);
    case Type::kDouble:
      return ParsePlainDoubles(s, c, run);
    default:
      return c;
  }
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
