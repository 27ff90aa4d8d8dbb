#pragma once

// Query strings: a=1&b=2.

#include <algorithm>
#include <string_view>

namespace transcode {

struct QueryParameter {
  std::string_view name, value;  // not decoded
};

// Takes the next parameter off the front of `query`; false: none left. Parameters without '=' or
// without a name are passed over.
inline bool NextParameter(std::string_view& query, QueryParameter& parameter) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = pair.find('=');
    if (equals == 0 || equals == pair.npos) continue;
    parameter = {pair.substr(0, equals), pair.substr(equals + 1)};
    return true;
  }
  return false;
}

}  // namespace transcode
