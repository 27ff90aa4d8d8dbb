#pragma once

// Random schemas and random messages of them, the same for the same seed.

#include <google/protobuf/message.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/oracle.h"

namespace transcode::conformance {

// A stream of numbers that is the same on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t bound) { return Next() % bound; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

class RandomSchema {
 public:
  // Messages of all field types, packed or not, optional, oneofs, maps, enums, well-known types,
  // recursion; proto3.
  explicit RandomSchema(uint64_t seed);

  Oracle& oracle() { return *oracle_; }
  const std::vector<std::string>& types() const { return types_; }

  // A message of the type that all libraries can write as JSON and read back: no NaN payloads, no
  // negative zero, no Value without kind, times in range, depth at most 6 (and Values).
  std::unique_ptr<google::protobuf::Message> Message(const std::string& type, Random& random);

 private:
  std::vector<std::string> types_;
  std::unique_ptr<Oracle> oracle_;
};

// Valid UTF-8 of at most `longest` characters: mostly ASCII, with quotes, backslashes, controls,
// and characters of two to four bytes.
std::string RandomText(Random& random, size_t longest);

}  // namespace transcode::conformance
