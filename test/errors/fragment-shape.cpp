// A fragment is spread evenly over its threads.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {7, 99});
    role("math", warpgroups(1), [&] {
      // CHECK: fragment-shape.cpp:[[@LINE+1]]: error: role 'math' cannot hold this fragment: the 693 elements of a fragment (7,99) do not divide among 128 threads: use a multiple of 128 elements
      store(D.tile({0, 0}), zeros(f32, {7, 99}));
    });
  });
}
