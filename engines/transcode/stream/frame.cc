#include "stream/frame.h"

#include <zlib.h>

#include <algorithm>
#include <string>

namespace transcode {
namespace {

constexpr int kGzip = 15 + 16;  // window bits of zlib that ask for the gzip format

uint32_t SizeOf(const char* header) {
  uint32_t size = 0;
  for (int i = 1; i <= 4; ++i) size = size << 8 | static_cast<uint8_t>(header[i]);
  return size;
}

}  // namespace

void FrameReader::Start(bool gzip, size_t max_message) {
  gzip_ = gzip;
  max_message_ = max_message;
  piece_ = {};
  partial_.Clear();
  partial_out_ = false;
}

void FrameReader::Release() {
  piece_ = {};
  partial_.Recycle();
  inflated_.Recycle();
  partial_out_ = false;
}

void FrameReader::Push(std::string_view piece) { piece_ = piece; }

Result<bool> FrameReader::Next(std::string_view& message) {
  if (partial_out_) {
    partial_.Clear();
    partial_out_ = false;
  }
  const auto take = [this](size_t wanted) {  // into partial_, as far as there is input
    const size_t size = std::min(wanted - partial_.size(), piece_.size());
    partial_.Append(piece_.substr(0, size));
    piece_.remove_prefix(size);
    return partial_.size() == wanted;
  };
  const bool gathering = !partial_.empty() || piece_.size() < kFrameHeader;
  if (gathering && partial_.size() < kFrameHeader && !take(kFrameHeader)) return false;
  const char* const header = gathering ? partial_.data() : piece_.data();
  const uint8_t flags = static_cast<uint8_t>(header[0]);
  const size_t size = SizeOf(header);
  if (flags > 1 || (flags == 1 && !gzip_)) {
    return MakeError(Code::kInternal,
                     flags == 1 ? "a compressed gRPC frame, but grpc-encoding is not gzip"
                                : "unknown flags of a gRPC frame: " + std::to_string(flags));
  }
  if (max_message_ != 0 && size > max_message_) {
    return MakeError(Code::kResourceExhausted, "a gRPC message of " + std::to_string(size) +
                                                   " bytes; the limit is " +
                                                   std::to_string(max_message_));
  }
  const size_t whole = kFrameHeader + size;
  if (!gathering && piece_.size() >= whole) {
    message = piece_.substr(kFrameHeader, size);
    piece_.remove_prefix(whole);
  } else {
    if (!take(whole)) return false;
    message = partial_.view().substr(kFrameHeader);
    partial_out_ = true;
  }
  if (flags == 1) return Inflate(message, message);
  return true;
}

Result<bool> FrameReader::Inflate(std::string_view compressed, std::string_view& message) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) {
    return MakeError(Code::kResourceExhausted, "no memory to decompress a gRPC message");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  inflated_.Clear();
  int state = Z_OK;
  while (state == Z_OK && (max_message_ == 0 || inflated_.size() <= max_message_)) {
    constexpr size_t kStep = 64 << 10;
    char* const end = inflated_.Reserve(kStep);
    stream.next_out = reinterpret_cast<Bytef*>(end);
    stream.avail_out = static_cast<uInt>(kStep);
    state = inflate(&stream, Z_NO_FLUSH);
    inflated_.SetSize(inflated_.size() + kStep - stream.avail_out);
  }
  const bool all_read = stream.avail_in == 0;
  inflateEnd(&stream);
  if (max_message_ != 0 && inflated_.size() > max_message_) {
    return MakeError(Code::kResourceExhausted, "a gRPC message that is decompressed to more than " +
                                                   std::to_string(max_message_) + " bytes");
  }
  if (state != Z_STREAM_END || !all_read) {
    return MakeError(Code::kInternal, "a compressed gRPC message that is not gzip");
  }
  message = inflated_.view();
  return true;
}

Result<> FrameReader::Finish() const {
  if (partial_out_ || partial_.empty()) return {};
  return MakeError(Code::kInternal, partial_.size() < kFrameHeader
                                        ? "the gRPC stream ends inside the header of a frame"
                                        : "the gRPC stream ends inside a message");
}

void Gzip(std::string_view data, Buffer& out) {
  z_stream stream{};
  out.Clear();
  if (deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return;
  const size_t bound = deflateBound(&stream, static_cast<uLong>(data.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.Reserve(bound));
  stream.avail_out = static_cast<uInt>(bound);
  deflate(&stream, Z_FINISH);
  out.SetSize(bound - stream.avail_out);
  deflateEnd(&stream);
}

}  // namespace transcode
