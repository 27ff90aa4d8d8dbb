#include "http/bindings.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "http/percent.h"
#include "http/query.h"

namespace transcode {
namespace {

constexpr size_t kMaxPath = 100;    // fields of a path
constexpr size_t kMaxWatched = 64;  // of JsonPartToProto

void AppendTag(const Tag& tag, Buffer& out) { out.Append({tag.bytes.data(), tag.size}); }

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void AppendVarint(uint64_t value, Buffer& out) {
  for (; value >= 0x80; value >>= 7) out.Append(static_cast<char>(value | 0x80));
  out.Append(static_cast<char>(value));
}

// Puts the length of what lies behind `start` in front of it.
void InsertLength(size_t start, Buffer& out) {
  const size_t size = out.size() - start;
  const size_t extra = VarintSize(size);
  out.Reserve(extra);
  std::memmove(out.data() + start + extra, out.data() + start, size);
  out.SetSize(start);
  AppendVarint(size, out);
  out.SetSize(start + extra + size);
}

std::string Join(std::span<const Field* const> fields) {
  std::string text;
  for (const Field* field : fields) {
    if (!text.empty()) text += '.';
    text += field->name;
  }
  return text;
}

// What the message of a path holds of its leaf (tag included): `levels` messages are opened.
std::string_view Unwrap(std::string_view wire, size_t levels) {
  for (; levels > 0 && !wire.empty(); --levels) {
    while (!wire.empty() && (wire[0] & 0x80) != 0) wire.remove_prefix(1);  // tag
    if (!wire.empty()) wire.remove_prefix(1);
    while (!wire.empty() && (wire[0] & 0x80) != 0) wire.remove_prefix(1);  // length
    if (!wire.empty()) wire.remove_prefix(1);
  }
  return wire;
}

bool EqualFold(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(),
                                                   [](char a, char b) { return (a | 0x20) == b; });
}

// URLs have more words for a bool than JSON: true t yes y 1, false f no n 0 in any case.
std::string_view BoolWord(std::string_view text) {
  for (const std::string_view word : {"true", "t", "yes", "y"}) {
    if (EqualFold(text, word)) return "true";
  }
  for (const std::string_view word : {"false", "f", "no", "n"}) {
    if (EqualFold(text, word)) return "false";
  }
  return text == "1" ? "true" : text == "0" ? "false" : text;
}

// The paths of a mask as in JSON, as URLs often have them as in the .proto file: foo_bar, fooBar.
void MaskToCamelCase(std::string_view text, Buffer& out) {
  out.Clear();
  for (size_t i = 0; i < text.size(); ++i) {
    const bool joins =
        text[i] == '_' && i + 1 < text.size() && text[i + 1] >= 'a' && text[i + 1] <= 'z';
    out.Append(joins ? static_cast<char>(text[++i] & ~0x20) : text[i]);
  }
}

Error Invalid(std::string message, std::string path) {
  Error error = MakeError(Code::kInvalidArgument, std::move(message));
  error.path = std::move(path);
  return error;
}

}  // namespace

void Bindings::Clear() {
  items_.clear();
  fields_.clear();
  decoded_.Clear();
  united_ = false;
}

std::span<const Field* const> Bindings::FieldsOf(const Item& item) const {
  return {fields_.data() + item.begin, item.size};
}

// Whether both set one singular field, or two that cannot both be set.
Bindings::Overlap Bindings::OverlapOf(const Item& a, const Item& b) const {
  const std::span<const Field*const> left = FieldsOf(a), right = FieldsOf(b);
  const size_t common = std::min(left.size(), right.size());
  size_t same = 0;
  while (same < common && left[same] == right[same]) ++same;
  if (same < common) {
    const int32_t oneof = left[same]->oneof;
    const bool excludes = oneof != Field::kNoOneof && oneof == right[same]->oneof;
    return excludes ? Overlap::kExcludes : Overlap::kNone;
  }
  if (left.size() == right.size()) return a.in_list ? Overlap::kNone : Overlap::kSame;
  return (left.size() == common ? a : b).in_list ? Overlap::kNone : Overlap::kExcludes;
}

// The part of the item's path that the body must leave alone. A list is added to: of a path to one
// only what leads to the last member of a oneof.
std::span<const Field* const> Bindings::WatchedOf(const Item& item, Conflicts conflicts) const {
  const std::span<const Field* const> fields = FieldsOf(item);
  // What stands last on the wire wins, unless messages merge.
  if (conflicts == Conflicts::kPathWins && !fields.back()->is_message()) return {};
  if (!item.in_list) return fields;
  size_t size = 0;
  for (size_t i = 0; i < fields.size() && !fields[i]->repeated; ++i) {
    if (fields[i]->oneof != Field::kNoOneof) size = i + 1;
  }
  return fields.first(size);
}

Error Bindings::Conflict(const Item& item, Overlap overlap) const {
  const std::string path = Join(FieldsOf(item));
  Error error = Invalid(
      overlap == Overlap::kSame
          ? "BINDING_CONFLICT: the request gives field \"" + path + "\" two different values"
          : "BINDING_CONFLICT: the request sets field \"" + path +
                "\" and another one that excludes it",
      path);
  error.got = item.value.substr(0, 40);
  return error;
}

void Bindings::AddPath(std::span<const Field* const> fields, std::string_view value) {
  Item item;
  item.begin = static_cast<uint32_t>(fields_.size());
  item.size = static_cast<uint32_t>(fields.size());
  item.source = Source::kPath;
  item.value = value;
  fields_.insert(fields_.end(), fields.begin(), fields.end());
  items_.push_back(item);
}

Result<> Bindings::Resolve(const Message& message, std::string_view name, Item& item) {
  std::string_view path = name;
  item.begin = static_cast<uint32_t>(fields_.size());
  if (const size_t open = name.find('['); open != name.npos && name.back() == ']') {
    path = name.substr(0, open);
    item.key = name.substr(open + 1, name.size() - open - 2);
    item.keyed = true;
  }
  const Message* at = &message;
  const auto fail = [&](std::string what) {
    fields_.resize(item.begin);
    return Invalid(std::move(what), std::string(name.substr(0, 100)));
  };
  for (std::string_view rest = path;;) {
    const size_t dot = rest.find('.');
    const std::string_view step = rest.substr(0, dot);
    if (at == nullptr) {
      return fail("field \"" + std::string(fields_.back()->name) + "\" has no fields");
    }
    const Field* field = at->FindField(step);
    if (field == nullptr) {
      return fail("no field \"" + std::string(step.substr(0, 100)) + "\" in " +
                  std::string(at->full_name));
    }
    if (fields_.size() - item.begin == kMaxPath) return fail("too long a field path");
    fields_.push_back(field);
    item.in_list |= field->repeated;
    if (dot == rest.npos) break;
    at = field->map ? nullptr : field->message;
    rest.remove_prefix(dot + 1);
  }
  item.size = static_cast<uint32_t>(fields_.size()) - item.begin;
  if (fields_.back()->map != item.keyed) {
    return fail(item.keyed ? "only a map has keys" : "an entry of a map is written map[key]");
  }
  return {};
}

Result<> Bindings::Add(const Message& message, std::string_view name, std::string_view value) {
  Item item;
  if (Result<> resolved = Resolve(message, name, item); !resolved.ok()) return resolved;
  item.value = value;
  items_.push_back(item);
  return {};
}

Result<> Bindings::AddQuery(const Message& message, std::string_view query,
                            const BindingOptions& options) {
  if (query.empty()) return {};
  decoded_.Reserve(query.size());
  size_t count = 0;
  for (QueryParameter parameter; NextParameter(query, parameter);) {
    if (++count > options.max_query) {
      return MakeError(Code::kResourceExhausted, "too many query parameters");
    }
    const bool plus = options.plus_is_space;
    const std::string_view name = PercentDecode(parameter.name, Unescape::kAll, plus, decoded_);
    const std::string_view value = PercentDecode(parameter.value, Unescape::kAll, plus, decoded_);
    const auto& ignored = options.ignored_query;
    if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
    Result<> added = Add(message, name, value);
    if (!added.ok() && options.unknown_query == UnknownQuery::kReject) return added;
  }
  return {};
}

// Settles path against query, once.
Result<> Bindings::Unite(const BindingOptions& options) {
  if (united_) return {};
  united_ = true;
  for (size_t later = 1; later < items_.size(); ++later) {
    Item& b = items_[later];
    for (size_t earlier = 0; earlier < later; ++earlier) {
      Item& a = items_[earlier];
      if (a.dropped) continue;
      const Overlap overlap = OverlapOf(a, b);
      if (overlap == Overlap::kNone) continue;
      const bool path_first = a.source == Source::kPath && b.source == Source::kQuery;
      if (options.conflicts == Conflicts::kReject) {
        if (overlap == Overlap::kExcludes) return Conflict(b, overlap);
        if (a.value != b.value) {
          left_.Clear();
          right_.Clear();
          if (Result<> done = AppendLeaf(a, left_, options); !done.ok()) return done;
          if (Result<> done = AppendLeaf(b, right_, options); !done.ok()) return done;
          if (left_.view() != right_.view()) return Conflict(b, overlap);
        }
        b.dropped = true;
      } else if (options.conflicts == Conflicts::kPathWins && path_first) {
        b.dropped = true;
      } else {
        a.dropped = true;
      }
      if (b.dropped) break;
    }
  }
  return {};
}

Result<> Bindings::AppendLeaf(const Item& item, Buffer& out, const BindingOptions& options) {
  const std::span<const Field* const> fields = FieldsOf(item);
  const Field& field = *fields.back();
  const size_t start = out.size();
  Result<> done;
  if (item.keyed) {
    AppendTag(field.tag, out);
    const size_t entry = out.size();
    done = TextToProto(field.message->fields[0], item.key, out, options.parse);
    if (done.ok()) done = TextToProto(field.message->fields[1], item.value, out, options.parse);
    if (done.ok()) InsertLength(entry, out);
  } else {
    const WellKnown kind = field.message == nullptr ? WellKnown::kNone : field.message->well_known;
    std::string_view text = item.value;
    if (field.type == Type::kBool || kind == WellKnown::kBoolValue) {
      text = BoolWord(text);
    } else if (kind == WellKnown::kFieldMask) {
      MaskToCamelCase(text, mask_);
      text = mask_.view();
    }
    done = TextToProto(field, text, out, options.parse);
  }
  if (done.ok()) return done;
  out.SetSize(start);
  Error error = std::move(done).error();
  error.path = Join(fields);
  error.offset = Error::kNoOffset;
  return error;
}

// The part of the item that lies below `depth` fields, and of later ones that share an element.
Result<> Bindings::AppendItem(size_t at, size_t depth, Buffer& out, const BindingOptions& options) {
  Item& item = items_[at];
  const std::span<const Field* const> fields = FieldsOf(item);
  if (depth + 1 == fields.size()) {
    item.written = true;
    return AppendLeaf(item, out, options);
  }
  size_t list = depth;  // the first element of a list that is on the way
  while (list + 1 < fields.size() && !fields[list]->repeated) ++list;
  if (list + 1 == fields.size()) {  // none: the lengths are known before anything is moved
    item.written = true;
    leaf_.Clear();
    if (Result<> done = AppendLeaf(item, leaf_, options); !done.ok()) return done;
    std::array<size_t, kMaxPath> sizes;
    size_t size = leaf_.size();
    for (size_t i = fields.size() - 1; i-- > depth;) {
      sizes[i] = size;
      size += fields[i]->tag.size + VarintSize(size);
    }
    out.Reserve(size);
    for (size_t i = depth; i + 1 < fields.size(); ++i) {
      AppendTag(fields[i]->tag, out);
      AppendVarint(sizes[i], out);
    }
    out.Append(leaf_.view());
    return {};
  }
  AppendTag(fields[depth]->tag, out);
  const size_t start = out.size();
  if (Result<> done = AppendItem(at, depth + 1, out, options); !done.ok()) return done;
  if (fields[depth]->repeated) {
    for (size_t other = at + 1; other < items_.size(); ++other) {
      Item& that = items_[other];
      const std::span<const Field* const> path = FieldsOf(that);
      if (that.written || that.dropped || that.skipped || path.size() <= depth + 1 ||
          !std::equal(fields.begin(), fields.begin() + static_cast<ptrdiff_t>(depth) + 1,
                      path.begin())) {
        continue;
      }
      if (Result<> done = AppendItem(other, depth + 1, out, options); !done.ok()) return done;
    }
  }
  InsertLength(start, out);
  return {};
}

Result<> Bindings::Append(Buffer& out, const BindingOptions& options) {
  if (Result<> united = Unite(options); !united.ok()) return united;
  for (Item& item : items_) item.skipped = false;
  return AppendAll(out, options);
}

Result<> Bindings::AppendAll(Buffer& out, const BindingOptions& options) {
  const size_t start = out.size();
  for (Item& item : items_) item.written = false;
  for (size_t at = 0; at < items_.size(); ++at) {
    const Item& item = items_[at];
    if (item.dropped || item.skipped || item.written) continue;
    if (Result<> done = AppendItem(at, 0, out, options); !done.ok()) {
      out.SetSize(start);
      return done;
    }
  }
  return {};
}

// Whether the body's value of a field is the binding's. A zero need not be on the wire.
Result<bool> Bindings::SameAsBody(const Message& message, std::string_view json,
                                  const WatchedPath& watched, const Item& item,
                                  const BindingOptions& options) {
  left_.Clear();
  right_.Clear();
  if (Result<> done = AppendLeaf(item, right_, options); !done.ok()) return done.error();
  ParsePart value;
  value.position = watched.begin;
  value.prefix = true;
  value.body = watched.fields;
  Result<Parsed> parsed = JsonPartToProto(message, json, value, left_, options.parse);
  if (!parsed.ok()) return parsed.error();
  const std::string_view body = Unwrap(left_.view(), watched.fields.size() - 1);
  const std::string_view bound = right_.view();
  if (body == bound) return true;
  const std::string_view payload = bound.substr(watched.fields.back()->tag.size);
  return body.empty() && payload.find_first_not_of('\0') == payload.npos;
}

Result<Parsed> Bindings::Write(const Message& message, std::string_view json, const ParsePart& part,
                               Buffer& out, const BindingOptions& options) {
  if (Result<> united = Unite(options); !united.ok()) return united.error();
  const size_t start = out.size();
  watched_.clear();
  watched_items_.clear();
  for (size_t at = 0; at < items_.size(); ++at) {
    Item& item = items_[at];
    item.skipped = false;
    if (item.dropped) continue;
    const std::span<const Field* const> fields = WatchedOf(item, options.conflicts);
    if (fields.empty()) continue;
    WatchedPath watched;
    watched.fields = fields;
    watched_.push_back(watched);
    watched_items_.push_back(static_cast<uint32_t>(at));
  }
  if (watched_.size() > kMaxWatched) {
    return MakeError(Code::kResourceExhausted, "too many parameters beside a body");
  }
  ParsePart watching = part;
  watching.append = true;
  watching.watched = watched_;
  Result<Parsed> parsed = JsonPartToProto(message, json, watching, out, options.parse);
  if (!parsed.ok() || parsed->incomplete) return parsed;
  for (size_t i = 0; i < watched_.size(); ++i) {
    const WatchedPath& watched = watched_[i];
    Item& item = items_[watched_items_[i]];
    if (!watched.seen || (item.in_list && !watched.excluded)) continue;
    if (options.conflicts == Conflicts::kBodyWins) {
      item.skipped = true;
      continue;
    }
    Result<bool> same = false;
    if (!watched.excluded) same = SameAsBody(message, json, watched, item, options);
    if (!same.ok() || (!*same && options.conflicts == Conflicts::kReject)) {
      out.SetSize(start);
      if (!same.ok()) return same.error();
      return Conflict(item, watched.excluded ? Overlap::kExcludes : Overlap::kSame);
    }
    item.skipped = *same;
    if (*same) continue;
    // The path wins over a message, which would merge: read the text again without it.
    out.SetSize(start);
    const size_t removed = watched.end - watched.begin;
    std::string without(json.substr(0, watched.begin));
    without += "null";
    without += json.substr(watched.end);
    Result<Parsed> again = Write(message, without, part, out, options);
    if (again.ok()) again->end = again->end + removed - 4;
    return again;
  }
  if (Result<> done = AppendAll(out, options); !done.ok()) {
    out.SetSize(start);
    return done.error();
  }
  return parsed;
}

bool Bindings::AnyUnder(std::span<const Field* const> prefix) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
    const std::span<const Field* const> fields = FieldsOf(item);
    return fields.size() > prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), fields.begin());
  });
}

}  // namespace transcode
