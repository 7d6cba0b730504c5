// What the C++ library computes is told at the author's line before.
#include "ashlar/ashlar.h"

#include <numeric>
#include <vector>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      std::vector<Fragment> parts;
      parts.push_back(zeros(f32, {64, 64}));
      parts.push_back(zeros(f32, {64, 32}));
      // CHECK: fragment-in-an-algorithm.cpp:[[@LINE+1]]: error: the shapes 64x32 and 64x64 don't broadcast: trailing extents must agree or be 1; a vector of row values is written along_rows(vector)
      std::accumulate(parts.begin(), parts.end(), zeros(f32, {64, 64}));
    });
  });
}
