#include "cli/flags.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace transcode::cli {

void Flags::Value(std::string_view name, std::string_view placeholder, std::string_view help,
                  Setter set) {
  flags_.push_back(
      {std::string(name), std::string(placeholder), std::string(help), std::move(set)});
}

void Flags::Text(std::string_view name, std::string_view placeholder, std::string_view help,
                 std::string* to) {
  Value(name, placeholder, help, [to](std::string_view text) {
    *to = text;
    return std::string();
  });
}

void Flags::Size(std::string_view name, std::string_view placeholder, std::string_view help,
                 size_t* to) {
  Value(name, placeholder, help, [to](std::string_view text) -> std::string {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), *to);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? "" : "a whole number";
  });
}

void Flags::Switch(std::string_view name, std::string_view help, bool* to) {
  Value(name, "", help, [to](std::string_view) {
    *to = true;
    return std::string();
  });
}

void Flags::Choice(std::string_view name, std::vector<std::string_view> words,
                   std::string_view help, std::function<void(size_t)> set) {
  std::string list;
  for (const std::string_view word : words) list.append(list.empty() ? "" : "|").append(word);
  const std::vector<std::string> owned(words.begin(), words.end());
  Value(name, list, help,
        [owned, list, set = std::move(set)](std::string_view text) -> std::string {
          const auto found = std::find(owned.begin(), owned.end(), text);
          if (found == owned.end()) return list;
          set(static_cast<size_t>(found - owned.begin()));
          return "";
        });
}

Result<> Flags::Parse(std::vector<std::string_view> arguments,
                      std::vector<std::string>& rest) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with("--")) {
      rest.emplace_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(2, equals - 2);
    const auto flag = std::find_if(flags_.begin(), flags_.end(),
                                   [name](const Flag& each) { return each.name == name; });
    if (flag == flags_.end()) {
      return MakeError(Code::kInvalidArgument, "unknown option --" + std::string(name));
    }
    std::string_view text;
    if (equals != std::string_view::npos) {
      text = argument.substr(equals + 1);
    } else if (!flag->placeholder.empty()) {
      if (++i == arguments.size()) {
        return MakeError(Code::kInvalidArgument, "--" + flag->name + " needs a value");
      }
      text = arguments[i];
    }
    if (std::string expected = flag->set(text); !expected.empty()) {
      Error error = MakeError(Code::kInvalidArgument, "bad value of --" + flag->name);
      error.expected = std::move(expected);
      error.got = text;
      return error;
    }
  }
  return {};
}

std::string Flags::Help() const {
  std::string text;
  for (const Flag& flag : flags_) {
    text += "  --" + flag.name + (flag.placeholder.empty() ? "" : " " + flag.placeholder) + "\n" +
            "        " + flag.help + "\n";
  }
  return text;
}

}  // namespace transcode::cli
