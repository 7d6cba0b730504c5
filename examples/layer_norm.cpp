// Layer norm of rows, forward and backward.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <string_view>

using namespace ashlar;

static Warps team(int64_t most) {
  return warps(std::clamp<int64_t>(most / 512, 4, 32));
}

/// D = (X - mean) · rstd · W + B, of rows of at most `most` elements.
Kernel forward(int64_t most) {
  return kernel("layer_norm", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N});
    Tensor W = input("W", bf16, {N}), B = input("B", bf16, {N});
    Tensor D = output("D", bf16, {M, N});
    Tensor means = output("Mean", f32, {M}, align(4));
    Tensor rstds = output("Rstd", f32, {M}, align(4));
    Scalar eps = scalar("eps", f32);
    TileLoop rows = grid({M}, {1});
    role("all", team(most), [&] {
      for (auto [m] : rows) {
        Fragment x = convert(load(X.at({m, 0}), {1, most}), f32);
        Scalar n = convert(N, f32), mean = sum(x) / n;
        x = select(columns({1, most}) < N, x - mean, 0);
        Scalar rstd = rsqrt(sum(x * x) / n + eps);
        Fragment w = convert(load(W.at({0}), {most}), f32);
        Fragment b = convert(load(B.at({0}), {most}), f32);
        store(D.at({m, 0}), convert(x * rstd * w + b, bf16));
        store(means.at({m}), full(f32, {1}, mean));
        store(rstds.at({m}), full(f32, {1}, rstd));
      }
    });
  });
}

/// What D's gradient G makes of those of X, W and B; DW and DB begin as zeros.
Kernel backward(int64_t most) {
  return kernel("layer_norm_backward", [&] {
    Size M = size("M"), N = size("N"), P = size("CTAs");
    Tensor X = input("X", bf16, {M, N}), G = input("G", bf16, {M, N});
    Tensor W = input("W", bf16, {N});
    Tensor means = input("Mean", f32, {M}, align(4));
    Tensor rstds = input("Rstd", f32, {M}, align(4));
    Tensor DX = output("DX", bf16, {M, N});
    Tensor DW = inout("DW", f32, {N}), DB = inout("DB", f32, {N});
    TileLoop ctas = grid({P}, {1});
    SharedTile sums = shared(f32, {most});
    role("all", team(most), [&] {
      for (auto [p] : ctas) {
        Fragment w = convert(load(W.at({0}), {most}), f32);
        Fragment dw = zeros(f32, {1, most}), db = zeros(f32, {1, most});
        for (Index m : range(p, M, P)) {
          Fragment g = convert(load(G.at({m, 0}), {1, most}), f32);
          Fragment x = convert(load(X.at({m, 0}), {1, most}), f32);
          Scalar n = convert(N, f32), rstd = load_scalar(rstds.at({m}));
          x = (x - load_scalar(means.at({m}))) * rstd;
          dw += g * x;
          db += g;
          Fragment wg = w * g;
          Scalar a = sum(wg * x) / n, b = sum(wg) / n;
          store(DX.at({m, 0}), convert((wg - x * a - b) * rstd, bf16));
        }
        store(sums, column_sum(dw));
        copy(sums, DW.at({0}), reduce_add);
        store(sums, column_sum(db));
        copy(sums, DB.at({0}), reduce_add);
      }
    });
  });
}

struct Row {
  double mean = 0, rstd = 0;
  Row(const Problem &p, int64_t m) {
    const double n = double(p.size("N"));
    for (int64_t i = 0; i < p.size("N"); ++i)
      mean += p["X"](m, i) / n;
    double variance = 0;
    for (int64_t i = 0; i < p.size("N"); ++i)
      variance += std::pow(p["X"](m, i) - mean, 2) / n;
    rstd = 1 / std::sqrt(variance + p.scalar("eps"));
  }
};

static double normed(const Problem &p, std::span<const int64_t> at) {
  const Row row(p, at[0]);
  return (p["X"](at) - row.mean) * row.rstd * p["W"](at[1]) + p["B"](at[1]);
}

/// Of a row: the gradient of X, given as `rstd` and the mean are.
static double gradient(const Problem &p, std::span<const int64_t> at) {
  const double n = double(p.size("N")), rstd = p["Rstd"](at[0]);
  auto x = [&](int64_t i) {
    return (p["X"](at[0], i) - p["Mean"](at[0])) * rstd;
  };
  double a = 0, b = 0;
  for (int64_t i = 0; i < p.size("N"); ++i) {
    const double wg = p["W"](i) * p["G"](at[0], i);
    a += wg * x(i) / n;
    b += wg / n;
  }
  return (p["W"](at[1]) * p["G"](at) - x(at[1]) * a - b) * rstd;
}

static double ofWeight(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t m = 0; m < p.size("M"); ++m)
    sum += p["G"](m, at[0]) * (p["X"](m, at[0]) - p["Mean"](m)) * p["Rstd"](m);
  return sum;
}

static double ofBias(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t m = 0; m < p.size("M"); ++m)
    sum += p["G"](m, at[0]);
  return sum;
}

/// `layer_norm backward ...` is the backward one.
int main(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "backward")
    return tool(
        argc - 1, argv + 1, backward(4096),
        {.sizes = {{"M", 8192}, {"N", 4096}, {"CTAs", 132}},
         .simulated_sizes = {{"M", 7}, {"N", 3000}, {"CTAs", 3}},
         .zeros = {"DW", "DB"},
         .references = {{"DX", gradient}, {"DW", ofWeight}, {"DB", ofBias}},
         .tolerance = 0.02});
  return tool(argc, argv, forward(4096),
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .scalars = {{"eps", 1e-5}},
               .references = {
                   {"D", normed},
                   {"Mean",
                    [](const Problem &p, std::span<const int64_t> at) {
                      return Row(p, at[0]).mean;
                    }},
                   {"Rstd", [](const Problem &p, std::span<const int64_t> at) {
                      return Row(p, at[0]).rstd;
                    }}}});
}
