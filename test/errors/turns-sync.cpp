// One of the groups may have an iteration less than the others.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {16, 64});
    Barrier meeting = barrier("meeting");
    role("fill", in_turns(2, warps(1)), [&] {
      // CHECK: turns-sync.cpp:[[@LINE+1]]: error: role 'fill' takes the iterations of a loop in turns, and the groups of warps can't meet in it, as one of them may have an iteration less: meet behind it
      for (Index i : in_turns(range(3))) {
        store(Y.at({i, 0}), zeros(f32, {64}));
        meeting.sync();
      }
    });
  });
}
