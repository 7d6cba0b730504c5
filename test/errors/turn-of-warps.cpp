// Only warpgroups take turns.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(6), [&] {
      // CHECK: turn-of-warps.cpp:[[@LINE+1]]: error: in_turn stands in role 'math' of 6 warps; warpgroups take turns: use warpgroups(2)
      in_turn([&] {});
    });
  });
}
