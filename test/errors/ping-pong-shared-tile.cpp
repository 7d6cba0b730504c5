// Each warpgroup in ping-pong has a shared tile of its own.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: ping-pong-shared-tile.cpp:[[@LINE+1]]: error: role 'math' and role 'store' share this tile, and 'math' is run by several groups of warps, each with its own: pass data between them through a pipeline
    SharedTile staged = shared(bf16, {64, 64});
    Tensor D = output("D", bf16, {64, 64});
    role("math", ping_pong(2), [&] { store(staged, zeros(bf16, {64, 64})); });
    role("store", warps(1), [&] { copy(staged, D.tile({0, 0})); });
  });
}
