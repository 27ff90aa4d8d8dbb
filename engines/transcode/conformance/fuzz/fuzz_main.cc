// A libFuzzer program for all targets: the one that the environment variable TRANSCODE_FUZZ_TARGET
// names. With TRANSCODE_FUZZ_SEEDS=FOLDER it first writes the seeds there. TRANSCODE_TESTDATA says
// where testdata lies (../testdata if not given).

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "conformance/files.h"
#include "conformance/fuzz/targets.h"

namespace {

const transcode::conformance::FuzzTarget* target = nullptr;

const char* Environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  transcode::conformance::SetTestData(Environment("TRANSCODE_TESTDATA", "../testdata"));
  const std::string name = Environment("TRANSCODE_FUZZ_TARGET", "json_to_proto");
  for (const auto& one : transcode::conformance::FuzzTargets()) {
    if (one.name == name) target = &one;
  }
  if (target == nullptr) {
    std::fprintf(stderr, "no target %s\n", name.c_str());
    std::exit(2);
  }
  const std::string folder = Environment("TRANSCODE_FUZZ_SEEDS", "");
  if (folder.empty()) return 0;
  size_t count = 0;
  for (const std::string& seed : target->seeds()) {
    std::ofstream(folder + "/seed-" + std::to_string(count++), std::ios::binary) << seed;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target->run(data, size);
  return 0;
}
