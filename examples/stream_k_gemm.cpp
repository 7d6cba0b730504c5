// GEMM whose tiles do not divide evenly among the CTAs (stream-K): each takes
// the same number of steps of K, across tiles, the first CTA the last steps.
// Who has the first step of a tile finishes it: it adds, in order, what the
// CTAs before it have left in global memory.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel streamKGemm() {
  return kernel("stream_k_gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K"), ctas = size("CTAs");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    Tensor partials = inout("Partials", f32, {ctas, 128, 128});
    Tensor arrivals = inout("Arrivals", s32, {ctas}, align(4)); // zeros

    // Each CTA waits only for those before it, which have begun.
    TileLoop everyCta = persistent({ctas}, {1});
    Pipeline ring = pipeline(5, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
    // A step at least, if one of zeros: it is divided by.
    Index columns = ceil_div(N, 128), steps = max(ceil_div(K, 64), 1);
    Index all = ceil_div(M, 128) * columns * steps, each = ceil_div(all, ctas);
    auto endOf = [&](Index cta) { return max(all - cta * each, 0); };

    role("load", warps(1), registers(40), [&] {
      for (auto [cta] : everyCta)
        for (Index step : range(endOf(cta + 1), endOf(cta))) {
          Index tile = step / steps;
          Stage s = ring.acquire();
          copy(A.tile({tile / columns, step % steps}), s[0]);
          copy(B.tile({tile % columns, step % steps}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [cta] : everyCta) {
        Index step = endOf(cta + 1), end = endOf(cta);
        for (Index tile : range(step / steps, ceil_div(end, steps))) {
          Index next = (tile + 1) * steps;
          Fragment acc = zeros(f32, {128, 128});
          for (Index k : range(step, min(next, end))) {
            Stage s = ring.wait();
            acc = mma(s[0], s[1].T(), acc);
            ring.release(s);
          }
          when(step > tile * steps, [&] {
            store(partials.at({cta, 0, 0}), acc);
            signal(arrivals.at({cta}));
          });
          when(step == tile * steps, [&] {
            for (Index other : range(cta - ceil_div(next - end, each), cta)) {
              await(arrivals.at({other}), 1);
              signal(arrivals.at({other}), -1); // for the next launch
              acc = acc + load(partials.at({other, 0, 0}), {128, 128});
            }
            store(D.tile({tile / columns, tile % columns}), convert(acc, bf16));
          });
          step = next;
        }
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, streamKGemm(),
              {.sizes = {{"M", 4096}, {"N", 2304}, {"K", 4096}, {"CTAs", 132}},
               .simulated_sizes = {{"M", 300}, {"N", 200}, {"CTAs", 4}},
               .zeros = {"Partials", "Arrivals"},
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
