#include "stream/http_body.h"

namespace transcode {
namespace {

bool ReadVarint(std::string_view& wire, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < 10 && i < wire.size(); ++i) {
    value |= static_cast<uint64_t>(wire[i] & 0x7f) << (7 * i);
    if ((wire[i] & 0x80) == 0) {
      wire.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// Calls found(number, bytes) for each field that has a length. False: not wire format.
template <class Found>
bool ReadFields(std::string_view wire, const Found& found) {
  while (!wire.empty()) {
    uint64_t tag;
    uint64_t value = 0;
    if (!ReadVarint(wire, tag)) return false;
    switch (static_cast<WireType>(tag & 7)) {
      case WireType::kVarint:
        if (!ReadVarint(wire, value)) return false;
        continue;
      case WireType::kFixed64:
        value = 8;
        break;
      case WireType::kFixed32:
        value = 4;
        break;
      case WireType::kLength:
        if (!ReadVarint(wire, value)) return false;
        break;
      default:
        return false;  // groups: HttpBody and what holds it are proto3
    }
    if (value > wire.size()) return false;
    if (static_cast<WireType>(tag & 7) == WireType::kLength) {
      found(static_cast<uint32_t>(tag >> 3), wire.substr(0, value));
    }
    wire.remove_prefix(value);
  }
  return true;
}

Error NotWire() { return MakeError(Code::kInternal, "the response is not a protobuf message"); }

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void AppendVarint(uint64_t value, Buffer& out) {
  for (; value >= 0x80; value >>= 7) out.Append(static_cast<char>(value | 0x80));
  out.Append(static_cast<char>(value));
}

size_t SizeOfField(std::string_view bytes) {
  return bytes.empty() ? 0 : 1 + VarintSize(bytes.size()) + bytes.size();
}

void AppendField(char tag, std::string_view bytes, Buffer& out) {
  if (bytes.empty()) return;
  out.Append(tag);
  AppendVarint(bytes.size(), out);
  out.Append(bytes);
}

void AppendNested(const HttpBody& body, std::span<const Field* const> path, Buffer& out) {
  if (path.empty()) {
    AppendField('\x0a', body.content_type, out);
    AppendField('\x12', body.data, out);
    return;
  }
  size_t size = SizeOfField(body.content_type) + SizeOfField(body.data);
  for (size_t i = path.size(); --i > 0;) size += path[i]->tag.size + VarintSize(size);
  out.Append({path[0]->tag.bytes.data(), path[0]->tag.size});
  AppendVarint(size, out);
  AppendNested(body, path.subspan(1), out);
}

}  // namespace

Result<HttpBody> ReadHttpBody(std::string_view wire) {
  HttpBody body;
  const bool good = ReadFields(wire, [&body](uint32_t number, std::string_view bytes) {
    if (number == 1) body.content_type = bytes;
    if (number == 2) body.data = bytes;
  });
  if (!good) return NotWire();
  return body;
}

void AppendHttpBody(const HttpBody& body, std::span<const Field* const> path, Buffer& out) {
  AppendNested(body, path, out);
}

Result<> ReadMessageField(std::string_view wire, const Field& field, Buffer& out) {
  out.Clear();
  const bool good = ReadFields(wire, [&](uint32_t number, std::string_view bytes) {
    if (number == static_cast<uint32_t>(field.number)) out.Append(bytes);
  });
  if (!good) return NotWire();
  return {};
}

}  // namespace transcode
