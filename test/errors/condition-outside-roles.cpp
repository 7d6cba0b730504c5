// Only roles do work.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    Index tiles = 0;
    // CHECK: condition-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    when(M > 64, [&] { tiles = M / 64; });
    role("math", warpgroups(1), [&] {
      for (Index i : range(tiles))
        i + 1;
    });
  });
}
