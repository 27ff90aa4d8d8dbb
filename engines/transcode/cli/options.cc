#include "cli/options.h"

#include <charconv>

namespace transcode::cli {
namespace {

// "250ms", "10s", "2m"; a number alone is seconds.
Flags::Setter Duration(std::chrono::milliseconds* to) {
  return [to](std::string_view text) -> std::string {
    int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(read.ptr, text.data() + text.size() - read.ptr);
    int64_t factor = 1000;
    if (unit == "ms") factor = 1;
    if (unit == "m") factor = 60'000;
    const bool known = unit.empty() || unit == "s" || unit == "ms" || unit == "m";
    if (read.ec != std::errc() || !known || value < 0 || value > 1'000'000'000) {
      return "a time such as 250ms, 10s or 2m";
    }
    *to = std::chrono::milliseconds(value * factor);
    return "";
  };
}

Flags::Setter Append(std::vector<std::string>* to) {
  return [to](std::string_view text) {
    to->emplace_back(text);
    return std::string();
  };
}

}  // namespace

void AddParseFlags(Flags& flags, ParseOptions& options) {
  flags.Choice("unknown-fields", {"ignore", "reject"}, "fields that the message does not have",
               [&options](size_t i) { options.unknown_fields = static_cast<UnknownFields>(i); });
  flags.Choice("syntax", {"rfc8259", "lenient"}, "lenient: single quotes, bare keys, and more",
               [&options](size_t i) { options.syntax = static_cast<Syntax>(i); });
  flags.Choice("enums", {"exact", "fold_case"}, "how names of enum values are compared",
               [&options](size_t i) { options.enums = static_cast<EnumNames>(i); });
  flags.Choice("base64", {"rfc2045", "strict"}, "text of bytes fields", [&options](size_t i) {
    options.base64 = i == 0 ? Base64::kRfc2045 : Base64::kStrict;
  });
  flags.Choice("null-in-repeated", {"reject", "skip"}, "a null element of a list",
               [&options](size_t i) { options.null_in_repeated = static_cast<NullInRepeated>(i); });
  flags.Choice("duplicate-keys", {"reject", "last"}, "the same key twice in an object",
               [&options](size_t i) { options.duplicate_keys = static_cast<DuplicateKeys>(i); });
  flags.Value("depth", "N", "nested objects and arrays (100)",
              [&options](std::string_view text) -> std::string {
                const auto read =
                    std::from_chars(text.data(), text.data() + text.size(), options.depth);
                const bool good = read.ec == std::errc() && *read.ptr == '\0' &&
                                  options.depth >= 1 && options.depth <= ParseOptions::kMaxDepth;
                return good ? "" : "1 to " + std::to_string(ParseOptions::kMaxDepth);
              });
}

void AddPrintFlags(Flags& flags, PrintOptions& options) {
  flags.Switch("whitespace", "new lines and indents in JSON", &options.whitespace);
  flags.Choice("unpopulated", {"none", "no_presence", "all"},
               "which fields are printed without a value",
               [&options](size_t i) { options.unpopulated = static_cast<Unpopulated>(i); });
  flags.Switch("enums-as-ints", "numbers instead of names", &options.enums_as_ints);
  flags.Switch("proto-names", "field names as in the .proto file", &options.proto_names);
  flags.Choice("int64", {"string", "number"}, "how 64-bit integers are printed",
               [&options](size_t i) { options.int64 = static_cast<Int64Format>(i); });
  flags.Switch("escape-html", "write < > & as \\u escapes", &options.escape_html);
}

void AddRouterFlags(Flags& flags, RouterOptions& options) {
  flags.Value("service", "NAME", "only this service; may be repeated (all)",
              Append(&options.services));
  flags.Switch("auto-mapping", "methods also get POST /pkg.Service/Method with the whole body",
               &options.auto_mapping);
  flags.Choice("unescape", {"except-reserved", "all", "except-slash"},
               "what is percent-decoded in variables of several segments", [&options](size_t i) {
                 constexpr Unescape kWords[] = {Unescape::kAllExceptReserved, Unescape::kAll,
                                                Unescape::kAllExceptSlash};
                 options.multi_segment = kWords[i];
               });
  flags.Switch("any-verb", "an unregistered :verb splits the path too", &options.any_verb);
}

void AddServerFlags(Flags& flags, server::ServerOptions& options) {
  server::ProxyOptions& proxy = options.proxy;
  server::Limits& limits = proxy.limits;
  BindingOptions& binding = proxy.request.binding;
  flags.Text("upstream", "HOST:PORT", "the gRPC server (127.0.0.1:50051)", &options.upstream);
  flags.Text("listen", "ADDRESS",
             "host:port, :port on the loopback, *:port on all addresses (:8080)", &options.listen);
  flags.Text("admin", "ADDRESS", "listener of /healthz and /debug/routes (none)", &options.admin);
  flags.Value("threads", "N", "event loops (1)", [&options](std::string_view text) -> std::string {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), options.threads);
    const bool good = read.ec == std::errc() && options.threads >= 1 && options.threads <= 256;
    return good ? "" : "1 to 256";
  });
  flags.Value("max-connections", "N", "clients at once; more wait until one ends (1000)",
              [&options](std::string_view text) -> std::string {
                const auto read = std::from_chars(text.data(), text.data() + text.size(),
                                                  options.max_connections);
                const bool good = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                                  options.max_connections >= 1;
                return good ? "" : "1 or more";
              });
  flags.Size("upstream-connections", "N", "most connections of a thread to the server (8)",
             &options.upstream_connections);
  flags.Value("timeout", "TIME", "deadline of requests without grpc-timeout (none)",
              Duration(&proxy.timeout));
  flags.Value("drain", "TIME", "how long requests may end after SIGTERM (10s)",
              Duration(&options.drain_time));
  flags.Value("body-time", "TIME",
              "a body that is one message, and a second more for each 16 KiB: 408 (30s)",
              Duration(&limits.body_time));
  flags.Value(
      "idle", "TIME",
      "a connection without a request, or that takes no output, is closed after this (120s)",
      Duration(&limits.idle_time));
  flags.Value("stream-idle", "TIME",
              "a request of which nothing comes and nothing goes: 408, or 504 once it has ended; "
              "0: no limit (5m)",
              Duration(&limits.stream_idle_time));
  flags.Size("max-body", "BYTES", "largest JSON message of a request: 413 (33554432)",
             &limits.body_bytes);
  flags.Size("max-message", "BYTES", "largest message of a response (67108864)",
             &limits.message_bytes);
  flags.Size("max-header", "BYTES", "all header fields of a request: 431 (65536)",
             &limits.header_bytes);
  flags.Value("max-memory", "BYTES",
              "the buffers of all requests and answers together: 503 (536870912)",
              [&limits](std::string_view text) -> std::string {
                // Idle buffers keep up to half of it.
                constexpr size_t kLeast = size_t{64} << 20;
                const auto read =
                    std::from_chars(text.data(), text.data() + text.size(), limits.memory_bytes);
                const bool good = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                                  limits.memory_bytes >= kLeast;
                return good ? "" : std::to_string(kLeast) + " or more";
              });
  flags.Size("max-path", "BYTES", "path with query: 414 (8192)", &limits.path_bytes);
  flags.Choice("stream", {"array", "ndjson", "sse"},
               "streaming responses, where the Accept field names none of them",
               [&proxy](size_t i) {
                 constexpr StreamFormat kWords[] = {StreamFormat::kArray, StreamFormat::kNdjson,
                                                    StreamFormat::kSse};
                 proxy.stream_format = kWords[i];
               });
  flags.Switch("error-in-band-only",
               "a stream that fails midway ends normally, with the error as its last element",
               &proxy.error_in_band_only);
  flags.Switch("log-requests", "one line of JSON on stderr for each request", &proxy.log_requests);
  flags.Choice("conflicts", {"reject", "path_wins", "body_wins"},
               "a field that path, query and body set differently",
               [&binding](size_t i) { binding.conflicts = static_cast<Conflicts>(i); });
  flags.Choice("unknown-query", {"reject", "ignore"}, "query parameters that are not fields",
               [&binding](size_t i) { binding.unknown_query = static_cast<UnknownQuery>(i); });
  flags.Value("ignored-query", "NAME", "a query parameter that is no field; may be repeated",
              Append(&binding.ignored_query));
  flags.Switch("plus-is-space", "'+' in query strings is a blank", &binding.plus_is_space);
  flags.Switch("bind-all", "path and query go into every message of a stream (the first)",
               &proxy.request.bind_all);
  AddParseFlags(flags, binding.parse);
  AddPrintFlags(flags, proxy.response.print);
}

}  // namespace transcode::cli
