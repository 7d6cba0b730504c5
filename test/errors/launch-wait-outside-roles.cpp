// Each role waits for itself.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    programmatic_launch();
    // CHECK: launch-wait-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    wait_for_previous_launch();
    role("math", warpgroups(1), [] {});
  });
}
