// wgmma has 8 of the even rows side by side.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(e4m3, {24, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: even-rows-of-few.cpp:[[@LINE+1]]: error: the shared tile (24,128) has its even rows first: that is for a matrix whose rows are a multiple of 16
      tile.even_rows_first();
    });
  });
}
