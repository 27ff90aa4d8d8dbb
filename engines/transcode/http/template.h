#pragma once

// Path templates of google.api.http, parsed. The grammar is that of google/api/http.proto:
//   Template = "/" [ Segments [ ":" LITERAL ] ]
//   Segments = Segment { "/" Segment }
//   Segment  = "*" | "**" | LITERAL | "{" FieldPath [ "=" Segments ] "}"
// with one extension: literals may follow "**".

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace transcode {

struct PathTemplate {
  enum class Kind : uint8_t { kLiteral, kStar, kDoubleStar };

  struct Segment {
    Kind kind;
    std::string literal;  // only of kLiteral
  };

  // What a variable covers: the segments from `first` up to, not including, `end`. Where the "**"
  // stands before the end, `end` counts from the end of the path: 0 is behind the last segment.
  struct Variable {
    std::string field_path;
    uint16_t first = 0;
    uint16_t end = 0;
    bool end_from_back = false;
    bool multi_segment = false;  // anything but one segment: reserved characters stay encoded
  };

  static constexpr size_t kMaxSegments = 64;

  // Errors: INVALID_ARGUMENT with the byte of the template.
  static Result<PathTemplate> Parse(std::string_view text);

  std::vector<Segment> segments;
  std::vector<Variable> variables;
  std::string verb;  // without the colon
};

}  // namespace transcode
