// Two GEMMs back to back: D = gelu(A · Bᵀ) · C. What is between them stays in
// registers, as the second one's A.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <cmath>
#include <numbers>

using namespace ashlar;

Kernel chainedGemm() {
  return kernel("chained_gemm", [] {
    constexpr int64_t bm = 128, d = 128, bh = 64; // rows, depth, of the hidden
    Size M = size("M"), H = size("H");
    Tensor A = input("A", bf16, {M, d});
    Tensor B = input("B", bf16, {H, d}), C = input("C", bf16, {H, d});
    Tensor D = output("D", bf16, {M, d});

    TileLoop tiles = persistent({M}, {bm});
    Pipeline rows = pipeline(1, smem(bf16, {bm, d}));
    Pipeline ring = pipeline(4, smem(bf16, {bh, d}), smem(bf16, {bh, d}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m] : tiles) {
        Stage a = rows.acquire();
        copy(A.at({m * bm, 0}), a[0]);
        rows.commit(a);
        for (Index h : range(ceil_div(H, bh))) {
          Stage s = ring.acquire();
          copy(B.at({h * bh, 0}), s[0]);
          copy(C.at({h * bh, 0}), s[1]);
          ring.commit(s);
        }
      }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m] : tiles) {
        Stage a = rows.wait();
        Fragment acc = zeros(f32, {bm, d});
        for (Index h : range(ceil_div(H, bh))) {
          Stage s = ring.wait();
          Fragment hidden = gelu(mma(a[0], s[0].T()));
          acc = mma(convert(hidden, bf16), s[1], acc);
          ring.release(s);
        }
        rows.release(a);
        store(D.at({m * bm, 0}), convert(acc, bf16));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t h = 0; h < p.size("H"); ++h) {
    double x = 0;
    for (int64_t k = 0; k < 128; ++k)
      x += p["A"](at[0], k) * p["B"](h, k);
    const double inner =
        std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    sum += x / 2 * (1 + std::tanh(inner)) * p["C"](h, at[1]);
  }
  return sum;
}

static double operations(const Problem &p) {
  return 4.0 * p.size("M") * p.size("H") * 128;
}

int main(int argc, char **argv) {
  return tool(argc, argv, chainedGemm(),
              {.sizes = {{"M", 32768}, {"H", 4096}},
               .simulated_sizes = {{"M", 200}, {"H", 300}},
               .references = {{"D", reference}},
               .operations = operations});
}
