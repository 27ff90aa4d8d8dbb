// transcode_correctness TESTDATA from_json|to_json agreed|required|recommended|jsontestsuite [all]
//
// Counts the recorded cases that the codec passes, as JSON lines; names on stderr those it does
// not. With `all`, it is an error when one fails that is not listed, as a recommended case that
// fails or as one that a policy answers otherwise.

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/cases.h"

int main(int argc, char** argv) {
  const bool all = argc == 5 && std::string_view(argv[4]) == "all";
  if (argc != 4 && !all) {
    std::fprintf(stderr, "usage: %s TESTDATA from_json|to_json SET [all]\n", argv[0]);
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
  for (const auto& [id, difference] : count.failed) {
    std::fprintf(stderr, "%s: %s\n", id.c_str(), difference.c_str());
  }
  const auto print = [](const char* metric, double value) {
    std::printf("{\"metric\": \"%s\", \"value\": %.9g}\n", metric, value);
  };
  print("time", took.count() / static_cast<double>(count.total));
  print("cases_passed", static_cast<double>(count.total - count.failed.size()));
  print("cases_total", static_cast<double>(count.total));
  if (!all) return 0;
  std::map<std::string, std::string> unlisted = count.failed;
  const std::pair<const char*, size_t> lists[] = {{"recommended_failures.tsv", 2},
                                                  {"policies/json_to_proto.tsv", 4},
                                                  {"policies/proto_to_json.tsv", 3}};
  for (const auto& [list, columns] : lists) {
    for (const auto& row : transcode::conformance::ReadTable(list, columns)) unlisted.erase(row[0]);
  }
  return unlisted.empty() ? 0 : 1;
}
