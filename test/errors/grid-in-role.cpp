// How many tiles a loop in a role has the launch does not know.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor T = input("T", s32, {8}, align(4));
    role("math", warps(4), [&] {
      Index rows = load_index(T.at({0}));
      // CHECK: grid-in-role.cpp:[[@LINE+1]]: error: this loop stands in a role and has a CTA for each tile, and only the device knows how many there are: use persistent, or declare it beside the roles
      for (auto [m] : grid({rows}, {64}))
        print("{}", m);
    });
  });
}
