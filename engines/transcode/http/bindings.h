#pragma once

// Values from the path and the query of a request, to be written into its message.
//
// Each value is appended to the wire form of the body: on the wire the last value of a singular
// field wins, messages are merged and lists are joined. Values are text and are read like text in
// JSON strings (see TextToProto), and two more ways: bools are also t yes y 1 f no n 0, in any
// case, and the paths of a FieldMask may have the names of the .proto file.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "codec/json_to_proto.h"
#include "codec/options.h"
#include "schema/schema.h"

namespace transcode {

// A singular field or an entry of a map that gets different values from several of path, query and
// body, or two members of one oneof, or a well-known type both as a whole and in part.
enum class Conflicts : uint8_t {
  kReject,    // INVALID_ARGUMENT "BINDING_CONFLICT"; equal values are fine
  kPathWins,  // path before query before body
  kBodyWins,  // body before query before path, as in the library with the published benchmark
};

enum class UnknownQuery : uint8_t {
  kReject,  // INVALID_ARGUMENT
  kIgnore,
};

struct BindingOptions {
  Conflicts conflicts = Conflicts::kReject;
  UnknownQuery unknown_query = UnknownQuery::kReject;
  std::vector<std::string> ignored_query;  // names that are never fields, such as "api_key"
  bool plus_is_space = false;              // in the query
  size_t max_query = 1000;                 // parameters; more are RESOURCE_EXHAUSTED
  ParseOptions parse;                      // enums, base64, unknown fields...
};

// Bindings of one request; reused between requests. Values and names are views that the caller
// keeps until the message is written.
class Bindings {
 public:
  void Clear();
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }

  // A value from the path of the request, for a singular field that is not a plain message.
  void AddPath(std::span<const Field* const> fields, std::string_view value);

  // A value by the name of the field: "shelf.name", or "labels[key]" for an entry of a map.
  // Names are those of the .proto file or of JSON. A path through a repeated message means one new
  // element, to which all its values go.
  // Errors: INVALID_ARGUMENT for a name that is no such path.
  Result<> Add(const Message& message, std::string_view name, std::string_view value);

  // All parameters of a query string.
  Result<> AddQuery(const Message& message, std::string_view query, const BindingOptions& options);

  // Appends the message that the JSON text holds, and the bindings. `part` says which part of the
  // text (its `watched` is not used). After an error, or when it is incomplete, `out` is as before.
  // Errors: those of JsonPartToProto and TextToProto; INVALID_ARGUMENT for conflicts;
  // RESOURCE_EXHAUSTED for more than 64 singular fields beside a body.
  Result<Parsed> Write(const Message& message, std::string_view json, const ParsePart& part,
                       Buffer& out, const BindingOptions& options);

  // Appends the bindings alone.
  Result<> Append(Buffer& out, const BindingOptions& options);

  // Whether some path starts with these fields and goes on.
  bool AnyUnder(std::span<const Field* const> prefix) const;

 private:
  static constexpr uint32_t kNone = static_cast<uint32_t>(-1);
  enum class Source : uint8_t { kPath, kQuery };
  struct Item {
    uint32_t begin = 0;  // of fields_
    uint32_t size = 0;
    Source source = Source::kQuery;
    bool in_list = false;  // some field of the path is repeated
    bool in_map = false;   // its last field is a map
    bool in_part = false;  // goes through a well-known type
    bool dropped = false;  // lost against path or query
    bool skipped = false;  // lost against this body, or is the same
    bool written = false;
    uint32_t key_begin = 0;  // of keys_: the wire form of `key`
    uint32_t key_size = 0;
    uint32_t same_key = kNone;  // an earlier item with the same fields and key
    std::string_view key;       // of a map entry
    std::string_view value;
  };

  std::span<const Field* const> FieldsOf(const Item& item) const;
  enum class Overlap : uint8_t { kNone, kSame, kExcludes };
  enum class InBody : uint8_t { kNothing, kSame, kOther };
  Overlap OverlapOf(const Item& a, const Item& b) const;
  std::span<const Field* const> WatchedOf(const Item& item, Conflicts conflicts) const;
  Error Conflict(const Item& item, Overlap overlap) const;
  Error Misplaced(Error error, const Item& item) const;
  Result<> Resolve(const Message& message, std::string_view name, Item& item);
  void FindSameKeys();
  Result<> Settle(Item& a, Item& b, Overlap overlap, const BindingOptions& options);
  Result<> Unite(const BindingOptions& options);
  Result<> UniteMany(const BindingOptions& options);
  Result<> AppendItem(size_t at, size_t depth, Buffer& out, const BindingOptions& options);
  Result<> AppendValue(const Field& field, std::string_view text, Buffer& out,
                       const BindingOptions& options);
  Result<> AppendLeaf(const Item& item, Buffer& out, const BindingOptions& options);
  Result<> AppendAll(Buffer& out, const BindingOptions& options);
  Result<> EncodeKeys(const BindingOptions& options);
  std::string_view KeyOf(const Item& item) const {
    return keys_.view().substr(item.key_begin, item.key_size);
  }
  Result<> CheckPart(size_t at, const BindingOptions& options);
  Result<InBody> FindInBody(const Message& message, std::string_view json,
                            const WatchedPath& watched, const Item& item,
                            const BindingOptions& options);

  std::vector<Item> items_;
  std::vector<const Field*> fields_;
  std::vector<WatchedPath> watched_;
  std::vector<uint32_t> watched_items_;
  std::vector<uint32_t> order_;
  Buffer decoded_;
  Buffer leaf_, left_, right_, mask_, keys_;
  bool united_ = false;
};

}  // namespace transcode
