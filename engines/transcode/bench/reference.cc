#include "bench/reference.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "bench/families.h"
#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "http/bindings.h"
#include "http/router.h"
#include "schema/schema.h"
#include "stream/request.h"
#include "stream/response.h"

namespace transcode::bench {
namespace {

// What a bench keeps between its calls, as a server would.
struct State {
  explicit State(const Request& for_request)
      : request(for_request), schema(Load(for_request.schema)) {
    type = schema.FindMessage(request.type);
    if (type == nullptr) {
      std::fprintf(stderr, "no message %s\n", request.type.c_str());
      std::exit(1);
    }
  }

  static Schema Load(const std::string& file_descriptor_set) {
    Result<Schema> schema = Schema::Load(file_descriptor_set);
    if (!schema.ok()) {
      std::fprintf(stderr, "%s\n", schema.error().ToString().c_str());
      std::exit(1);
    }
    return std::move(schema).value();
  }

  const Request& request;
  Schema schema;
  const Message* type;
  ParseOptions parse;
  PrintOptions print;
  RequestOptions from_options;
  ResponseOptions to_options;
  RequestTranscoder from;
  ResponseTranscoder to;
  std::vector<std::string_view> pieces;  // of the input
  std::vector<BoundField> bound;
  Bindings bindings;
  Buffer out;
  Buffer all;  // what was written, when `collect`
  bool collect = false;
};

bool RunMessage(State& state) {
  return state.request.from_json
             ? JsonToProto(*state.type, state.request.input, state.out, state.parse).ok()
             : ProtoToJson(*state.type, state.request.input, state.out, state.print).ok();
}

// Reads all that a transcoder has; false after an error. Inline, as it is called for every piece.
template <class Transcoder>
[[gnu::always_inline]] inline bool Drain(State& state, Transcoder& transcoder) {
  for (;;) {
    const Result<bool> more = transcoder.Next(state.out);
    if (!more.ok()) return false;
    if (!*more) return true;
    if (state.collect) state.all.Append(state.out.view());
  }
}

bool RunRequest(State& state) {
  RequestTarget target;
  target.message = state.type;
  target.client_streaming = state.request.stream;
  state.from.Start(target, &state.bindings, state.from_options);
  const std::span<const std::string_view> pieces = state.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!state.from.Push(pieces[i]).ok()) return false;
    if (i + 1 < pieces.size() && !Drain(state, state.from)) return false;
  }
  state.from.Finish();
  return Drain(state, state.from) && state.from.done();
}

bool RunResponse(State& state) {
  ResponseSource source;
  source.message = state.type;
  state.to.Start(source, StreamFormat::kNdjson, state.to_options);
  for (const std::string_view piece : state.pieces) {
    state.to.Push(piece);
    if (!Drain(state, state.to)) return false;
  }
  return !state.to.Finish(GrpcStatus(), state.out).broken;
}

bool RunStream(State& state) {
  return state.request.from_json ? RunRequest(state) : RunResponse(state);
}

bool RunBindings(State& state) {
  state.bindings.Clear();
  for (const BoundField& field : state.bound) {
    if (!state.bindings.Add(*state.type, field.path, field.value).ok()) return false;
  }
  return RunRequest(state);
}

std::string CheckMessage(State& state) {
  return Difference(state.out.view(), state.request.expected);
}

// Runs once more and keeps all that is written.
template <bool (*kRun)(State&)>
std::string Collect(State& state) {
  state.all.Clear();
  state.collect = true;
  const bool ok = kRun(state);
  state.collect = false;
  return ok ? std::string() : "the input is refused when it is read again";
}

std::string CheckStream(State& state) {
  const std::string wrong = Collect<RunStream>(state);
  return wrong.empty() ? Difference(state.all.view(), state.request.expected) : wrong;
}

// A frame of one message. Bound fields stand behind those of the body, also where both are in one
// message of the root; so what is printed is compared.
std::string CheckRequest(State& state) {
  std::string wrong = Collect<RunBindings>(state);
  if (!wrong.empty()) return wrong;
  Buffer got;
  Buffer expected;
  if (!ProtoToJson(*state.type, state.all.view().substr(kFrameHeader), got).ok() ||
      !ProtoToJson(*state.type, state.request.expected, expected).ok()) {
    return "the output cannot be printed";
  }
  return Difference(got.view(), expected.view());
}

std::string CheckNothing(State&) { return {}; }

template <bool (*kRun)(State&), std::string (*kCheck)(State&)>
Work MakeWork(std::shared_ptr<State> state) {
  return {[state] { return kRun(*state); }, [state] { return kCheck(*state); }};
}

bool RunBadInput(State& state) { return !RunMessage(state); }

Work MakeOperation(Operation operation, const Request& request, int64_t arg) {
  auto state = std::make_shared<State>(request);
  const auto count = static_cast<size_t>(arg);
  state->from_options.binding.conflicts = Conflicts::kBodyWins;  // as published
  state->pieces = {request.input};
  switch (operation) {
    case Operation::kMessage:
      return MakeWork<RunMessage, CheckMessage>(state);
    case Operation::kStream:
      return MakeWork<RunStream, CheckStream>(state);
    case Operation::kSegments:
      state->pieces = Segments(request.input, count);
      return MakeWork<RunBindings, CheckRequest>(state);
    case Operation::kSegmentedStream:
      state->pieces = Segments(request.input, count * kSegmentsOfMessage);
      return MakeWork<RunStream, CheckStream>(state);
    case Operation::kBindings:
      state->bound = ReadBindings();
      return MakeWork<RunBindings, CheckRequest>(state);
    case Operation::kChunks:
      state->pieces = Chunks(request.input, count);
      return MakeWork<RunBindings, CheckRequest>(state);
  }
  return {};
}

// Both directions of a kind of messages. The arguments only name what inputs.py was told.
void AddMessages(const std::string& name, const std::vector<std::string>& arguments) {
  for (const char* direction : {"FromJson", "FromGrpc"}) {
    for (const std::string& argument : arguments) {
      RegisterOne("BM_" + name + direction + "/" + argument, [](const Request& request) {
        return MakeOperation(Operation::kMessage, request, 0);
      });
    }
  }
}

// BM_CodecVariantFromJson/ISA/PARSER/LENGTHS/UTF8 and BM_CodecVariantFromGrpc/ISA/DOUBLES/UTF8.
// An instruction set that the processor lacks is replaced by its best; counter `isa` says which
// ran.
void AddVariants() {
  const auto add = [](const std::string& name, auto set) {
    RegisterOne(name, [set](const Request& request) {
      auto state = std::make_shared<State>(request);
      set(state->parse, state->print);
      const Isa wanted = request.from_json ? state->parse.isa : state->print.isa;
      const Isa used = wanted == Isa::kAuto || !HasIsa(wanted) ? BestIsa() : wanted;
      Work work = MakeWork<RunMessage, CheckMessage>(state);
      work.counters["isa"] = static_cast<double>(used);
      return work;
    });
  };
  const std::pair<const char*, Isa> isas[] = {{"auto", Isa::kAuto},
                                              {"scalar", Isa::kScalar},
                                              {"avx2", Isa::kAvx2},
                                              {"avx512", Isa::kAvx512}};
  for (const auto& [isa_name, isa] : isas) {
    for (const Utf8 utf8 : {Utf8::kCheck, Utf8::kTrust}) {
      const std::string tail = utf8 == Utf8::kCheck ? "/check" : "/trust";
      for (const Parser parser : {Parser::kOnePass, Parser::kOnDemand}) {
        for (const Lengths lengths : {Lengths::kReserve, Lengths::kTwoPass}) {
          add(std::string("BM_CodecVariantFromJson/") + isa_name +
                  (parser == Parser::kOnePass ? "/onepass" : "/ondemand") +
                  (lengths == Lengths::kReserve ? "/reserve" : "/twopass") + tail,
              [=, isa = isa](ParseOptions& parse, PrintOptions&) {
                parse.isa = isa;
                parse.utf8 = utf8;
                parse.parser = parser;
                parse.lengths = lengths;
              });
        }
      }
      for (const Doubles doubles : {Doubles::kShortest, Doubles::kStd}) {
        add(std::string("BM_CodecVariantFromGrpc/") + isa_name +
                (doubles == Doubles::kShortest ? "/shortest" : "/std") + tail,
            [=, isa = isa](ParseOptions&, PrintOptions& print) {
              print.isa = isa;
              print.utf8 = utf8;
              print.doubles = doubles;
            });
      }
    }
  }
}

// Finds the rule of each target, which inputs.py wrote beside the rules.
class Routing {
 public:
  explicit Routing(const Request& request)
      : schema_(State::Load(request.schema)),
        templates_(Lines(ReadFile("rules.txt"))),
        targets_(Lines(request.input)),
        expected_(Lines(request.expected)) {
    std::vector<ExtraRule> rules;
    for (const std::string& path : templates_) {
      rules.push_back({"transcode.bench.Bench.Nested", {"GET", path, "", ""}});
    }
    Result<Router> router = Router::Make(schema_, {}, rules);
    if (router.ok()) router_ = std::make_unique<Router>(std::move(router).value());
  }

  bool Run() {
    bool found = router_ != nullptr;
    for (const std::string& target : targets_) {
      found = found && router_->Find("GET", target, match_) == Match::Outcome::kFound;
    }
    return found;
  }

  std::string Check() {
    for (size_t i = 0; i < targets_.size(); ++i) {
      router_->Find("GET", targets_[i], match_);
      std::string wrong = Difference(match_.route->path, expected_[i]);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  Schema schema_;
  std::vector<std::string> templates_;
  std::vector<std::string> targets_;
  std::vector<std::string> expected_;
  std::unique_ptr<Router> router_;
  Match match_;
};

void AddRouting() {
  for (const char* rules : {"10", "1000", "10000"}) {
    RegisterOne(std::string("BM_RouteMatch/") + rules, [](const Request& request) {
      auto routing = std::make_shared<Routing>(request);
      Work work = {[routing] { return routing->Run(); }, [routing] { return routing->Check(); }};
      work.counters["wire_bytes"] = 0;
      return work;
    });
  }
}

void AddBadInput() {
  for (const char* kind : {"truncated", "literal", "utf8", "type", "depth"}) {
    RegisterOne(std::string("BM_BadInput/") + kind, [](const Request& request) {
      return MakeWork<RunBadInput, CheckNothing>(std::make_shared<State>(request));
    });
  }
}

}  // namespace

void RegisterReference() {
  Register(PublishedFamilies(), MakeOperation);
  Register(SharedFamilies(), MakeOperation);
  Register({{"BM_SegmentedAny", Operation::kChunks, {1, 16, 256, 4096, 65536}}}, MakeOperation);
  AddMessages("StringEscaped", {"0", "1", "10"});
  AddMessages("Utf8", {"1", "2", "3", "4"});
  AddMessages("MapString", {"1", "16", "256", "4096", "65536"});
  AddMessages("Any", {"1", "256"});
  AddMessages("Timestamp", {"1024"});
  AddMessages("Depth", {"8", "32", "64", "96"});
  AddMessages("JsonExamples", {"twitter/value", "canada/value", "citm/value", "twitter/typed",
                               "canada/typed", "citm/typed"});
  AddVariants();
  AddRouting();
  AddBadInput();
}

}  // namespace transcode::bench
