// One value for each row, of all leading dimensions or of the first of them.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(4), [] {
      // CHECK: along-rows-shape.cpp:[[@LINE+1]]: error: along_rows of 4x8 meets a fragment of 8x4x64; it takes one value for each row, a vector for a matrix: its extents are the fragment's first ones
      zeros(f32, {8, 4, 64}) * along_rows(zeros(f32, {4, 8}));
    });
  });
}
