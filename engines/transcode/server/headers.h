// Header fields or gRPC metadata: names and values in order, in one block of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/buffer.h"

namespace transcode::server {

// As names of fields are compared, and what RFC 9110 says is without case.
inline bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  for (size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

struct HeaderField {
  std::string_view name;  // lower case
  std::string_view value;
};

class Headers {
 public:
  void Add(std::string_view name, std::string_view value) {
    entries_.push_back({static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(name.size()),
                        static_cast<uint32_t>(value.size())});
    text_.Append(name);
    text_.Append(value);
  }
  // As Add(), for a name that may hold capitals.
  void AddLowered(std::string_view name, std::string_view value) {
    const size_t at = text_.size();
    Add(name, value);
    for (char* c = text_.data() + at; c != text_.data() + at + name.size(); ++c) {
      if (*c >= 'A' && *c <= 'Z') *c = static_cast<char>(*c | 0x20);
    }
  }
  void Clear() {
    entries_.clear();
    text_.Recycle();
  }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // The size of the whole, and of a field, as RFC 9113 counts them for limits.
  size_t cost() const { return text_.size() + kFieldCost * entries_.size(); }
  static size_t CostOf(std::string_view name, std::string_view value) {
    return name.size() + value.size() + kFieldCost;
  }

  // Valid until the next Add() or Clear().
  HeaderField operator[](size_t i) const {
    const Entry& entry = entries_[i];
    const char* at = text_.data() + entry.at;
    return {{at, entry.name}, {at + entry.name, entry.value}};
  }
  // The first value of `name`.
  std::optional<std::string_view> Find(std::string_view name) const {
    for (size_t i = 0; i < entries_.size(); ++i) {
      const HeaderField field = (*this)[i];
      if (field.name == name) return field.value;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kFieldCost = 32;
  struct Entry {
    uint32_t at, name, value;
  };
  Buffer text_;
  std::vector<Entry> entries_;
};

}  // namespace transcode::server
