#pragma once

// Errors as values. Nothing in this library throws on data.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace transcode {

// The codes of google.rpc.Code, with their numbers.
enum class Code : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// The upper-case name of a code ("INVALID_ARGUMENT").
std::string_view CodeName(Code code);

struct Error {
  static constexpr size_t kNoOffset = static_cast<size_t>(-1);

  Code code = Code::kUnknown;
  std::string message;        // one sentence, no trailing dot
  std::string path;           // of the field: shelf.books[3].labels["k"]; empty at the root
  size_t offset = kNoOffset;  // byte of the input
  std::string expected;       // what would have been right; may be empty
  std::string got;            // a short piece of the input; may be empty

  // INVALID_ARGUMENT: message at shelf.books[3].id, byte 41: expected int32, got "x"
  std::string ToString() const;
};

Error MakeError(Code code, std::string message);

// A T or an Error.
template <class T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Only when !ok().
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

// Success, or an Error kept on the heap: success costs one null pointer.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(new Error(std::move(error))) {}  // NOLINT
  Result(const Result& other) : error_(other.error_ ? new Error(*other.error_) : nullptr) {}
  Result(Result&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Result& operator=(Result other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Result() { delete error_; }

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }

  // Only when !ok().
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  Error* error_ = nullptr;
};

}  // namespace transcode
