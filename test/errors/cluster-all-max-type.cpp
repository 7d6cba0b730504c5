// Of the largest logits of rows that two CTAs share.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    role("math", warps(4), [] {
      // CHECK: cluster-all-max-type.cpp:[[@LINE+1]]: error: cluster_all_max combines f32 or s32; this fragment is 64 bf16: convert it first
      cluster_all_max(zeros(bf16, {64}), 0);
    });
  });
}
