// A bound below 0.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size K = size("K");
    // CHECK: at-most-below-zero.cpp:[[@LINE+1]]: error: at_most takes an index up to -1; give a number from 0 on
    at_most(K, -1);
  });
}
