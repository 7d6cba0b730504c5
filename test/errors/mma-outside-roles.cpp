// Only roles do work.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64});
    // CHECK: mma-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    mma(a, a.T(), zeros(f32, {64, 64}));
    role("math", warpgroups(1), [] {});
  });
}
