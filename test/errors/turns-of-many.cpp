// More groups of warps than a CTA has warps.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: turns-of-many.cpp:[[@LINE+1]]: error: role 'load' has 2147483648 groups of warps; a role has at most 32 warps
    role("load", in_turns(int64_t(1) << 62, warps(4)), [] {});
  });
}
