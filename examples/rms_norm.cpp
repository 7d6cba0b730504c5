// RMS norm of rows with the residual added first: R becomes R + X, and
// D = R · W / sqrt(mean(R²) + eps). A CTA holds some rows in registers, or a
// cluster a row, each of its CTAs a part of the columns.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>

using namespace ashlar;

Kernel rmsNorm(const Constants &c) {
  return kernel("rms_norm", [&] {
    const int64_t parts = c["parts"];
    const Shape shape{c["height"], c["columns"]};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), W = input("W", bf16, {N});
    Tensor R = inout("R", bf16, {M, N});
    Tensor D = output("D", bf16, {M, N});
    Scalar eps = scalar("eps", f32);
    cluster({1, parts});
    TileLoop tiles = grid({M, Index(parts)}, {shape[0], 1});
    ctas_per_sm(c["ctas"]);
    role("all", warps(c["warps"]), [&] {
      for (auto [m, part] : tiles) {
        Fragment x = load(X.tile({m, part}), shape),
                 r = load(R.tile({m, part}), shape);
        r = convert(convert(r, f32) + convert(x, f32), bf16);
        store(R.tile({m, part}), r);
        Fragment squares = row_sum(convert(r, f32) * convert(r, f32));
        Scalar n = convert(N, f32);
        Fragment rstd = rsqrt(cluster_all_sum(squares, 1) / n + eps);
        Fragment w = convert(load(W.tile({part}), {shape[1]}), f32);
        Fragment y = convert(r, f32) * along_rows(rstd) * w;
        store(D.tile({m, part}), convert(y, bf16));
      }
    });
  });
}

static double residual(const Problem &p, std::span<const int64_t> at) {
  return p["X"](at) + p["R"](at);
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double squares = 0;
  for (int64_t n = 0; n < p.size("N"); ++n) {
    const int64_t element[] = {at[0], n};
    squares += std::pow(residual(p, element), 2);
  }
  const double mean = squares / double(p.size("N"));
  return residual(p, at) * p["W"](at[1]) / std::sqrt(mean + p.scalar("eps"));
}

int main(int argc, char **argv) {
  return tool(argc, argv, rmsNorm,
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .constants = {{"parts", 1},
                             {"height", 1},
                             {"columns", 4096},
                             {"warps", 8},
                             {"ctas", 5}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .scalars = {{"eps", 1e-6}},
               .references = {{"R", residual}, {"D", reference}}});
}
