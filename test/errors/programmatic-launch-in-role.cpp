// How a kernel is launched is said of the kernel.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: programmatic-launch-in-role.cpp:[[@LINE+1]]: error: programmatic_launch stands inside a role, loop or branch; it belongs directly in the kernel
      programmatic_launch();
    });
  });
}
