#include "stream/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace transcode {
namespace {

using namespace std::string_literals;

std::string Frame(std::string_view message, char flags = 0) {
  char header[kFrameHeader];
  WriteFrameHeader(message.size(), header);
  header[0] = flags;
  return std::string(header, sizeof(header)).append(message);
}

std::string Zip(std::string_view message) {
  Buffer out;
  Gzip(message, out);
  return std::string(out.view());
}

// The messages, each with '|' behind it, and the error. `step`: bytes a piece.
std::string Read(std::string_view stream, bool gzip, size_t limit = 0, size_t step = 1 << 20) {
  FrameReader reader;
  reader.Start(gzip, limit);
  std::string answer;
  for (; !stream.empty(); stream.remove_prefix(std::min(step, stream.size()))) {
    const std::string piece(stream.substr(0, step));
    reader.Push(piece);
    std::string_view message;
    for (;;) {
      const Result<bool> next = reader.Next(message);
      if (!next.ok()) return answer + next.error().message;
      if (!*next) break;
      answer += std::string(message) + "|";
    }
  }
  const Result<> end = reader.Finish();
  return end.ok() ? answer : answer + end.error().message;
}

TEST(FrameReader, CutsMessagesFromAnyPieces) {
  const std::string stream = Frame("one") + Frame("") + Frame(Zip("three"), 1) + Frame("4");
  for (size_t step = 1; step <= stream.size(); ++step) {
    EXPECT_EQ(Read(stream, true, 0, step), "one||three|4|") << step;
  }
}

TEST(FrameReader, SaysWhereAStreamEndsEarly) {
  for (const size_t step : {1, 100}) {
    EXPECT_EQ(Read(Frame("a") + "\0\0"s, false, 0, step),
              "a|the gRPC stream ends inside the header of a frame");
    EXPECT_EQ(Read(Frame("abc").substr(0, 7), false, 0, step),
              "the gRPC stream ends inside a message");
  }
}

TEST(FrameReader, RefusesFlagsAndWhatIsNotGzip) {
  EXPECT_EQ(Read(Frame("a", 2), true), "unknown flags of a gRPC frame: 2");
  EXPECT_EQ(Read(Frame(Zip("a"), 1), false),
            "a compressed gRPC frame, but grpc-encoding is not gzip");
  const std::string packed = Zip("a text");
  const std::string_view not_gzip = "a compressed gRPC message that is not gzip";
  EXPECT_EQ(Read(Frame("plain", 1), true), not_gzip);
  EXPECT_EQ(Read(Frame("", 1), true), not_gzip);
  EXPECT_EQ(Read(Frame(packed + "x", 1), true), not_gzip);
  for (size_t size = 1; size < packed.size(); ++size) {
    EXPECT_EQ(Read(Frame(packed.substr(0, size), 1), true), not_gzip) << size;
  }
}

TEST(FrameReader, LimitsMessagesBeforeAndAfterDecompression) {
  EXPECT_EQ(Read(Frame("12345"), false, 5), "12345|");
  EXPECT_EQ(Read("\0\xff\xff\xff\xff"s, false, 5),
            "a gRPC message of 4294967295 bytes; the limit is 5");
  const std::string zeros(1 << 20, '0');
  const std::string packed = Zip(zeros);
  ASSERT_LT(packed.size(), 10000u);
  EXPECT_EQ(Read(Frame(packed, 1), true, zeros.size()), zeros + "|");
  EXPECT_EQ(Read(Frame(packed, 1), true, zeros.size() - 1),
            "a gRPC message that is decompressed to more than 1048575 bytes");
}

}  // namespace
}  // namespace transcode
