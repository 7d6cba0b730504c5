// A GEMM of rows that begin on any element. TMA needs rows on 16 bytes: here
// warps load words of 16 bytes, shift them by what a row begins behind one, and
// store them to the stage as TMA would, and the result leaves in the same way.
// The more warps and registers load, the more words are in flight.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel unalignedGemm(const Constants &c) {
  return kernel("unaligned_gemm", [&] {
    const int64_t bm = c["bm"], bn = c["bn"], bk = c["bk"];
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}, align(c["align"]));
    Tensor B = input("B", bf16, {N, K}, align(c["align"]));
    Tensor D = output("D", bf16, {M, N}, align(c["align"]));

    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring =
        pipeline(c["stages"], smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    SharedTile staging = shared(bf16, {bm, bn});

    role("load", warps(c["warps"]), registers(c["registers"]), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(c["math"]), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(staging, convert(acc, bf16));
        copy(staging, D.tile({m, n}));
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, unalignedGemm,
              {.sizes = {{"M", 4097}, {"N", 4097}, {"K", 4097}},
               .constants = {{"bm", 128},
                             {"bn", 192},
                             {"bk", 64},
                             {"stages", 4},
                             {"align", 2},
                             {"warps", 8},
                             {"registers", 112},
                             {"math", 144}},
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
