// What the C++ library makes in its own file is told at the author's line.
#include "ashlar/ashlar.h"

#include <vector>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      std::vector<Index> kept;
      for (Index i : range(4)) {
        Fragment x = zeros(f32, {64, 64});
        kept.emplace_back(0);
      }
      // CHECK: index-in-a-vector.cpp:[[@LINE+1]]: error: index declared at index-in-a-vector.cpp:[[@LINE-3]] is used outside its loop (at index-in-a-vector.cpp:[[@LINE-4]]); declare it before the loop and assign it inside
      store(D.tile({kept[0], 0}), zeros(f32, {64, 64}));
    });
  });
}
