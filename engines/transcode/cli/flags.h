// Command-line flags: --name value, --name=value, and switches without a value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace transcode::cli {

class Flags {
 public:
  // `set` gets the text; it returns what would have been right if it was not.
  using Setter = std::function<std::string(std::string_view)>;

  void Value(std::string_view name, std::string_view placeholder, std::string_view help,
             Setter set);
  void Text(std::string_view name, std::string_view placeholder, std::string_view help,
            std::string* to);
  void Size(std::string_view name, std::string_view placeholder, std::string_view help, size_t* to);
  void Switch(std::string_view name, std::string_view help, bool* to);
  // Value() for one word of several: the first is the default.
  void Choice(std::string_view name, std::vector<std::string_view> words, std::string_view help,
              std::function<void(size_t)> set);

  // Sets what the flags say; the other arguments go to `rest`. Errors: INVALID_ARGUMENT.
  Result<> Parse(std::vector<std::string_view> arguments, std::vector<std::string>& rest) const;
  // One or two lines for each flag.
  std::string Help() const;

 private:
  struct Flag {
    std::string name, placeholder, help;
    Setter set;
  };
  std::vector<Flag> flags_;
};

}  // namespace transcode::cli
