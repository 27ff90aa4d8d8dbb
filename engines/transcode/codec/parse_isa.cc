// The parser, compiled once for each ISA. See isa.h for what its headers may not do.

#include "codec/message_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

State MakeState(ParseJob& job) {
  State s;
  Buffer& out = *job.out;
  out.Reserve(0);
  s.end = job.end;
  s.base = out.data();
  s.limit = out.data() + out.capacity();
  s.depth = Min(job.options->depth, ParseOptions::kMaxDepth);
  s.skip_zeros = job.options->duplicate_keys == DuplicateKeys::kReject;
  s.lenient = job.lenient;
  s.plain_text = false;
  s.defer_all = job.options->lengths == Lengths::kTwoPass;
  s.extra = 0;
  s.options = job.options;
  s.job = &job;
  s.watching = 0;
  s.watch_level = 0;
  return s;
}

// The watched paths that begin with the body's path; those that the body as a whole sets are
// noted in `whole`.
void WatchBody(State& s, uint64_t* whole) {
  const ParseJob& job = *s.job;
  const Message* const parsed =
      job.body.empty() ? job.type : job.body.data()[job.body.size() - 1]->message;
  for (size_t i = 0; i < job.watched.size(); ++i) {
    WatchedPath& path = job.watched.data()[i];
    const size_t common = Min(path.fields.size(), job.body.size());
    size_t same = 0;
    while (same < common && path.fields.data()[same] == job.body.data()[same]) ++same;
    const bool goes_on = path.fields.size() > job.body.size();
    if (same < common) {
      path.excluded = SameOneof(*path.fields.data()[same], *job.body.data()[same]);
      if (!path.excluded) continue;
    } else {
      path.excluded = goes_on && parsed->well_known != WellKnown::kNone;
    }
    (goes_on && !path.excluded ? s.watching : *whole) |= uint64_t{1} << i;
  }
  s.watch_level = job.body.size();
}

// The value of the field that job.body leads to, wrapped in the messages on the way.
Cursor ParseBody(State& s, Cursor c, size_t level) {
  const Field& field = *s.job->body.data()[level];
  c.o = Room(s, c.o);
  if (level + 1 == s.job->body.size()) {
    if (IsWord(s, c.p, "null", 4) && (field.repeated || !TakesNull(field))) {
      return {c.p + 4, c.o};
    }
    c = ParseField(s, c, field);
    return c.p == nullptr ? UnwindField(s, field) : c;
  }
  char* o = WriteTag(c.o, field.tag);
  const OpenLength open = Open(s, o);
  c = ParseBody(s, {c.p, o}, level + 1);
  if (c.p == nullptr) return UnwindField(s, field);
  return {c.p, Close(s, c.o, open)};
}

// One value of `field` from plain text: its tag and content.
Cursor ParseTextField(State& s, Cursor c, const Field& field, const Text& text) {
  c.o = WriteTag(Room(s, c.o, text.size + 2 * kSlack), field.tag);
  const Text moved{text.data, text.size, text.after, c.o};
  const std::string_view view = text.view();
  Wrote wrote;
  switch (field.type) {
    case Type::kDouble:
    case Type::kFloat:
      return ParseRealText(s, moved, text.data, field, wrote);
    case Type::kEnum:
      return ParseEnumText(s, moved, text.data, field, wrote);
    case Type::kBool: {
      const int value = BoolOfText(s, view);
      if (value < 0) return FailType(s, text.data, field);
      *c.o = static_cast<char>(value);
      return {text.after, c.o + 1};
    }
    case Type::kString:
      if (!ValidUtf8(s, text.data, text.size)) return FailUtf8(s, text.data);
      c.o = WriteVarint(c.o, text.size);
      std::memcpy(c.o, text.data, text.size);
      return {text.after, c.o + text.size};
    case Type::kBytes:
      return WriteBase64(s, {text.after, c.o}, text.data, text.size, field, text.data);
    case Type::kGroup:
    case Type::kMessage:
      break;
    default:
      return ParseIntegerText(s, moved, text.data, field, wrote);
  }
  const WellKnown kind = field.message->well_known;
  const OpenLength open = Open(s, c.o);
  if (IsWrapper(kind)) {
    c = ParseTextField(s, c, field.message->fields.data()[0], text);
  } else if (kind == WellKnown::kTimestamp || kind == WellKnown::kDuration ||
             kind == WellKnown::kFieldMask) {
    if (!ValidUtf8(s, text.data, text.size)) return FailUtf8(s, text.data);
    c = WriteTextForm(s, {text.after, c.o}, view, kind, text.data);
  } else {
    return Fail(s, text.data, "the field is a message without a text form");
  }
  return c.p == nullptr ? c : Cursor{c.p, Close(s, Room(s, c.o), open)};
}

}  // namespace

// Appends the job's whole text as a value of the field job.body[0].
bool ParseText(ParseJob& job) {
  State s = MakeState(job);
  s.plain_text = true;
  const Text text{job.begin, static_cast<size_t>(job.end - job.begin), job.end, nullptr};
  const Cursor c =
      ParseTextField(s, {job.begin, s.base + job.out->size()}, *job.body.data()[0], text);
  if (c.p == nullptr) return false;
  job.out->SetSize(static_cast<size_t>(c.o - s.base));
  return true;
}

PlainCopy CopyPlain(const char* from, size_t size, char* to) {
  const char* p = from;
  const char* const end = from + size;
  uint64_t non_ascii = 0;
  constexpr ptrdiff_t kFour = 4 * kBlock;
  while (end - p >= kFour) {
    const StringMasks masks = CopyFourBlocks(p, to);
    if (masks.stops != 0) break;
    non_ascii |= masks.non_ascii;
    p += kFour;
    to += kFour;
  }
  while (p != end) {
    const StringMasks masks = CopyUpTo(p, end, to);
    if (masks.stops != 0) {
      const int n = std::countr_zero(masks.stops);
      p += n;
      non_ascii |= masks.non_ascii & Below(n);
      break;
    }
    non_ascii |= masks.non_ascii;
    p += kBlock;
    to += kBlock;
  }
  return {static_cast<size_t>(p - from), non_ascii != 0};
}

// Parses the job's value to the end of its buffer. The buffer's size is as before on a failure.
bool ParseJson(ParseJob& job) {
  State s = MakeState(job);
  uint64_t whole = 0;
  if (!job.watched.empty()) WatchBody(s, &whole);
  const char* const start = SkipSpace(s, job.value);
  Cursor c{start, Room(s, s.base + job.out->size())};
  const WellKnown kind = job.type->well_known;
  if (job.lenient && job.body.empty() && IsWord(s, start, "null", 4) && kind != WellKnown::kNone &&
      kind != WellKnown::kEmpty && kind != WellKnown::kValue) {
    c.p += 4;
  } else {
    c = job.body.empty() ? ParseMessage(s, c, *job.type) : ParseBody(s, c, 0);
  }
  if (c.p == nullptr) return false;
  job.value = c.p;
  if (whole != 0 && *start != 'n') Watch::Leave(s, whole, start, c.p);
  if (!job.prefix) {
    const char* const rest = SkipSpace(s, c.p);
    if (rest != s.end) {
      FailSyntax(s, rest, "the end of the text");
      return false;
    }
  }
  job.out->SetSize(static_cast<size_t>(c.o - s.base));
  return true;
}

}  // namespace transcode::TRANSCODE_ISA
