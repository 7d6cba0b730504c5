// What ends a loop stands in its own body.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      for (Index i : range(10))
        when(i > 3, [&] {
          // CHECK: last-if-in-when.cpp:[[@LINE+1]]: error: last_if stands in no loop's own body; compute the condition where you like, and say last_if directly in the range that is to end
          last_if(i > 5);
        });
    });
  });
}
