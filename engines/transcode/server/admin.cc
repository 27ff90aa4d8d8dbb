#include "server/admin.h"

#include "server/error_body.h"

namespace transcode::server {
namespace {

// Names and templates hold neither quotes nor control characters.
void AppendMember(std::string_view name, std::string_view text, Buffer& out) {
  out.Append('"');
  out.Append(name);
  out.Append("\":\"");
  out.Append(text);
  out.Append("\",");
}

}  // namespace

void AppendRoutesJson(const Router& router, Buffer& out) {
  out.Append('[');
  bool first = true;
  for (const Route& route : router.routes()) {
    out.Append(first ? "\n{" : ",\n{");
    first = false;
    AppendMember("verb", route.verb, out);
    AppendMember("path", route.path, out);
    AppendMember("body", route.BodyText(), out);
    AppendMember("response_body",
                 route.response_body.empty() ? std::string_view() : route.response_body[0]->name,
                 out);
    AppendMember("method", route.method->path, out);
    out.Append("\"client_streaming\":");
    out.Append(route.method->client_streaming ? "true" : "false");
    out.Append(",\"server_streaming\":");
    out.Append(route.method->server_streaming ? "true}" : "false}");
  }
  out.Append("\n]\n");
}

RequestSink* Admin::OnRequest(const RequestHead& head, ClientStream& client) {
  Headers fields;
  Buffer body;
  const std::string_view path = head.target.substr(0, head.target.find('?'));
  if (path != "/healthz" && path != "/debug/routes") {
    MakeErrorBody(404, "this listener has /healthz and /debug/routes", fields, body);
    client.Respond(404, fields, body);
  } else if (head.method != "GET" && head.method != "HEAD") {
    fields.Add("allow", "GET, HEAD");
    MakeErrorBody(405, "this path has GET and HEAD", fields, body);
    client.Respond(405, fields, body);
  } else if (path == "/healthz" && draining_) {
    MakeErrorBody(503, "shutting down", fields, body);
    client.Respond(503, fields, body);
  } else {
    fields.Add("content-type", "application/json");
    if (path == "/healthz") {
      body.Append("{\"status\":\"SERVING\"}\n");
    } else {
      AppendRoutesJson(router_, body);
    }
    client.Respond(200, fields, body);
  }
  return nullptr;
}

}  // namespace transcode::server
