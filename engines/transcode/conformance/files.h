#pragma once

// The test data: files, JSON lines, hex, tab separated tables.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace transcode::conformance {

using Json = nlohmann::json;

// Where testdata lies; tests run in the folder of their sources, next to it.
void SetTestData(std::string directory);

// The bytes of a file below testdata; those of a name that ends in .gz are inflated. The program
// ends with a message if there is no such file.
std::string ReadTestData(const std::string& path);

// The names of the files of a folder below testdata, sorted.
std::vector<std::string> ListTestData(const std::string& path);

// One value for each line.
std::vector<Json> ReadJsonLines(const std::string& path);

// The cells of each line that is neither empty nor a comment (#). All lines have `columns` cells.
std::vector<std::vector<std::string>> ReadTable(const std::string& path, size_t columns);

std::string FromHex(std::string_view hex);
std::string ToHex(std::string_view bytes);

// The JSON text of a case: under `json`, or under `json_hex` where it is not UTF-8.
std::string JsonText(const Json& line);

// Reads one JSON document as RFC 8259 has it and refuses a key that comes twice in one object.
// False: it is none.
bool ParseStrictJson(std::string_view text, Json* value);

// How numbers are compared where not both are integers.
enum class Numbers { kDouble, kFloat };

// Equal values; order of keys does not count.
bool SameJson(const Json& a, const Json& b, Numbers numbers = Numbers::kDouble);

}  // namespace transcode::conformance
