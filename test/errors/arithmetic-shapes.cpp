// Shapes broadcast as in NumPy.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment a = zeros(f32, {64, 64}), b = zeros(f32, {64, 32});
      // CHECK: arithmetic-shapes.cpp:[[@LINE+1]]: error: the shapes 64x32 and 64x64 don't broadcast: trailing extents must agree or be 1; a vector of row values is written along_rows(vector)
      a + b;
    });
  });
}
