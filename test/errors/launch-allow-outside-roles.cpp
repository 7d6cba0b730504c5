// Only roles run, also to let the next launch start.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    programmatic_launch();
    // CHECK: launch-allow-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    allow_next_launch();
    role("math", warpgroups(1), [] {});
  });
}
