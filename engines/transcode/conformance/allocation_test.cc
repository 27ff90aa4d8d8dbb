// In steady state a call allocates nothing: every allocation of the process is counted, for the
// documents of the corpus, random messages and the large examples, after one call to warm up.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/cases.h"
#include "conformance/random_message.h"
#include "conformance/sanitized.h"

#if !TRANSCODE_SANITIZED
namespace {
std::atomic<size_t> allocations{0};
}
// The allocator of glibc under the names that the program calls.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* realloc(void* old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace transcode::conformance {
namespace {

class Allocation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (TRANSCODE_SANITIZED) GTEST_SKIP() << "the sanitizer has its own allocator";
  }

  // The allocations of the second of two calls.
  template <class Call>
  static size_t Second(Call call) {
#if !TRANSCODE_SANITIZED
    call();
    const size_t before = allocations;
    call();
    return allocations - before;
#else
    call();
    return 0;
#endif
  }

  void Expect(const Message& type, const std::string& json) {
    for (const Isa isa : {Isa::kScalar, Isa::kAuto}) {
      ParseOptions parse;
      parse.isa = isa;
      if (!JsonToProto(type, json, wire_, parse).ok()) return;
      EXPECT_EQ(Second([&] { (void)JsonToProto(type, json, wire_, parse).ok(); }), 0u)
          << "reading " << json.substr(0, 300);
      PrintOptions print;
      print.isa = isa;
      const std::string wire(wire_.view());
      EXPECT_EQ(Second([&] { (void)ProtoToJson(type, wire, text_, print).ok(); }), 0u)
          << "printing " << json.substr(0, 300);
    }
  }

  Buffer wire_;
  Buffer text_;
};

TEST_F(Allocation, Counts) {
  EXPECT_EQ(Second([] {
              int* volatile number = new int(1);  // volatile: not optimized away
              delete number;
            }),
            1u);
}

TEST_F(Allocation, NoneForTheCorpus) {
  for (const Json& line : ReadJsonLines("corpus/json_to_proto.jsonl")) {
    SCOPED_TRACE(line.at("id"));
    Expect(*CorpusOracle().schema().FindMessage(line.at("type").get<std::string>()),
           JsonText(line));
  }
}

TEST_F(Allocation, NoneForRandomMessages) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    RandomSchema schema(seed);
    Random random(seed);
    for (int i = 0; i < 10; ++i) {
      const std::string& name = schema.types()[random.Below(schema.types().size())];
      const Answer json =
          ToJson(schema.oracle(), name, Oracle::Serialize(*schema.Message(name, random)), {});
      ASSERT_TRUE(json.ok) << json.bytes;
      Expect(*schema.oracle().schema().FindMessage(name), json.bytes);
    }
  }
}

TEST_F(Allocation, NoneForLargeDocuments) {
  const Message& type = *CorpusOracle().schema().FindMessage("google.protobuf.Value");
  for (const std::string& name : ListTestData("jsonexamples")) {
    if (name.ends_with(".gz")) Expect(type, ReadTestData("jsonexamples/" + name));
  }
}

}  // namespace
}  // namespace transcode::conformance
