// What the C++ library copies is told at the author's line.
#include "ashlar/ashlar.h"

#include <vector>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      std::vector<Fragment> kept;
      for (Index i : range(4)) {
        Fragment x = zeros(f32, {64, 64});
        kept.push_back(x);
      }
      // CHECK: fragment-in-a-vector.cpp:[[@LINE+1]]: error: fragment declared at fragment-in-a-vector.cpp:[[@LINE-3]] is used outside its loop (at fragment-in-a-vector.cpp:[[@LINE-4]]); declare it before the loop and assign it inside
      exp2(kept[0]);
    });
  });
}
