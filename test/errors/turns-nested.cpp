// Groups that take turns in a loop have none left for one within.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {16, 64});
    role("fill", in_turns(2, warps(1)), [&] {
      for (Index i : in_turns(range(4)))
        // CHECK: turns-nested.cpp:[[@LINE+1]]: error: role 'fill' takes the iterations of a loop in turns, and it stands in another such loop: let one of them be a range without in_turns
        for (Index j : in_turns(range(4)))
          store(Y.at({i * 4 + j, 0}), zeros(f32, {64}));
    });
  });
}
