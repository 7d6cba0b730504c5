// What has one dimension has no columns.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(4), [] {
      // CHECK: column-scan-of-a-vector.cpp:[[@LINE+1]]: error: column_inclusive_sum of 64 f32, which has one dimension; a vector is one row: row_inclusive_sum scans it
      column_inclusive_sum(zeros(f32, {64}));
    });
  });
}
