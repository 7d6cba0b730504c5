// Ping-pong takes at least one warpgroup.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: ping-pong-of-none.cpp:[[@LINE+1]]: error: role 'math' has 0 groups of warps; give it at least 1
    role("math", ping_pong(0), [] {});
  });
}
