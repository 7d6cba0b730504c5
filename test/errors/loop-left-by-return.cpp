// The body of a loop is traced once, to its end.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK
      for (Index k : range(8))
        return;
    });
  });
}
