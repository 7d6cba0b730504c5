// A fragment is spread evenly over its threads.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {7, 9});
    role("math", warpgroups(1), [&] {
      // CHECK
      store(D.tile({0, 0}), zeros(f32, {7, 9}));
    });
  });
}
