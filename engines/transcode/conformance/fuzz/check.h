#pragma once

// How a target says that something is wrong.

#include <cstdio>
#include <cstdlib>
#include <string>

#define REQUIRE(condition, what)                                               \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s: %s\n", #condition, std::string(what).c_str()); \
      std::abort();                                                            \
    }                                                                          \
  } while (false)
