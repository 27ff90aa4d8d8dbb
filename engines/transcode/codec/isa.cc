#include "codec/isa.h"

namespace transcode {
namespace {

Isa Detect() {
#if defined(TRANSCODE_X86)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512ifma") &&
                      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  // Every processor with AVX2 and BMI2 also has LZCNT.
  if (avx2 && avx512) return Isa::kAvx512;
  if (avx2) return Isa::kAvx2;
#endif
  return Isa::kScalar;
}

}  // namespace

const Isa kBestIsa = Detect();

Isa BestIsa() { return kBestIsa; }

bool HasIsa(Isa isa) { return isa <= kBestIsa; }

}  // namespace transcode
