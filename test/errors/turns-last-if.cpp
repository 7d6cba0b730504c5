// The other groups of warps do not see that a loop ends.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor Y = output("Y", f32, {N, 64});
    role("fill", in_turns(2, warps(1)), [&] {
      for (Index i : in_turns(range(N))) {
        store(Y.at({i, 0}), zeros(f32, {64}));
        // CHECK: turns-last-if.cpp:[[@LINE+1]]: error: role 'fill' takes the iterations of a loop in turns, and last_if ends it, which the other groups of warps can't tell: give the loop its end
        last_if(i > 7);
      }
    });
  });
}
