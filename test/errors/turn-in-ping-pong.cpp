// In ping-pong each warpgroup has tiles of its own, and not as many as the
// other.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    TileLoop tiles = persistent({M}, {64});
    role("math", ping_pong(2), [&] {
      for ([[maybe_unused]] auto [m] : tiles)
        // CHECK: turn-in-ping-pong.cpp:[[@LINE+1]]: error: in_turn stands in role 'math' in ping-pong, whose warpgroups have tiles of their own: use warpgroups(2)
        in_turn([&] {});
    });
  });
}
