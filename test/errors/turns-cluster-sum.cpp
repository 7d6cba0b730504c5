// A sum over a cluster goes by mbarriers whose phases follow one another.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N}), Y = output("Y", f32, {M});
    cluster({1, 2});
    TileLoop tiles = persistent({M, 2}, {16, 1});
    role("sum", in_turns(2, warps(4)), [&] {
      for (auto [m, half] : tiles)
        for (Index i : in_turns(range(4))) {
          Fragment part =
              row_sum(load(X.at({m * 16, (half * 4 + i) * 64}), {16, 64}));
          // CHECK: turns-cluster-sum.cpp:[[@LINE+1]]: error: role 'sum' takes the iterations of a loop in turns, and the groups of warps can't add over a cluster in it: add behind it, or in a range without in_turns
          store(Y.at({m * 16}), cluster_all_sum(part, 1));
        }
    });
  });
}
