// A CTA takes tiles in its roles.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    TileLoop tiles = persistent({N}, {64});
    // CHECK: turns-outside-roles.cpp:[[@LINE+1]]: error: turns() of a tile loop stands outside every role; CTAs take tiles in roles: move it into one
    Index turns = tiles.turns();
    role("math", warps(4), [&] { print("{}", turns); });
  });
}
