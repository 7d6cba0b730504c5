// A tile of extent 0 in a trip count.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    int bk = 0;
    Size K = size("K");
    role("math", warpgroups(1), [&] {
      // CHECK
      for (Index k : range(ceil_div(K, bk)))
        k + 1;
    });
  });
}
