// A part lies inside its fragment.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: slice-outside.cpp:[[@LINE+1]]: error: slice takes 32 from 48 in dimension 1 of a fragment of 64x64; the part must lie inside
      slice(zeros(f32, {64, 64}), {0, 48}, {64, 32});
    });
  });
}
