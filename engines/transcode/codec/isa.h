#pragma once

// How a codec function is written once, compiled for every instruction set, and chosen at run
// time.
//
//   // x_isa.cc, listed in TRANSCODE_ISA_SOURCES, compiled with -DTRANSCODE_ISA=scalar|avx2|avx512
//   namespace transcode::TRANSCODE_ISA { void Work(int a) { ... } }
//
//   // x.cc
//   TRANSCODE_DECLARE_ISA(void Work(int a));
//   ... TRANSCODE_DISPATCH(options.isa, Work, a) ...
//   ... TRANSCODE_CHOOSE(options.isa, Work) ...  // a pointer to it

#include "codec/options.h"

#if defined(TRANSCODE_X86)
#define TRANSCODE_DECLARE_ISA(declaration) \
  namespace scalar {                       \
  declaration;                             \
  }                                        \
  namespace avx2 {                         \
  declaration;                             \
  }                                        \
  namespace avx512 {                       \
  declaration;                             \
  }
#define TRANSCODE_CHOOSE(isa, function)                                     \
  (::transcode::Choose(isa) == ::transcode::Isa::kAvx512 ? avx512::function \
   : ::transcode::Choose(isa) == ::transcode::Isa::kAvx2 ? avx2::function   \
                                                         : scalar::function)
#define TRANSCODE_DISPATCH(isa, function, ...)                                           \
  (::transcode::Choose(isa) == ::transcode::Isa::kAvx512 ? avx512::function(__VA_ARGS__) \
   : ::transcode::Choose(isa) == ::transcode::Isa::kAvx2 ? avx2::function(__VA_ARGS__)   \
                                                         : scalar::function(__VA_ARGS__))
#else
#define TRANSCODE_DECLARE_ISA(declaration) \
  namespace scalar {                       \
  declaration;                             \
  }
#define TRANSCODE_CHOOSE(isa, function) scalar::function
#define TRANSCODE_DISPATCH(isa, function, ...) scalar::function(__VA_ARGS__)
#endif

namespace transcode {

extern const Isa kBestIsa;  // set before main

inline Isa Choose(Isa asked) { return asked == Isa::kAuto || asked > kBestIsa ? kBestIsa : asked; }

}  // namespace transcode
