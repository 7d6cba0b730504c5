// Only roles do work.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    // CHECK: loop-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    for (Index k : range(4))
      store(D.tile({k, 0}), zeros(f32, {64, 64}));
    role("math", warpgroups(1), [] {});
  });
}
