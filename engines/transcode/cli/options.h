// The policies of codec, routes and server as command-line flags.
#pragma once

#include "cli/flags.h"
#include "codec/options.h"
#include "http/bindings.h"
#include "http/router.h"
#include "server/server.h"

namespace transcode::cli {

void AddParseFlags(Flags& flags, ParseOptions& options);
void AddPrintFlags(Flags& flags, PrintOptions& options);
void AddRouterFlags(Flags& flags, RouterOptions& options);
// Listeners, upstream, limits, streams; with the flags of binding and of the codec.
void AddServerFlags(Flags& flags, server::ServerOptions& options);

}  // namespace transcode::cli
