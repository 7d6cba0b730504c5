// A part does not begin before its fragment.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: slice-before.cpp:[[@LINE+1]]: error: slice takes 32 from -8 in dimension 1 of a fragment of 64x64; the part must lie inside
      slice(zeros(f32, {64, 64}), {0, -8}, {64, 32});
    });
  });
}
