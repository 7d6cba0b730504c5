// A part has an offset and an extent for each dimension of its fragment.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: slice-rank.cpp:[[@LINE+1]]: error: slice takes a part of 32 from 1 offsets of a fragment of 64x64; give one offset and one extent for each dimension
      slice(zeros(f32, {64, 64}), {32}, {32});
    });
  });
}
