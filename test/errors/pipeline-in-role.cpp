// What roles share is declared before them.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("load", warps(1), [] {
      // CHECK: pipeline-in-role.cpp:[[@LINE+1]]: error: the pipeline stands inside a role, loop or branch; it belongs directly in the kernel
      pipeline(2, smem(bf16, {64, 64}));
    });
  });
}
