// Only roles have warpgroups.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: in-order-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    in_order([] {});
    role("math", warpgroups(2), [] {});
  });
}
