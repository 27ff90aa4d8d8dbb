// Whether this build is one with sanitizers, which have an allocator of their own and take time.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define TRANSCODE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRANSCODE_SANITIZED 1
#endif
#endif
#ifndef TRANSCODE_SANITIZED
#define TRANSCODE_SANITIZED 0
#endif
