// A promise of a multiple of 0.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size K = size("K");
    role("math", warpgroups(1), [&] {
      // CHECK: multiple-of-nothing.cpp:[[@LINE+1]]: error: multiple_of promises a multiple of 0; give a positive number
      multiple_of(K, 0);
    });
  });
}
