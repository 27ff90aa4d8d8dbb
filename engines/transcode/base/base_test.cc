#include <gtest/gtest.h>

#include <string>

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
