// Templates and paths, against a search that tries everything.

#include <string_view>

#include "conformance/files.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/targets.h"
#include "http/route_table.h"

namespace transcode::conformance {
namespace {

// A template against a path, segment by segment.
bool NaiveSegments(const std::vector<PathTemplate::Segment>& segments, size_t at,
                   const std::vector<std::string>& path, size_t from) {
  if (at == segments.size()) return from == path.size();
  if (segments[at].kind == PathTemplate::Kind::kDoubleStar) {
    // As recorded: at the end of a template ** may match nothing, before literals it may not.
    const size_t least = at + 1 == segments.size() ? 0 : 1;
    for (size_t end = from + least; end <= path.size(); ++end) {
      if (NaiveSegments(segments, at + 1, path, end)) return true;
    }
    return false;
  }
  if (from == path.size()) return false;
  if (segments[at].kind == PathTemplate::Kind::kLiteral && segments[at].literal != path[from]) {
    return false;
  }
  return NaiveSegments(segments, at + 1, path, from + 1);
}

bool NaiveMatch(const PathTemplate& parsed, std::string target) {
  target = target.substr(0, target.find('?'));
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  if (target.empty() || target[0] != '/') return false;
  if (!parsed.verb.empty()) {
    const std::string tail = ":" + parsed.verb;
    if (target.size() <= tail.size() || !target.ends_with(tail)) return false;
    target.resize(target.size() - tail.size());
  }
  std::vector<std::string> path;
  for (size_t begin = 1; begin < target.size() || begin == 1;) {
    const size_t end = std::min(target.find('/', begin), target.size());
    if (target.size() > 1) path.push_back(target.substr(begin, end - begin));
    begin = end + 1;
  }
  return NaiveSegments(parsed.segments, 0, path, 0);
}

// "template\npath"
void RoutesTarget(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string::npos || text.find('\n', line + 1) != std::string::npos) return;
  const std::string path = text.substr(line + 1);
  if (!path.starts_with('/')) return;  // no target of a request
  const Result<PathTemplate> parsed = PathTemplate::Parse(text.substr(0, line));
  RouteTable table;
  const Result<> added = table.Add("GET", text.substr(0, line), 7);
  REQUIRE(added.ok() == parsed.ok(), text);
  if (!parsed.ok()) return;
  PathMatch match;
  const bool found = table.Find("GET", path, match);
  REQUIRE(!table.Find("PUT", path, match), text);
  // The parts of a path that are hard to compare by eye are left to the tests of the router.
  if (path.find("//") != std::string::npos || path.find('%') != std::string::npos ||
      path.ends_with("/") || path.find(':') != path.rfind(':')) {
    return;
  }
  REQUIRE(found == NaiveMatch(*parsed, path), text);
}

std::vector<std::string> RouteSeeds() {
  std::vector<std::string> seeds;
  for (const Json& line : ReadJsonLines("corpus/routes.jsonl")) {
    for (const Json& rule : line.at("rules")) {
      for (const Json& result : line.at("results")) {
        if (!result.contains("path")) continue;
        seeds.push_back(rule.at("path").get<std::string>() + "\n" +
                        result.at("path").get<std::string>());
      }
    }
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> RouteTargets() { return {{"routes", RoutesTarget, RouteSeeds}}; }

}  // namespace transcode::conformance
