#pragma once

// The input of the targets that translate messages: a byte that chooses the type, a byte of
// options, then the text or message.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/options.h"
#include "schema/schema.h"

namespace transcode::conformance {

struct Input {
  std::string type;
  const Message* message = nullptr;
  uint8_t options = 0;
  std::string_view bytes;
};

constexpr size_t kPlainTypes = 7;  // the first ones have no well-known types
constexpr size_t kAllTypes = 10;

// None: it is too short.
std::optional<Input> ReadInput(const uint8_t* data, size_t size, size_t types = kAllTypes);

// Long strings are longer than what is fuzzed: a '~' stands for one.
std::string Grown(std::string_view text);

// What the bits of the byte of options mean, to whoever reads JSON.
ParseOptions ParseOf(uint8_t bits);

// The cases of the corpora, as inputs.
std::vector<std::string> JsonSeeds();
std::vector<std::string> WireSeeds();

}  // namespace transcode::conformance
