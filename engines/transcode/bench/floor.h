#pragma once

// What a codec cannot do without, each part by itself, on the input of the codec's own benches.

namespace transcode::bench {

// Registers BM_Floor/PART:
//   memcpy                        copies the input
//   utf8                          checks that the input is UTF-8
//   scan                          copies the input and looks for what JSON must escape
//   base64_decode, base64_encode  by simdutf
//   int32_in, int32_out           by std::from_chars and std::to_chars, from and to varints
//   double_in, double_out         by std::from_chars and std::to_chars (shortest)
void RegisterFloors();

}  // namespace transcode::bench
