// transcode_correctness TESTDATA from_json|to_json agreed|required|recommended|jsontestsuite
//
// Counts the recorded cases that the codec passes, as JSON lines; names on stderr those it does
// not.

#include <chrono>
#include <cstdio>
#include <string>

#include "conformance/cases.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s TESTDATA from_json|to_json SET\n", argv[0]);
    return 2;
  }
  transcode::conformance::SetTestData(argv[1]);
  const auto begin = std::chrono::steady_clock::now();
  const transcode::conformance::Count count = transcode::conformance::CountCases(argv[2], argv[3]);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (count.total == 0) {
    std::fprintf(stderr, "no such cases\n");
    return 2;
  }
  for (const std::string& failed : count.failed) std::fprintf(stderr, "%s\n", failed.c_str());
  const auto print = [](const char* metric, double value) {
    std::printf("{\"metric\": \"%s\", \"value\": %.9g}\n", metric, value);
  };
  print("time", took.count() / static_cast<double>(count.total));
  print("cases_passed", static_cast<double>(count.total - count.failed.size()));
  print("cases_total", static_cast<double>(count.total));
}
