#pragma once

// The printer: its state, and the room that it writes to. What it does with each kind of thing is
// in print_scalars.h, print_lists.h, print_maps.h, print_messages.h and print_well_known.h; all of
// them are parts of print_isa.cc.
//
// Every function takes the place `p` to write at and returns the place behind the text, or null
// after a failure. Parts of an object or a list are each written with a comma before them; the
// first comma is overwritten by the bracket. Nothing is printed twice but the scalars of a message
// whose fields turn out to be out of order, so the time is linear.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "codec/doubles_out.h"
#include "codec/integers_out.h"
#include "codec/print_job.h"
#include "codec/strings_out.h"
#include "codec/wire_reader.h"

namespace transcode::TRANSCODE_ISA {
namespace {

// The wire form of a message: one piece, or several that are merged. Those after the first lie in
// the scratch words from `at` on, two words each.
struct Pieces {
  const uint8_t* s = nullptr;
  const uint8_t* end = nullptr;
  size_t more = 0;
  size_t at = 0;
};

class Printer {
 public:
  explicit Printer(PrintJob& job);

  bool Run();

 private:
  using Unset = Unpopulated;

  // --- Room: text from the start, scratch words from the end of the buffer.
  static constexpr ptrdiff_t kTail = 128;  // may be stored behind what was asked for

  [[gnu::always_inline]] inline char* Room(char* p, size_t size) {
    if (limit_ - p < static_cast<ptrdiff_t>(size) + kTail) [[unlikely]]
      return Grow(p, size);
    return p;
  }
  [[gnu::noinline]] char* Grow(char* p, size_t size);
  size_t Offset(const char* p) const { return static_cast<size_t>(p - base_); }
  uint64_t& Word(size_t i) {
    return reinterpret_cast<uint64_t*>(base_ + room_)[-1 - static_cast<ptrdiff_t>(i)];
  }
  // Makes `count` words; they hold anything. Returns the first one's number.
  size_t PushWords(char*& p, size_t count);

  // Gives back the words that were made while it lived.
  class Scratch {
   public:
    explicit Scratch(Printer& printer) : printer_(printer), words_(printer.words_) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
      printer_.limit_ += 8 * (printer_.words_ - words_);
      printer_.words_ = words_;
    }

   private:
    Printer& printer_;
    size_t words_;
  };

  void AddPiece(char*& p, Pieces& pieces, const uint8_t* s, const uint8_t* end);
  const uint8_t* PieceStart(const Pieces& pieces, size_t i) {
    return i == 0 ? pieces.s : reinterpret_cast<const uint8_t*>(Word(pieces.at + 2 * i - 2));
  }
  const uint8_t* PieceEnd(const Pieces& pieces, size_t i) {
    return i == 0 ? pieces.end : reinterpret_cast<const uint8_t*>(Word(pieces.at + 2 * i - 1));
  }
  // Calls take(number, wire type, raw, byte behind) for every record.
  template <class Take>
  [[gnu::always_inline]] inline bool ForEachRecord(const Pieces& pieces, Take take);

  // --- Failures
  [[gnu::noinline, gnu::cold]] char* Fail(PrintFailure failure, const uint8_t* at,
                                          std::string_view got = {});
  char* FailRecord(const uint8_t* at, const uint8_t* end) {
    return Fail(RecordFailure(at, end), at);
  }
  [[gnu::noinline, gnu::cold]] char* In(const Field& field) {
    TraceField(job_, field);
    return nullptr;
  }
  [[gnu::noinline, gnu::cold]] char* In(const Field& field, size_t index) {
    TraceIndex(job_, field, index);
    return nullptr;
  }

  // --- Brackets, commas, names
  [[gnu::always_inline]] inline char* Comma(char* p) {
    *p++ = ',';
    return whitespace_ ? NewLine(p) : p;
  }
  [[gnu::noinline]] char* NewLine(char* p);
  // Ends what began at `start` with its first comma.
  [[gnu::always_inline]] inline char* Close(char* p, size_t start, char open, char close);
  [[gnu::always_inline]] inline char* Key(char* p, const Field& field);
  [[gnu::noinline]] char* OddKey(char* p, const Field& field);

  // --- Values (print_scalars.h)
  [[gnu::always_inline]] inline char* Scalar(char* p, const Field& field, const Raw& raw);
  char* ScalarCold(char* p, const Field& field, const Raw& raw);
  [[gnu::always_inline]] inline char* String(char* p, const uint8_t* s, size_t size);
  [[gnu::noinline]] char* LongString(char* p, const uint8_t* s, size_t size);
  [[gnu::noinline]] char* HtmlString(char* p, const uint8_t* s, size_t size);
  char* Bytes(char* p, const uint8_t* s, size_t size);
  [[gnu::always_inline]] inline char* EnumText(char* p, const Field& field, int32_t number);
  template <class Float>
  [[gnu::always_inline]] inline char* FloatText(char* p, Float value);
  bool Ignored(const Field& field, const Raw& raw) const;
  [[gnu::always_inline]] inline bool IsLeftOut(const Field& field, const Raw& raw) const;

  // --- Lists (print_lists.h)
  char* List(char* p, const Field& field, const uint8_t*& s, const uint8_t* end);
  [[gnu::always_inline]] inline char* ShortStrings(char* p, const Field& field, const uint8_t*& s,
                                                   const uint8_t* end, size_t& index);
  char* ListRun(char* p, const Field& field, const uint8_t*& s, const uint8_t* end, size_t& index);
  char* CloseList(char* p, const Field& field, size_t before, size_t start);
  char* Packed(char* p, const Field& field, const uint8_t* s, const uint8_t* end);
  template <Type kType, class Write>
  [[gnu::always_inline]] inline char* PackedVarints(char* p, const uint8_t* s, const uint8_t* end,
                                                    bool plain, Write write);
  char* DoublesByEight(char* p, const uint8_t*& s, const uint8_t* end);
  char* PackedDoubles(char* p, const uint8_t* s, const uint8_t* end);
  template <class Bits, class Write>
  [[gnu::always_inline]] inline char* PackedFixed(char* p, const uint8_t* s, const uint8_t* end,
                                                  Write write);

  // --- Maps (print_maps.h)
  struct Entry {
    Raw key;
    Raw value;      // scalars
    Pieces pieces;  // messages
  };
  [[gnu::always_inline]] inline bool ReadEntry(char*& p, const Field& field, const uint8_t* s,
                                               const uint8_t* end, Entry& entry);
  bool ReadAnyEntry(char*& p, const Field& field, const uint8_t* s, const uint8_t* end,
                    Entry& entry);
  bool GatherEntries(char*& p, const Field& field, const uint8_t*& s, const uint8_t* end);
  void DropDuplicates(char*& p, const Field& field, size_t at, size_t count);
  char* MapEntry(char* p, const Field& field, const uint8_t* s, const uint8_t* end);
  char* MapEntries(char* p, const Field& field, size_t at, size_t count);
  char* Map(char* p, const Field& field, const uint8_t*& s, const uint8_t* end);

  // --- Messages (print_messages.h)
  [[gnu::always_inline]] inline char* Value(char* p, const Message& message, const uint8_t* s,
                                            const uint8_t* end);
  char* Value(char* p, const Message& message, const Pieces& pieces);
  template <class Print>
  [[gnu::always_inline]] inline char* Object(char* p, const uint8_t* at, Print print);
  [[gnu::always_inline]] inline char* Fields(char* p, const Message& message, const uint8_t* s,
                                             const uint8_t* end);
  char* InOrder(char* p, const Message& message, const uint8_t* s, const uint8_t* end);
  // Messages in each other, each at the end of the one around it.
  struct Chain {
    static constexpr int kMost = 32;

    const Message* message;  // the innermost one, and its bytes
    const uint8_t* s;
    const uint8_t* end;
    size_t start = 0;            // its first comma, if it is not the outermost one
    int size = 0;                // messages in the outermost one
    const Field* fields[kMost];  // that hold them
  };
  [[gnu::always_inline]] inline char* InOrderChain(char* p, Chain& chain);
  [[gnu::always_inline]] inline char* Alike(char* p, const Field& field, const uint8_t*& s,
                                            Chain& chain);
  bool RestInOrder(const Message& message, const uint8_t* s, const uint8_t* end, uint32_t next,
                   int oneof) const;
  char* OutOfOrder(char* p, const Message& message, const uint8_t* s, const uint8_t* end);
  char* OutOfOrder(char* p, const Message& message, const Pieces& pieces);
  bool IndexRecords(char*& p, const Message& message, const Pieces& pieces);
  void SortRecords(char*& p, size_t at, size_t count, size_t field_count);
  char* Records(char* p, const Field& field, size_t at, size_t count);
  char* UnsetFields(char* p, const Message& message, uint32_t from, uint32_t to);
  char* OneField(char* p, const Field& field, const uint8_t* s, const uint8_t* end);

  // --- Well-known types (print_well_known.h)
  char* WellKnownValue(char* p, const Message& message, const Pieces& pieces);
  char* TimestampText(char* p, const Pieces& pieces);
  char* DurationText(char* p, const Pieces& pieces);
  char* FieldMaskText(char* p, const Pieces& pieces);
  char* MaskPath(char* p, const uint8_t* s, size_t size);
  char* Struct(char* p, const Message& message, const uint8_t* s, const uint8_t* end);
  char* Entries(char* p, const Message& message, const Pieces& pieces);
  [[gnu::always_inline]] inline char* StructEntry(char* p, const Field& field, const uint8_t* s,
                                                  const uint8_t* end);
  char* ListValue(char* p, const Message& message, const Pieces& pieces);
  [[gnu::always_inline]] inline char* DynamicValue(char* p, const Message& message,
                                                   const uint8_t* s, const uint8_t* end);
  char* AnyDynamicValue(char* p, const Message& message, const Pieces& pieces);
  char* DynamicKind(char* p, const Message& message, uint32_t number, const Raw& raw,
                    const Pieces& pieces);
  char* Wrapper(char* p, const Message& message, const Pieces& pieces);
  char* Any(char* p, const Pieces& pieces);

  PrintJob& job_;
  char* base_ = nullptr;
  char* limit_ = nullptr;  // base_ + room_ - 8 * words_
  size_t room_ = 0;        // a multiple of 8
  size_t words_ = 0;
  const uint8_t* wire_end_;
  int depth_;
  int indent_ = 0;
  const bool whitespace_;
  const Unpopulated unpopulated_;
  const bool proto_names_;
  const bool check_utf8_;
  bool odd_key_;       // names need more than a comma before them
  bool bare_ = false;  // the next name is left out
  char restart_ = 0;   // its address says: print the message again, out of order
};

Printer::Printer(PrintJob& job)
    : job_(job),
      wire_end_(reinterpret_cast<const uint8_t*>(job.wire.data()) + job.wire.size()),
      depth_(job.options.depth < ParseOptions::kMaxDepth ? job.options.depth
                                                         : ParseOptions::kMaxDepth),
      whitespace_(job.options.whitespace),
      unpopulated_(job.options.unpopulated),
      proto_names_(job.options.proto_names),
      check_utf8_(job.options.utf8 == Utf8::kCheck),
      odd_key_(job.options.whitespace) {
  base_ = job.out.data();
  room_ = job.out.capacity() & ~size_t{7};
  limit_ = base_ + room_;
}

char* Printer::Grow(char* p, size_t size) {
  const size_t used = Offset(p);
  room_ = GrowOutput(job_.out, used, size + kTail, 8 * words_);
  base_ = job_.out.data();
  limit_ = base_ + room_ - 8 * words_;
  return base_ + used;
}

size_t Printer::PushWords(char*& p, size_t count) {
  p = Room(p, 8 * count);
  const size_t first = words_;
  words_ += count;
  limit_ -= 8 * count;
  return first;
}

void Printer::AddPiece(char*& p, Pieces& pieces, const uint8_t* s, const uint8_t* end) {
  if (pieces.s == nullptr) {
    pieces.s = s;
    pieces.end = end;
    return;
  }
  const size_t at = PushWords(p, 2);
  if (pieces.more++ == 0) pieces.at = at;
  Word(at) = reinterpret_cast<uintptr_t>(s);
  Word(at + 1) = reinterpret_cast<uintptr_t>(end);
}

template <class Take>
bool Printer::ForEachRecord(const Pieces& pieces, Take take) {
  for (size_t i = 0; i <= pieces.more; ++i) {
    const uint8_t* s = PieceStart(pieces, i);
    const uint8_t* const end = PieceEnd(pieces, i);
    while (s < end) {
      const uint8_t* const at = s;
      uint32_t tag = 0;
      Raw raw;
      s = ReadTag(s, end, tag);
      if (s != nullptr) s = ReadRaw(s, end, tag, raw);
      if (s == nullptr) {
        FailRecord(at, end);
        return false;
      }
      take(tag >> 3, tag & 7, raw, s);
    }
  }
  return true;
}

char* Printer::Fail(PrintFailure failure, const uint8_t* at, std::string_view got) {
  job_.failure = failure;
  // A value that is absent has no place; the number would be an address.
  const auto offset =
      reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(job_.wire.data());
  job_.at = at != nullptr && offset <= job_.wire.size() ? offset : Error::kNoOffset;
  if (!got.empty()) TraceGot(job_, got);
  return nullptr;
}

char* Printer::NewLine(char* p) {
  const auto blanks = static_cast<size_t>(indent_);
  p = Room(p, blanks + 1);
  *p++ = '\n';
  std::memset(p, ' ', blanks);
  return p + blanks;
}

char* Printer::Close(char* p, size_t start, char open, char close) {
  p = Room(p, 2);
  if (Offset(p) == start) {
    p[0] = open;
    p[1] = close;
    return p + 2;
  }
  base_[start] = open;
  if (whitespace_) [[unlikely]] {
    --indent_;
    p = NewLine(p);
    ++indent_;
  }
  *p = close;
  return p + 1;
}

char* Printer::Key(char* p, const Field& field) {
  if (odd_key_) [[unlikely]]
    return OddKey(p, field);
  const std::string_view key = proto_names_ ? field.proto_key : field.json_key;
  p = Room(p, key.size());
  *p = ',';
  // At least 64 bytes behind a key are readable.
  std::memcpy(p + 1, key.data(), 32);
  if (key.size() > 32) [[unlikely]]
    std::memcpy(p + 33, key.data() + 32, key.size() - 32);
  return p + 1 + key.size();
}

char* Printer::OddKey(char* p, const Field& field) {
  if (bare_) {
    bare_ = false;
    odd_key_ = whitespace_;
    return p;
  }
  const std::string_view key = proto_names_ ? field.proto_key : field.json_key;
  p = Room(p, 1);
  p = Room(Comma(p), key.size() + 1);
  std::memcpy(p, key.data(), key.size());
  p += key.size();
  *p = ' ';
  return p + 1;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
