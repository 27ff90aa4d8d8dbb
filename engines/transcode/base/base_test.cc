#include <gtest/gtest.h>

#include <string>
#include <thread>
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
  Buffer::FreeKept();
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

constexpr size_t kMiB = size_t{1} << 20;

TEST(Buffer, KeepsItsCapacityWhileNotInUseIfAllIsLittle) {
  Buffer::FreeKept();
  const size_t before = Buffer::InUse();
  const std::string bytes(100'000, 'x');
  std::vector<Buffer> many(200);
  for (Buffer& each : many) each.Append(bytes);
  EXPECT_GT(Buffer::InUse(), before + 16 * kMiB);
  for (Buffer& each : many) each.Recycle();
  EXPECT_LE(Buffer::InUse(), before + 8 * kMiB);
  EXPECT_EQ(many.front().capacity(), 0u);
  EXPECT_GE(many.back().capacity(), bytes.size());
  for (Buffer& each : many) each = Buffer();
  EXPECT_EQ(Buffer::InUse(), before);
}

TEST(Buffer, LeavesLargeMemoryToTheNextThatGrowsSoFar) {
  const size_t before = Buffer::InUse() - Buffer::Kept();
  const std::string bytes(3 * kMiB, 'x');
  std::vector<Buffer> many(20);
  for (Buffer& each : many) each.Append(bytes);
  EXPECT_GE(Buffer::InUse(), before + 60 * kMiB);
  for (size_t i = many.size(); i-- > 0;) {
    many[i].scratch(0).Append(bytes);
    many[i].Recycle();
    EXPECT_EQ(many[i].capacity(), 0u);
    EXPECT_EQ(many[i].scratch(0).capacity(), 0u);
  }
  EXPECT_EQ(Buffer::InUse() - Buffer::Kept(), before);
  // After a peak the rest is given back.
  EXPECT_LE(Buffer::Kept(), 24 * kMiB);
  const size_t kept = Buffer::Kept();
  EXPECT_GE(kept, 21 * kMiB);

  Buffer other("ab");
  other.DropFront(1);
  const std::string_view rest = std::string_view(bytes).substr(2);
  other.Append(rest);
  EXPECT_EQ(Buffer::InUse(), before + kept);
  EXPECT_EQ(Buffer::Kept() + other.capacity(), kept);
  EXPECT_TRUE(other.view().starts_with('b') && other.view().substr(1) == rest);
  // None is so large.
  Buffer huge(std::string(9 * kMiB, 'x'));
  EXPECT_GE(Buffer::InUse(), before + kept + 9 * kMiB);
  huge.Recycle();
  EXPECT_EQ(huge.capacity(), 0u);
  other.Recycle();
  EXPECT_EQ(Buffer::Kept(), kept);
  EXPECT_EQ(Buffer::InUse(), before + kept);
  Buffer::FreeKept();
  EXPECT_EQ(Buffer::Kept(), 0u);
  EXPECT_EQ(Buffer::InUse(), before);
}

TEST(Buffer, OccupiesNoMegabytesForAFewBytes) {
  Buffer::FreeKept();
  Buffer large(std::string(4 * kMiB, 'x'));
  large.Recycle();
  const size_t kept = Buffer::Kept();
  EXPECT_GE(kept, 4 * kMiB);
  Buffer few(std::string(20'000, 'x'));
  EXPECT_EQ(Buffer::Kept(), kept);
  Buffer more(std::string(80'000, 'x'));
  EXPECT_EQ(Buffer::Kept(), 0u);
  EXPECT_EQ(more.capacity(), kept);
}

TEST(Buffer, ThreadsShareWhatIsKept) {
  const size_t before = Buffer::InUse() - Buffer::Kept();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      const std::string bytes(kMiB, static_cast<char>('a' + thread));
      for (int i = 0; i < 50; ++i) {
        std::vector<Buffer> some(4);
        for (Buffer& each : some) each.Append(bytes);
        for (Buffer& each : some) EXPECT_TRUE(each.view() == bytes);
        for (Buffer& each : some) each.Recycle();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Buffer::InUse() - Buffer::Kept(), before);
  EXPECT_LE(Buffer::Kept(), 24 * kMiB);
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
