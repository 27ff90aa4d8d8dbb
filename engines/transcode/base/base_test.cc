#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"

namespace transcode {
namespace {

TEST(Error, NamesPathOffsetExpectedAndGot) {
  Error error = MakeError(Code::kInvalidArgument, "value is not of the type of the field");
  error.path = "shelf.books[3].id";
  error.offset = 41;
  error.expected = "int32";
  error.got = "\"x\"";
  EXPECT_EQ(error.ToString(),
            "INVALID_ARGUMENT: value is not of the type of the field at shelf.books[3].id, "
            "byte 41: expected int32, got \"x\"");
}

TEST(Result, HoldsAValueOrAnError) {
  Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  Result<int> bad = MakeError(Code::kNotFound, "no such thing");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, Code::kNotFound);
  Result<> done;
  EXPECT_TRUE(done.ok());
  Result<> failed = bad.error();
  Result<> copy = failed;
  EXPECT_EQ(copy.error().message, "no such thing");
}

TEST(Buffer, KeepsItsCapacityWhenCleared) {
  Buffer buffer;
  buffer.Append(std::string(1000, 'x'));
  const size_t capacity = buffer.capacity();
  buffer.Clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), capacity);
}

TEST(Buffer, CountsTheMemoryOfLargeOnes) {
  const size_t before = Buffer::InUse();
  Buffer small(std::string(100, 'x'));
  EXPECT_EQ(Buffer::InUse(), before);
  {
    Buffer large(std::string(100'000, 'x'));
    EXPECT_EQ(Buffer::InUse(), before + large.capacity());
    large.DropFront(99'000);
    large.scratch(0).Append(std::string(8000, 'y'));
    Buffer other(std::move(large));
    large = other;
    other.Swap(small);
    EXPECT_GT(Buffer::InUse(), before + 107'000);
  }
  small.Clear();
  EXPECT_GT(Buffer::InUse(), before + 100'000);
  small = Buffer();
  EXPECT_EQ(Buffer::InUse(), before);
}

TEST(Buffer, KeepsItsCapacityWhileNotInUseIfAllIsLittle) {
  const size_t before = Buffer::InUse();
  const std::string bytes(size_t{3} << 20, 'x');
  std::vector<Buffer> many(20);
  for (Buffer& each : many) each.Append(bytes);
  for (Buffer& each : many) each.Recycle();
  EXPECT_LE(Buffer::InUse(), before + (size_t{32} << 20));
  EXPECT_GE(many.back().capacity(), bytes.size());
  Buffer huge(std::string(size_t{5} << 20, 'x'));
  huge.Recycle();
  EXPECT_EQ(huge.capacity(), 0u);
  for (Buffer& each : many) each = Buffer();
  EXPECT_EQ(Buffer::InUse(), before);
}

TEST(Buffer, TakesRawBytesAndGivesUpBytesFromTheFront) {
  Buffer buffer("ab");
  std::memcpy(buffer.Reserve(3), "cde", 3);
  buffer.SetSize(buffer.size() + 3);
  EXPECT_EQ(buffer.view(), "abcde");
  buffer.Consume(2);
  EXPECT_EQ(buffer.view(), "cde");
}

}  // namespace
}  // namespace transcode
