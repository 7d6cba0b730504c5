// Only a matrix has rows and columns to exchange.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: load-transposed-vector.cpp:[[@LINE+1]]: error: the fragment has 1 dimensions; .T() exchanges the two of a matrix: leave it out
      load(A.at({0, 0}).T(), {64});
    });
  });
}
