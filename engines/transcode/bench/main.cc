// The benches of the reference engine, under the published names where there are some.
//
//   python3 inputs.py array_length direction=from_json type=int32 16384 1
//   transcode_bench --benchmark_filter=^BM_Int32ArrayPayloadFromJsonNonStreaming/16384$

#include "bench/families.h"
#include "bench/floor.h"
#include "bench/reference.h"

int main(int argc, char** argv) {
  transcode::bench::RegisterReference();
  transcode::bench::RegisterFloors();
  return transcode::bench::Main(argc, argv);
}
