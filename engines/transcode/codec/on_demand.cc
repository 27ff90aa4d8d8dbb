// Parser::kOnDemand: the same translation on top of simdjson, to compare with. Plain messages,
// lists, strings and numbers are walked; any other value goes to the one-pass parser as a piece
// of text.

#include <simdjson.h>

#include <bit>
#include <cstring>
#include <vector>

#include "codec/parse_job.h"

namespace transcode {
namespace {

namespace od = simdjson::ondemand;

char* PutVarint(char* o, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *o++ = static_cast<char>(value | 0x80);
  *o++ = static_cast<char>(value);
  return o;
}

class Walker {
 public:
  Walker(Buffer& out, const ParseOptions& options) : out_(out), options_(options) {}

  bool WriteObject(od::object object, const Message& message, int depth) {
    if (depth <= 0) return false;
    std::vector<bool> seen(message.fields.size() + message.oneof_count);
    for (auto item : object) {
      od::field entry;
      std::string_view key;
      if (std::move(item).get(entry) || entry.unescaped_key().get(key)) return false;
      const Field* field = message.FindField(key);
      od::value value = entry.value();
      if (field == nullptr) {
        if (options_.unknown_fields == UnknownFields::kReject) return false;
        continue;
      }
      // Whatever needs a closer look: the one-pass parser starts over.
      if (seen[field->index]) return false;
      seen[field->index] = true;
      if (!WriteField(value, message, *field, seen, depth)) return false;
    }
    return true;
  }

 private:
  void Put(const Tag& tag) { out_.Append({tag.bytes.data(), tag.size}); }

  void PutNumber(uint64_t value) {
    out_.SetSize(static_cast<size_t>(PutVarint(out_.Reserve(16), value) - out_.data()));
  }

  // Puts the length of what stands behind `start` before it.
  void PutLength(size_t start) {
    char varint[16];
    const size_t size = out_.size() - start;
    const size_t width = static_cast<size_t>(PutVarint(varint, size) - varint);
    out_.Reserve(width);
    std::memmove(out_.data() + start + width, out_.data() + start, size);
    std::memcpy(out_.data() + start, varint, width);
    out_.SetSize(start + width + size);
  }

  bool WriteField(od::value value, const Message& message, const Field& field,
                  std::vector<bool>& seen, int depth) {
    od::json_type type;
    if (value.type().get(type)) return false;
    const bool null_value = field.enum_type != nullptr && field.enum_type->null_value;
    if (field.oneof >= 0 && (type != od::json_type::null || null_value)) {
      const size_t at = message.fields.size() + static_cast<size_t>(field.oneof);
      if (seen[at]) return false;
      seen[at] = true;
    }
    if (!field.map && field.repeated && type == od::json_type::array) {
      od::array array;
      return !value.get_array().get(array) && WriteList(array, field, depth);
    }
    if (!field.repeated && type == od::json_type::object && field.type == Type::kMessage &&
        field.message->well_known == WellKnown::kNone) {
      return WriteMessage(value, field, depth);
    }
    if (!field.repeated && type == od::json_type::string && field.type == Type::kString) {
      return WriteString(value, field);
    }
    std::string_view text;
    if (value.raw_json().get(text)) return false;
    return WriteText(text, message, field, depth);
  }

  // The one-pass parser's part. `text` is the value of the field.
  bool WriteText(std::string_view text, const Message& message, const Field& field, int depth) {
    const Field* const body[] = {&field};
    ParsePart part;
    part.append = true;
    part.body = body;
    ParseOptions options = options_;
    options.parser = Parser::kOnePass;
    options.syntax = Syntax::kRfc8259;
    options.depth = depth - 1;
    return JsonPartToProto(message, text, part, out_, options).ok();
  }

  bool WriteMessage(od::value value, const Field& field, int depth) {
    od::object object;
    if (value.get_object().get(object)) return false;
    Put(field.tag);
    const size_t start = out_.size();
    if (!WriteObject(object, *field.message, depth - 1)) return false;
    PutLength(start);
    return true;
  }

  bool WriteString(od::value value, const Field& field) {
    std::string_view text;
    if (value.get_string().get(text)) return false;
    const bool reject = options_.duplicate_keys == DuplicateKeys::kReject;
    if (text.empty() && reject && !field.repeated && !field.write_zero) return true;
    Put(field.tag);
    PutNumber(text.size());
    out_.Append(text);
    return true;
  }

  bool WriteList(od::array array, const Field& field, int depth) {
    if (depth <= 1) return false;
    if (!field.packed) {
      for (auto item : array) {
        od::value value;
        od::json_type type;
        if (std::move(item).get(value) || value.type().get(type)) return false;
        if (type == od::json_type::string && field.type == Type::kString) {
          if (!WriteString(value, field)) return false;
        } else if (type == od::json_type::object && field.type == Type::kMessage &&
                   field.message->well_known == WellKnown::kNone) {
          if (!WriteMessage(value, field, depth - 1)) return false;
        } else {
          return false;
        }
      }
      return true;
    }
    Put(field.packed_tag);
    const size_t start = out_.size();
    for (auto item : array) {
      od::value value;
      if (std::move(item).get(value) || !WriteNumber(value, field.type)) return false;
    }
    if (out_.size() == start) {
      out_.SetSize(start - field.packed_tag.size);
    } else {
      PutLength(start);
    }
    return true;
  }

  bool WriteNumber(od::value value, Type type) {
    int64_t number = 0;
    double real = 0;
    od::json_type kind;
    if (value.type().get(kind)) return false;
    const bool quoted = kind == od::json_type::string;
    switch (type) {
      case Type::kDouble:
        if (quoted ? value.get_double_in_string().get(real) : value.get_double().get(real)) {
          return false;
        }
        out_.Append({reinterpret_cast<const char*>(&real), sizeof real});
        return true;
      case Type::kInt32:
      case Type::kInt64:
        if (quoted ? value.get_int64_in_string().get(number) : value.get_int64().get(number)) {
          return false;
        }
        if (type == Type::kInt32 && number != static_cast<int32_t>(number)) return false;
        PutNumber(static_cast<uint64_t>(number));
        return true;
      default:
        return false;
    }
  }

  Buffer& out_;
  const ParseOptions& options_;
};

}  // namespace

bool ParseOnDemand(ParseJob& job) {
  if (job.type->well_known != WellKnown::kNone) return false;
  simdjson::padded_string text(job.value, static_cast<size_t>(job.end - job.value));
  od::parser parser;
  od::document document;
  od::object object;
  if (parser.iterate(text).get(document) || document.get_object().get(object)) return false;
  Walker walker(*job.out, *job.options);
  return walker.WriteObject(object, *job.type, job.options->depth) && document.at_end();
}

}  // namespace transcode
