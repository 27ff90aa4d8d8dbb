#include "http/bindings.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <utility>

#include "codec/proto_to_json.h"
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

// Whether the path goes on in a message that has a JSON form of its own.
bool IsPartOfWellKnown(std::span<const Field* const> fields, size_t at) {
  const Message* const message = fields[at]->message;
  return at + 1 < fields.size() && message != nullptr && message->well_known != WellKnown::kNone;
}

bool HasPartOfWellKnown(std::span<const Field* const> fields) {
  for (size_t at = 0; at < fields.size(); ++at) {
    if (IsPartOfWellKnown(fields, at)) return true;
  }
  return false;
}

// What stands behind the tag of a field; nothing for a zero, which need not be on the wire.
std::string_view PayloadOf(const Field& field, std::string_view wire) {
  if (wire.empty()) return wire;
  wire.remove_prefix(field.tag.size);
  return wire.find_first_not_of('\0') == wire.npos ? std::string_view() : wire;
}

bool AreEqual(std::span<const Field* const> a, std::span<const Field* const> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

struct Entry {
  std::string_view key, value;  // as of PayloadOf()
};

// Takes the first entry of a map off the front of what we wrote ourselves.
Entry TakeEntry(std::string_view& wire, const Field& map) {
  const auto take = [&wire](size_t size) {
    const std::string_view taken = wire.substr(0, size);
    wire.remove_prefix(taken.size());
    return taken;
  };
  const auto varint = [](std::string_view at) {
    uint64_t value = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      value |= uint64_t{static_cast<uint8_t>(at[i]) & 0x7fu} << 7 * i;
      if ((at[i] & 0x80) == 0) return std::pair(value, i + 1);
    }
    return std::pair(value, at.size());
  };
  take(map.tag.size);
  const auto [size, prefix] = varint(wire);
  take(prefix);
  const std::string_view entry = take(size);
  const Field& key = map.message->fields[0];
  size_t key_size = 0;
  if (!entry.empty() && entry[0] == key.tag.bytes[0]) {
    const auto [value, width] = varint(entry.substr(1));
    switch (entry[0] & 7) {
      case 0:
        key_size = 1 + width;
        break;
      case 1:
        key_size = 1 + 8;
        break;
      case 2:
        key_size = 1 + width + value;
        break;
      default:
        key_size = 1 + 4;
    }
  }
  return {PayloadOf(key, entry.substr(0, key_size)),
          PayloadOf(map.message->fields[1], entry.substr(key_size))};
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
  keys_.Clear();
  united_ = false;
}

std::span<const Field* const> Bindings::FieldsOf(const Item& item) const {
  return {fields_.data() + item.begin, item.size};
}

// Whether both set one singular field or entry, or two fields that cannot both be set. Paths
// through one repeated message go to one element.
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
  const Field& last = *left[common - 1];
  if (last.map) return KeyOf(a) == KeyOf(b) ? Overlap::kSame : Overlap::kNone;
  if (last.repeated) return Overlap::kNone;
  return left.size() == right.size() ? Overlap::kSame : Overlap::kExcludes;
}

// The part of the item's path that the body must leave alone. A list is added to: of a path to one
// only what leads to the last member of a oneof, or into a well-known type.
std::span<const Field* const> Bindings::WatchedOf(const Item& item, Conflicts conflicts) const {
  const std::span<const Field* const> fields = FieldsOf(item);
  // What stands last on the wire wins, unless messages merge.
  if (conflicts == Conflicts::kPathWins && !fields.back()->is_message()) return {};
  if (!item.in_list && (!item.in_map || conflicts != Conflicts::kPathWins)) return fields;
  size_t size = 0;
  for (size_t i = 0; i < fields.size() && !fields[i]->repeated; ++i) {
    if (fields[i]->oneof != Field::kNoOneof) size = i + 1;
    if (IsPartOfWellKnown(fields, i)) size = i + 2;
  }
  return fields.first(size);
}

// The error of a text that stands in a URL.
Error Bindings::Misplaced(Error error, const Item& item) const {
  error.path = Join(FieldsOf(item));
  error.offset = Error::kNoOffset;
  return error;
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
  item.in_part = HasPartOfWellKnown(fields);
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
    item.in_map = true;
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
    item.in_list |= field->repeated && !field->map;
    if (dot == rest.npos) break;
    at = field->map ? nullptr : field->message;
    rest.remove_prefix(dot + 1);
  }
  item.size = static_cast<uint32_t>(fields_.size()) - item.begin;
  item.in_part = HasPartOfWellKnown(FieldsOf(item));
  if (fields_.back()->map != item.in_map) {
    return fail(item.in_map ? "only a map has keys" : "an entry of a map is written map[key]");
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

// Two texts may be one key.
Result<> Bindings::EncodeKeys(const BindingOptions& options) {
  for (Item& item : items_) {
    if (!item.in_map) continue;
    const Field& key = FieldsOf(item).back()->message->fields[0];
    leaf_.Clear();
    Result<> done = TextToProto(key, item.key, leaf_, options.parse);
    if (!done.ok()) return Misplaced(std::move(done).error(), item);
    const std::string_view payload = PayloadOf(key, leaf_.view());
    item.key_begin = static_cast<uint32_t>(keys_.size());
    item.key_size = static_cast<uint32_t>(payload.size());
    keys_.Append(payload);
  }
  return {};
}

// Of each entry of a map the one before it with the same key.
void Bindings::FindSameKeys() {
  order_.clear();
  for (uint32_t at = 0; at < items_.size(); ++at) {
    if (items_[at].in_map) order_.push_back(at);
  }
  if (order_.size() < 2) return;
  const auto less = [this](uint32_t a, uint32_t b) {
    const std::span<const Field*const> left = FieldsOf(items_[a]), right = FieldsOf(items_[b]);
    if (!AreEqual(left, right)) {
      return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                          std::less<const Field*>());
    }
    return KeyOf(items_[a]) < KeyOf(items_[b]);
  };
  std::stable_sort(order_.begin(), order_.end(), less);
  for (size_t i = 1; i < order_.size(); ++i) {
    if (!less(order_[i - 1], order_[i])) items_[order_[i]].same_key = order_[i - 1];
  }
}

// Drops the one of two that loses.
Result<> Bindings::Settle(Item& a, Item& b, Overlap overlap, const BindingOptions& options) {
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
  return {};
}

// Settles path against query, once.
Result<> Bindings::Unite(const BindingOptions& options) {
  if (united_) return {};
  united_ = true;
  if (Result<> done = EncodeKeys(options); !done.ok()) return done;
  constexpr size_t kFew = 32;
  if (items_.size() > kFew) return UniteMany(options);
  for (size_t later = 1; later < items_.size(); ++later) {
    Item& b = items_[later];
    for (size_t earlier = 0; earlier < later && !b.dropped; ++earlier) {
      Item& a = items_[earlier];
      if (a.dropped) continue;
      const Overlap overlap = OverlapOf(a, b);
      if (overlap == Overlap::kNone) continue;
      if (Result<> done = Settle(a, b, overlap, options); !done.ok()) return done;
    }
  }
  return {};
}

// The same in less than quadratic time. A query may have a thousand elements of one list or entries
// of one map: none overlaps another but by its key, and for the others the first stands for all.
Result<> Bindings::UniteMany(const BindingOptions& options) {
  FindSameKeys();
  const auto same_fields = [this](const Item& a, const Item& b) {
    return AreEqual(FieldsOf(a), FieldsOf(b));
  };
  order_.clear();  // the first ones
  for (size_t later = 0; later < items_.size(); ++later) {
    Item& b = items_[later];
    const bool many = FieldsOf(b).back()->repeated;
    bool stood_for = false;
    for (const uint32_t earlier : order_) {
      Item& a = items_[earlier];
      if (a.dropped) continue;
      if (many && same_fields(a, b)) {
        stood_for = true;
        continue;
      }
      const Overlap overlap = OverlapOf(a, b);
      if (overlap == Overlap::kNone) continue;
      if (Result<> done = Settle(a, b, overlap, options); !done.ok()) return done;
      if (b.dropped) break;
      if (!FieldsOf(a).back()->repeated) continue;
      for (size_t other = earlier + 1; other < later; ++other) {
        if (same_fields(a, items_[other])) items_[other].dropped = true;
      }
    }
    // Of those with the same key all but one are dropped: this one, or the first.
    uint32_t same = b.same_key;
    if (same != kNone && items_[same].dropped) same = b.same_key = items_[same].same_key;
    if (same != kNone && !items_[same].dropped && !b.dropped) {
      Result<> done = Settle(items_[same], b, Overlap::kSame, options);
      if (!done.ok()) return done;
    }
    if (!stood_for && !b.dropped) order_.push_back(static_cast<uint32_t>(later));
  }
  return {};
}

// As TextToProto, with the further words and names of URLs.
Result<> Bindings::AppendValue(const Field& field, std::string_view text, Buffer& out,
                               const BindingOptions& options) {
  const WellKnown kind = field.message == nullptr ? WellKnown::kNone : field.message->well_known;
  if (field.type == Type::kBool || kind == WellKnown::kBoolValue) {
    text = BoolWord(text);
  } else if (kind == WellKnown::kFieldMask) {
    MaskToCamelCase(text, mask_);
    text = mask_.view();
  }
  return TextToProto(field, text, out, options.parse);
}

Result<> Bindings::AppendLeaf(const Item& item, Buffer& out, const BindingOptions& options) {
  const Field& field = *FieldsOf(item).back();
  const size_t start = out.size();
  Result<> done;
  if (item.in_map) {
    AppendTag(field.tag, out);
    const size_t entry = out.size();
    done = TextToProto(field.message->fields[0], item.key, out, options.parse);
    if (done.ok()) done = AppendValue(field.message->fields[1], item.value, out, options);
    if (done.ok()) InsertLength(entry, out);
  } else {
    done = AppendValue(field, item.value, out, options);
  }
  if (done.ok()) return done;
  out.SetSize(start);
  return Misplaced(std::move(done).error(), item);
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
  for (size_t at = 0; at < items_.size(); ++at) {
    const Item& item = items_[at];
    if (!item.in_part || item.dropped || item.skipped) continue;
    if (Result<> done = CheckPart(at, options); !done.ok()) {
      out.SetSize(start);
      return done;
    }
  }
  return {};
}

// The parts of a well-known type must make a value that has a JSON form, as the whole has.
Result<> Bindings::CheckPart(size_t at, const BindingOptions& options) {
  const std::span<const Field* const> fields = FieldsOf(items_[at]);
  size_t depth = 0;
  while (!IsPartOfWellKnown(fields, depth)) ++depth;
  const auto prefix = fields.first(depth + 1);
  const auto is_part = [&](const Item& item) {
    const std::span<const Field* const> path = FieldsOf(item);
    return !item.dropped && !item.skipped && path.size() > prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), path.begin());
  };
  if (std::any_of(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(at), is_part)) {
    return {};  // checked with that one
  }
  for (Item& item : items_) item.written = !is_part(item);
  left_.Clear();
  for (size_t i = at; i < items_.size(); ++i) {
    if (items_[i].written) continue;
    if (Result<> done = AppendItem(i, depth + 1, left_, options); !done.ok()) return done;
  }
  const Message& message = *prefix.back()->message;
  Result<> printed = ProtoToJson(message, left_.view(), right_);
  if (printed.ok()) return printed;
  return Misplaced(
      Invalid("the parts are no " + std::string(message.full_name) + ": " + printed.error().message,
              ""),
      items_[at]);
}

// What the body has of the field or entry that the item sets.
Result<Bindings::InBody> Bindings::FindInBody(const Message& message, std::string_view json,
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
  const Field& field = *watched.fields.back();
  std::string_view body = Unwrap(left_.view(), watched.fields.size() - 1);
  if (!item.in_map) {
    const bool same = PayloadOf(field, body) == PayloadOf(field, right_.view());
    return same ? InBody::kSame : InBody::kOther;
  }
  std::string_view leaf = right_.view();
  const Entry bound = TakeEntry(leaf, field);
  InBody found = InBody::kNothing;
  while (!body.empty()) {
    const Entry entry = TakeEntry(body, field);
    if (entry.key == bound.key) found = entry.value == bound.value ? InBody::kSame : InBody::kOther;
  }
  return found;
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
    const bool whole = watched.fields.size() == item.size;
    if (!watched.seen || (!watched.excluded && (item.in_list || !whole))) continue;
    Result<InBody> found = InBody::kOther;
    if (!watched.excluded && (item.in_map || options.conflicts != Conflicts::kBodyWins)) {
      found = FindInBody(message, json, watched, item, options);
    }
    if (found.ok() && *found == InBody::kNothing) continue;
    if (found.ok() && (*found == InBody::kSame || options.conflicts == Conflicts::kBodyWins)) {
      item.skipped = true;
      continue;
    }
    if (!found.ok() || options.conflicts == Conflicts::kReject) {
      out.SetSize(start);
      if (!found.ok()) return found.error();
      return Conflict(item, watched.excluded ? Overlap::kExcludes : Overlap::kSame);
    }
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
