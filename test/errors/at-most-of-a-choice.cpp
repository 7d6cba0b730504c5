// A bound of an index that the launch can't compute.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size K = size("K");
    // CHECK: at-most-of-a-choice.cpp:[[@LINE+1]]: error: at_most bounds an index that the launch can't compute; it is of sizes, numbers and +, -, *, /, %, ceil_div, min, max of them, 1000 in all
    at_most(select(K == 3, 1, K), 100);
  });
}
