// A matrix transposed: TMA brings a tile and takes it away, and in between the
// tile is written to shared memory with rows as columns.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel transpose() {
  return kernel("transpose", [] {
    constexpr int64_t edge = 64;
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N});
    Tensor D = output("D", bf16, {N, M});
    TileLoop tiles = persistent({M, N}, {edge, edge});
    Pipeline ring = pipeline(6, smem(bf16, {edge, edge}));
    SharedTile staging = shared(bf16, {edge, edge});
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        copy(X.tile({m, n}), s[0]);
        ring.commit(s);
      }
    });
    role("turn", warps(4), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.wait();
        store(staging.T(), load(s[0]));
        ring.release(s);
        copy(staging, D.tile({n, m}));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  return p["X"](at[1], at[0]);
}

int main(int argc, char **argv) {
  return tool(argc, argv, transpose(),
              {.sizes = {{"M", 8192}, {"N", 8192}},
               .simulated_sizes = {{"M", 200}, {"N", 136}},
               .references = {{"D", reference}}});
}
