// RMS norm of rows with the residual added first: R becomes R + X, and
// D = R · W / sqrt(mean(R²) + eps).

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>

using namespace ashlar;

/// Of rows of at most `most` elements.
Kernel rmsNorm(int64_t most) {
  return kernel("rms_norm", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), W = input("W", bf16, {N});
    Tensor R = inout("R", bf16, {M, N});
    Tensor D = output("D", bf16, {M, N});
    Scalar eps = scalar("eps", f32);
    TileLoop rows = grid({M}, {1});
    role("all", warps(std::clamp<int64_t>(most / 512, 4, 32)), [&] {
      for (auto [m] : rows) {
        Fragment x = convert(load(X.at({m, 0}), {1, most}), f32);
        Fragment r = convert(load(R.at({m, 0}), {1, most}), f32) + x;
        store(R.at({m, 0}), convert(r, bf16));
        Scalar mean = sum(r * r) / convert(N, f32);
        Fragment w = convert(load(W.at({0}), {most}), f32);
        store(D.at({m, 0}), convert(r * rsqrt(mean + eps) * w, bf16));
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
  return tool(argc, argv, rmsNorm(4096),
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .scalars = {{"eps", 1e-6}},
               .references = {{"R", residual}, {"D", reference}}});
}
