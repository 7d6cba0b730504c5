// Without programmatic_launch the launch before is done when a kernel starts.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: launch-wait-of-ordinary-kernel.cpp:[[@LINE+1]]: error: wait_for_previous_launch has nothing to wait for: the kernel starts when the launch before it is done; call programmatic_launch() before the roles
      wait_for_previous_launch();
    });
  });
}
