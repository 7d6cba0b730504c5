// Only roles do work.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    // CHECK: stage-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    Stage s = ring.wait();
    role("math", warpgroups(1), [&] { ring.release(s); });
  });
}
