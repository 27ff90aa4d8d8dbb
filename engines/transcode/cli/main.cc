// transcode: one-off conversions, routes, checks, and the proxy.

#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "cli/options.h"
#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "http/router.h"
#include "schema/schema.h"
#include "server/admin.h"
#include "server/log.h"
#include "server/server.h"

namespace transcode::cli {
namespace {

constexpr int kWrong = 3;   // the command line or the input
constexpr int kFailed = 5;  // input or output

constexpr std::string_view kUsage = R"(transcode: JSON to gRPC and gRPC to JSON

  transcode json-to-proto --descriptor FILE --type NAME [options] [FILE]
  transcode proto-to-json --descriptor FILE --type NAME [options] [FILE]
        convert one message, from FILE or standard input to standard output
  transcode routes --descriptor FILE [options]
        print the routes of the google.api.http rules
  transcode check --descriptor FILE [options]
        check descriptors and rules, print warnings
  transcode serve --descriptor FILE [--upstream HOST:PORT] [--listen ADDRESS] [options]
        HTTP/1.1 and HTTP/2 (without TLS) to gRPC, as a reverse proxy

A descriptor file is what `protoc --include_imports --descriptor_set_out=FILE` writes.
`transcode COMMAND --help` lists the options of a command.

Exit codes: 0 done, 3 wrong usage or input, 5 input or output failed or an address cannot be used.
)";

struct Command {
  std::string_view name;
  Flags flags;
  std::vector<std::string> rest;
  std::string descriptor;

  explicit Command(std::string_view command) : name(command) {
    flags.Text("descriptor", "FILE", "the FileDescriptorSet", &descriptor);
  }
};

int Complain(std::string_view what, const Error& error, int exit_code) {
  std::cerr << "transcode: " << what << (what.empty() ? "" : ": ") << error.ToString() << "\n";
  return exit_code;
}

int Misuse(const Command& command, std::string_view reason) {
  std::cerr << "transcode " << command.name << ": " << reason << "\n"
            << "`transcode " << command.name << " --help` lists the options\n";
  return kWrong;
}

// A file, or standard input for "" and "-".
bool ReadAll(const std::string& path, std::string& bytes) {
  const bool standard = path.empty() || path == "-";
  std::ifstream file;
  if (!standard) file.open(path, std::ios::binary);
  std::istream& from = standard ? std::cin : file;
  bytes.assign(std::istreambuf_iterator<char>(from), {});
  // A folder opens and then cannot be read.
  if (!from.bad() && (standard || (file.is_open() && file.peek() == EOF))) return true;
  std::cerr << "transcode: cannot read " << path << ": " << std::strerror(errno) << "\n";
  return false;
}

// The exit code of a command that has written its answer.
int Printed() {
  if (std::cout.flush()) return 0;
  std::cerr << "transcode: cannot write: " << std::strerror(errno) << "\n";
  return kFailed;
}

// Reads the flags. True: go on; else `exit_code` is set.
bool Begin(Command& command, const std::vector<std::string_view>& arguments, size_t most_files,
           int& exit_code) {
  for (const std::string_view argument : arguments) {
    if (argument != "--help" && argument != "-h") continue;
    std::cout << "transcode " << command.name << " options, with their defaults first or in "
              << "brackets:\n"
              << command.flags.Help();
    exit_code = 0;
    return false;
  }
  if (auto result = command.flags.Parse(arguments, command.rest); !result.ok()) {
    exit_code = Misuse(command, result.error().ToString());
    return false;
  }
  if (command.rest.size() > most_files) {
    exit_code = Misuse(command, "one argument too many: " + command.rest[most_files]);
    return false;
  }
  if (command.descriptor.empty()) {
    exit_code = Misuse(command, "--descriptor is missing");
    return false;
  }
  return true;
}

// The schema, or an exit code.
Result<Schema> LoadSchema(const Command& command, int& exit_code) {
  std::string bytes;
  if (!ReadAll(command.descriptor, bytes)) {
    exit_code = kFailed;
    return MakeError(Code::kNotFound, "");
  }
  auto schema = Schema::Load(bytes);
  if (!schema.ok()) exit_code = Complain(command.descriptor, schema.error(), kWrong);
  return schema;
}

int Convert(bool to_proto, const std::vector<std::string_view>& arguments) {
  Command command(to_proto ? "json-to-proto" : "proto-to-json");
  std::string type;
  ParseOptions parse;
  PrintOptions print;
  command.flags.Text("type", "NAME", "full name of the message, such as pkg.Book", &type);
  if (to_proto) {
    AddParseFlags(command.flags, parse);
  } else {
    AddPrintFlags(command.flags, print);
  }
  int exit_code = 0;
  if (!Begin(command, arguments, 1, exit_code)) return exit_code;
  if (type.empty()) return Misuse(command, "--type is missing");
  const auto schema = LoadSchema(command, exit_code);
  if (!schema.ok()) return exit_code;
  const Message* message = schema->FindMessage(type);
  if (message == nullptr) {
    std::cerr << "transcode: " << command.descriptor << ": has no message " << type << "\n";
    return kWrong;
  }
  const std::string file = command.rest.empty() ? "" : command.rest[0];
  std::string input;
  if (!ReadAll(file, input)) return kFailed;
  Buffer output;
  const auto result = to_proto ? JsonToProto(*message, input, output, parse)
                               : ProtoToJson(*message, input, output, print);
  if (!result.ok()) {
    return Complain(file.empty() ? "standard input" : file, result.error(), kWrong);
  }
  if (!to_proto) output.Append('\n');
  std::cout.write(output.data(), static_cast<std::streamsize>(output.size()));
  return Printed();
}

int Routes(bool check, const std::vector<std::string_view>& arguments) {
  Command command(check ? "check" : "routes");
  RouterOptions options;
  AddRouterFlags(command.flags, options);
  int exit_code = 0;
  if (!Begin(command, arguments, 0, exit_code)) return exit_code;
  const auto schema = LoadSchema(command, exit_code);
  if (!schema.ok()) return exit_code;
  const auto router = Router::Make(*schema, options);
  if (!router.ok()) return Complain(command.descriptor, router.error(), kWrong);
  if (check) {
    for (const std::string& warning : router->warnings())
      std::cout << "warning: " << warning << "\n";
    std::cout << schema->messages().size() << " messages, " << schema->services().size()
              << " services, " << router->routes().size() << " routes, "
              << router->warnings().size() << " warnings\n";
    return Printed();
  }
  for (const Route& route : router->routes()) {
    std::cout << route.verb << "\t" << route.path << "\t" << route.method->path;
    if (route.has_body) std::cout << "\tbody: " << route.BodyText();
    std::cout << "\n";
  }
  return Printed();
}

int Serve(const std::vector<std::string_view>& arguments) {
  Command command("serve");
  server::ServerOptions options;
  RouterOptions router_options;
  AddServerFlags(command.flags, options);
  AddRouterFlags(command.flags, router_options);
  int exit_code = 0;
  if (!Begin(command, arguments, 0, exit_code)) return exit_code;
  const auto schema = LoadSchema(command, exit_code);
  if (!schema.ok()) return exit_code;
  const auto router = Router::Make(*schema, router_options);
  if (!router.ok()) return Complain(command.descriptor, router.error(), kWrong);
  for (const std::string& warning : router->warnings()) {
    server::LogLine("warning").Add("text", warning).Write();
  }
  // Larger blocks are the system's again when they are freed, whatever else the heap holds.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  std::signal(SIGPIPE, SIG_IGN);  // a log that nobody reads is no reason to end
  // Blocked before the threads start, so that they inherit it; taken by sigwait.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  auto server = server::Server::Start(*schema, *router, options);
  if (!server.ok()) return Complain("", server.error(), kFailed);
  server::LogLine line("listening");
  line.Add("port", (*server)->port()).Add("upstream", options.upstream);
  if ((*server)->admin_port() != 0) line.Add("admin_port", (*server)->admin_port());
  line.Add("routes", static_cast<int64_t>(router->routes().size())).Write();
  int signal = 0;
  sigwait(&signals, &signal);
  server::LogLine("stopping").Add("signal", signal).Write();
  (*server)->Shutdown();
  return 0;
}

int Main(const std::vector<std::string_view>& arguments) {
  const std::string_view name = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string_view> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                           arguments.end());
  if (name == "json-to-proto") return Convert(true, rest);
  if (name == "proto-to-json") return Convert(false, rest);
  if (name == "routes") return Routes(false, rest);
  if (name == "check") return Routes(true, rest);
  if (name == "serve") return Serve(rest);
  const bool help = name == "--help" || name == "-h" || name == "help";
  (help ? std::cout : std::cerr) << kUsage;
  return help ? 0 : kWrong;
}

}  // namespace
}  // namespace transcode::cli

int main(int argc, char** argv) {
  return transcode::cli::Main(std::vector<std::string_view>(argv + 1, argv + argc));
}
