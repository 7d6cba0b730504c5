// A GEMM of rows that begin on any element. TMA needs rows on 16 bytes: so the
// warps that multiply first load all of A and B, shift it, and leave it to the
// role that loads to store it in rows that begin on cache lines; from there it
// is a GEMM like others. The result leaves shifted in the same way. Of few
// rows, where nothing is read often, threads would rather shift what they load
// into the stages.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel unalignedGemm() {
  return kernel("unaligned_gemm", [] {
    constexpr int64_t bm = 128, bn = 192, bk = 64;
    Size M = size("M"), N = size("N"), K = size("K"), padded = size("KPadded");
    Tensor A = input("A", bf16, {M, K}, align(2));
    Tensor B = input("B", bf16, {N, K}, align(2));
    Tensor D = output("D", bf16, {M, N}, align(2));
    Tensor alignedA = inout("AlignedA", bf16, {M, padded});
    Tensor alignedB = inout("AlignedB", bf16, {N, padded});
    Tensor done = inout("Done", s32, {2}, align(4)); // zeros, and left so

    TileLoop ofA = persistent({M, padded}, {128, bk});
    TileLoop ofB = persistent({N, padded}, {128, bk});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline moved = pipeline(2, smem(bf16, {128, bk}));
    Pipeline ring = pipeline(3, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    SharedTile staging = shared(bf16, {bm, bn});

    role("load", warps(1), registers(40), [&] {
      for (auto [all, copied] : {std::pair{&ofA, &alignedA}, {&ofB, &alignedB}})
        for (auto [row, k] : *all) {
          Stage s = moved.wait();
          copy(s[0], copied->tile({row, k}));
          moved.release(s);
        }
      signal(done.at({0}));
      await(done.at({0}), tiles.ctas()); // products of all wait for all copies
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(alignedA.tile({m, k}), s[0]);
          copy(alignedB.tile({n, k}), s[1]);
          ring.commit(s);
        }
      when(atomic_add(done.at({1}), 1) == tiles.ctas() - 1, [&] {
        atomic_exchange(done.at({0}), 0); // for the next launch
        atomic_exchange(done.at({1}), 0);
      });
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [all, given] : {std::pair{&ofA, &A}, {&ofB, &B}})
        for (auto [row, k] : *all) {
          Stage s = moved.acquire();
          copy(given->tile({row, k}), s[0]);
          moved.commit(s);
        }
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
  return tool(
      argc, argv, unalignedGemm(),
      {.sizes = {{"M", 4097}, {"N", 4097}, {"K", 4097}, {"KPadded", 4160}},
       .simulated_sizes =
           {{"M", 131}, {"N", 387}, {"K", 141}, {"KPadded", 192}},
       .zeros = {"Done"},
       .references = {{"D", examples::dotProduct}},
       .operations = examples::operations});
}
