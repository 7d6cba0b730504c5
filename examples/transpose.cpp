// A matrix transposed: TMA brings a tile and takes it away. In between it goes
// through registers, which ldmatrix fills with its columns as rows. Two CTAs
// share an SM, so that one turns a tile while the other waits for memory.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel transpose() {
  return kernel("transpose", [] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), D = output("D", bf16, {N, M});
    TileLoop tiles = persistent({M, N}, {128, 64});
    Pipeline ring = pipeline(3, smem(bf16, {128, 64}));
    SharedTile turned = shared(bf16, {64, 128});
    ctas_per_sm(2);
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
        store(turned, load(s[0].T()));
        ring.release(s);
        copy(turned, D.tile({n, m}));
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
