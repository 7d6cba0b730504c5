// A signal adds to what a counter holds.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor done = output("Done", s32, {size("N")}, align(4));
    role("math", warps(4), [&] {
      // CHECK: signal-on-output.cpp:[[@LINE+1]]: error: tensor 'Done' is an output and what it holds is combined with more here; declare it with inout()
      signal(done.at({0}));
    });
  });
}
