#include "server/log.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace transcode::server {

LogLine::LogLine(std::string_view event) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis = static_cast<int>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 48> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + size, text.size() - size, ".%03dZ", millis);
  line_ = "{\"time\":\"" + std::string(text.data()) + "\"";
  Add("event", event);
}

LogLine& LogLine::Add(std::string_view key, std::string_view value) {
  line_.append(",\"").append(key).append("\":\"");
  AppendText(value);
  line_.push_back('"');
  return *this;
}

LogLine& LogLine::Add(std::string_view key, int64_t value) {
  line_.append(",\"").append(key).append("\":").append(std::to_string(value));
  return *this;
}

// Bytes that are not printable ASCII as \u00XX: what a client sent must not change the log's form.
void LogLine::AppendText(std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line_.append({'\\', c});
    } else if (c >= 0x20 && c < 0x7f) {
      line_.push_back(c);
    } else {
      const auto byte = static_cast<uint8_t>(c);
      line_.append("\\u00");
      line_.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
    }
  }
}

void LogLine::Write() {
  line_.append("}\n");
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line_.data(), line_.size());
}

}  // namespace transcode::server
