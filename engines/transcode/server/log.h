// One JSON object a line on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transcode::server {

// LogLine("listening").Add("address", "127.0.0.1:8080").Write();
class LogLine {
 public:
  explicit LogLine(std::string_view event);
  LogLine& Add(std::string_view key, std::string_view value);
  LogLine& Add(std::string_view key, int64_t value);
  // In one write(), so that lines of several threads do not mix.
  void Write();

 private:
  void AppendText(std::string_view text);
  std::string line_;
};

}  // namespace transcode::server
