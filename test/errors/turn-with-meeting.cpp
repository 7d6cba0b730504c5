// Warpgroups that wait for their turns can't be met.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {128, 128});
    Tensor D = output("D", f32, {128});
    role("math", warpgroups(2), [&] {
      Fragment x = load(X.at({0, 0}), {128, 128});
      in_turn([&] {
        // CHECK: turn-with-meeting.cpp:[[@LINE+1]]: error: the warpgroups of role 'math' meet here, and others wait for their turns: move it out of in_turn
        store(D.at({0}), column_sum(x));
      });
    });
  });
}
