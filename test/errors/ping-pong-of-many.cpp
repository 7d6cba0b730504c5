// All warpgroups in ping-pong are in one CTA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: ping-pong-of-many.cpp:[[@LINE+1]]: error: role 'math' has 36 warps; a role has 1 to 32
    role("math", ping_pong(9), [] {});
  });
}
