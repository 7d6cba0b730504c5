// Each CTA gets as many columns.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({4});
    role("math", warpgroups(1), [] {
      // CHECK: cluster-sum-columns.cpp:[[@LINE+1]]: error: cluster_sum shares out the columns of 64x6 f32 among 4 CTAs: make them a multiple of 4, or take cluster_all_sum, which gives all to each
      cluster_sum(zeros(f32, {64, 6}), 0);
    });
  });
}
