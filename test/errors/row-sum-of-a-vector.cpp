// What has one dimension has no rows.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(4), [] {
      // CHECK: row-sum-of-a-vector.cpp:[[@LINE+1]]: error: row_sum of 64 f32, which has one dimension; sum, max, min, any and all combine all elements
      row_sum(zeros(f32, {64}));
    });
  });
}
