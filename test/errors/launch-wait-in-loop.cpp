// A role waits once for the launch before.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    programmatic_launch();
    role("math", warpgroups(1), [] {
      for ([[maybe_unused]] Index i : range(8))
        // CHECK: launch-wait-in-loop.cpp:[[@LINE+1]]: error: wait_for_previous_launch stands in a loop or branch; a role waits once: move it out of it
        wait_for_previous_launch();
    });
  });
}
