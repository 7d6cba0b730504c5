// One of the groups may have an iteration less than the others.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {16, 64});
    Barrier meeting = barrier("meeting");
    role("fill", in_turns(2, warps(1)), [&] {
      // CHECK: turns-sync.cpp:[[@LINE+1]]: error: role 'fill' takes the iterations of a loop in turns, and what the groups of warps meet at, or arrive at, counts all of them, of which one may have an iteration less: meet and arrive behind it
      for (Index i : in_turns(range(3))) {
        store(Y.at({i, 0}), zeros(f32, {64}));
        meeting.sync();
      }
    });
  });
}
