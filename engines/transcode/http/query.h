#pragma once

// Query strings: a=1&b=2. A parameter without '=' has an empty value.

#include <algorithm>
#include <string_view>

namespace transcode {

struct QueryParameter {
  std::string_view name, value;  // not decoded
};

// Takes the next parameter off the front of `query`; false: none left. Nothing between two '&' is
// no parameter.
inline bool NextParameter(std::string_view& query, QueryParameter& parameter) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    parameter = {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
    return true;
  }
  return false;
}

}  // namespace transcode
