// Integer wgmma has fewer widths than the others.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(s8, {64, 64}), b = shared(s8, {40, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(s32, {64, 40}));
    });
  });
}
