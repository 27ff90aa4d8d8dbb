#pragma once

// What may stand in the head of an HTTP message (RFC 9110, RFC 9113), for every text that comes
// from elsewhere than a parser of HTTP: messages of the server, descriptors.

#include <string_view>

namespace transcode {

// A method, or the name of a field.
bool IsToken(std::string_view text);

// Visible characters and bytes from 0x80 on, with blanks and tabs between them; not too long for
// one frame of HTTP/2.
bool IsFieldValue(std::string_view text);

}  // namespace transcode
