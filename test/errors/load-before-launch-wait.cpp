// What the launch before writes is there after the wait.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", f32, {64, 64});
    Tensor D = output("D", f32, {64, 64});
    programmatic_launch();
    role("math", warpgroups(1), [&] {
      // CHECK: load-before-launch-wait.cpp:[[@LINE+1]]: error: this touches memory before the role waits for the launch before, which may still write there; until then a role may only prefetch: move it behind wait_for_previous_launch()
      Fragment a = load(A.tile({0, 0}), {64, 64});
      wait_for_previous_launch();
      store(D.tile({0, 0}), a);
    });
  });
}
