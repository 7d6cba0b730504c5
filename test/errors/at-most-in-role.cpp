// A bound of an index that the launch does not know.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size K = size("K");
    role("math", warpgroups(1), [&] {
      for (Index k : range(K)) {
        // CHECK: at-most-in-role.cpp:[[@LINE+1]]: error: at_most stands inside a role, loop or branch; it belongs directly in the kernel
        at_most(K + k, 100);
      }
    });
  });
}
