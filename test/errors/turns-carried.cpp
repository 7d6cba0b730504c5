// What a variable has after an iteration another group of warps has computed.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {16, 64});
    Tensor Y = output("Y", f32, {64});
    role("sum", in_turns(2, warps(1)), [&] {
      Fragment sum = zeros(f32, {64});
      // CHECK: turns-carried.cpp:[[@LINE+1]]: error: role 'sum' takes the iterations of a loop in turns, and a variable is carried from one to the next, which another group of warps runs: let each iteration depend on its index alone
      for (Index i : in_turns(range(16)))
        sum = sum + load(X.at({i, 0}), {64});
      store(Y.at({0}), sum);
    });
  });
}
