#include "conformance/files.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace transcode::conformance {
namespace {

std::string& Directory() {
  static std::string directory = "../testdata";
  return directory;
}

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}

std::string Inflate(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) Die("cannot read " + path);
  std::string bytes;
  char piece[1 << 16];
  for (int got; (got = gzread(file, piece, sizeof piece)) > 0;) {
    bytes.append(piece, static_cast<size_t>(got));
  }
  gzclose(file);
  return bytes;
}

}  // namespace

void SetTestData(std::string directory) { Directory() = std::move(directory); }

std::string ReadTestData(const std::string& path) {
  const std::string full = Directory() + "/" + path;
  if (path.ends_with(".gz")) return Inflate(full);
  std::ifstream file(full, std::ios::binary);
  if (!file) Die("cannot read " + full);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> ListTestData(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Directory() + "/" + path)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

std::vector<Json> ReadJsonLines(const std::string& path) {
  std::vector<Json> lines;
  for (const std::string& line : Split(ReadTestData(path), '\n')) {
    if (!line.empty()) lines.push_back(Json::parse(line));
  }
  return lines;
}

std::vector<std::vector<std::string>> ReadTable(const std::string& path, size_t columns) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : Split(ReadTestData(path), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    rows.push_back(Split(line, '\t'));
    if (rows.back().size() != columns) Die(path + ": not the right number of cells: " + line);
  }
  return rows;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex.push_back("0123456789abcdef"[static_cast<unsigned char>(byte) >> 4]);
    hex.push_back("0123456789abcdef"[static_cast<unsigned char>(byte) & 15]);
  }
  return hex;
}

std::string JsonText(const Json& line) {
  const auto hex = line.find("json_hex");
  return hex != line.end() ? FromHex(hex->get<std::string>()) : line.at("json").get<std::string>();
}

bool ParseStrictJson(std::string_view text, Json* value) {
  std::vector<std::set<std::string>> keys;
  bool twice = false;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      twice = twice || !keys.back().insert(parsed.get<std::string>()).second;
    }
    return true;
  };
  *value = Json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  return !value->is_discarded() && !twice;
}

bool SameJson(const Json& a, const Json& b, Numbers numbers) {
  if (a.is_number() && b.is_number()) {
    if (numbers == Numbers::kFloat && a.get<float>() == b.get<float>()) return true;
    if (!a.is_number_float() && !b.is_number_float()) return a == b;
    return a.get<double>() == b.get<double>();
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) {
    return std::equal(
        a.begin(), a.end(), b.begin(),
        [numbers](const Json& left, const Json& right) { return SameJson(left, right, numbers); });
  }
  if (!a.is_object()) return a == b;
  for (const auto& [key, member] : a.items()) {
    const auto other = b.find(key);
    if (other == b.end() || !SameJson(member, *other, numbers)) return false;
  }
  return true;
}

}  // namespace transcode::conformance
