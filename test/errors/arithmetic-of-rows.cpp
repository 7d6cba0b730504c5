// A vector meets the columns; along_rows makes it meet the rows.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment scores = zeros(f32, {64, 128}), row_max = zeros(f32, {64});
      // CHECK: arithmetic-of-rows.cpp:[[@LINE+1]]: error: the shapes 64 and 64x128 don't broadcast: trailing extents must agree or be 1; a vector of row values is written along_rows(vector)
      scores - row_max;
    });
  });
}
