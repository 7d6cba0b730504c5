// A tile of extent 0 in a trip count.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    int bk = 0;
    Size K = size("K");
    role("math", warpgroups(1), [&] {
      // CHECK: index-division.cpp:[[@LINE+1]]: error: this divides by 0; give a divisor that is not
      for (Index k : range(ceil_div(K, bk)))
        k + 1;
    });
  });
}
