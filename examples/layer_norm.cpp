// Layer norm of rows, forward and backward.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <string_view>

using namespace ashlar;

/// D = (X - mean) · rstd · W + B. A CTA holds some rows in registers, or a
/// cluster a row, each of its CTAs a part of the columns. The next row is on
/// its way meanwhile.
Kernel forward(const Constants &c) {
  return kernel("layer_norm", [&] {
    const Shape shape{c["height"], c["columns"]};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), D = output("D", bf16, {M, N});
    Tensor W = input("W", bf16, {N}), B = input("B", bf16, {N});
    Tensor means = output("Mean", f32, {M}), rstds = output("Rstd", f32, {M});
    Scalar eps = scalar("eps", f32);
    expect(N > 0, "a row has an element, N is 1 or more");
    cluster({1, c["parts"]});
    TileLoop rows = persistent({M, Index(c["parts"])}, {shape[0], 1});
    ctas_per_sm(c["ctas"]);
    SharedTile w = shared(bf16, {shape[1]}), b = shared(bf16, {shape[1]});
    role("all", warps(c["warps"]), [&] {
      Index part = cluster_rank(), rest = N - part * shape[1];
      store(w, load(W.tile({part}), {shape[1]}));
      store(b, load(B.tile({part}), {shape[1]}));
      Scalar n = 1 / convert(N, f32);
      Fragment next = load(X.tile({rows.cta(), part}), shape);
      for (auto [m, same] : rows) {
        Fragment d = convert(next, f32);
        next = load(X.tile({m + rows.ctas(), part}), shape); // in flight
        Fragment mean = cluster_all_sum(row_sum(d), 1) * n;
        d -= along_rows(mean);
        when(rest < shape[1], [&] { d = select(columns(shape) < rest, d, 0); });
        Fragment rstd = rsqrt(cluster_all_sum(row_sum(d * d), 1) * n + eps);
        d *= along_rows(rstd);
        d = fma(d, convert(load(w), f32), convert(load(b), f32));
        store(D.tile({m, part}), convert(d, bf16));
        when(part == 0, [&] {
          store(means.tile({m}), mean);
          store(rstds.tile({m}), rstd);
        });
      }
    });
  });
}

/// What D's gradient G makes of those of X, W and B; DW and DB begin as zeros.
/// A row is read twice from its stage: for its sums, which the CTAs exchange
/// while the row before is finished, and when they have come. What is before
/// the first row of a CTA, and behind its last, is zeros.
Kernel backward(const Constants &c) {
  return kernel("layer_norm_backward", [&] {
    const Shape shape{c["height"], c["columns"]};
    Size M = size("M"), N = size("N"), P = size("CTAs");
    Tensor X = input("X", bf16, {M, N}), G = input("G", bf16, {M, N});
    Tensor W = input("W", bf16, {N}), DX = output("DX", bf16, {M, N});
    Tensor means = input("Mean", f32, {M}), rstds = input("Rstd", f32, {M});
    Tensor DW = inout("DW", f32, {N}), DB = inout("DB", f32, {N});
    cluster({1, c["parts"]});
    TileLoop ctas = grid({P, Index(c["parts"])}, {1, 1});
    ctas_per_sm(c["ctas"]);
    SharedTile sums = shared(f32, {shape[1]});
    Pipeline ring = pipeline(c["stages"], smem(bf16, shape), smem(bf16, shape),
                             smem(f32, {shape[0]}), smem(f32, {shape[0]}));
    role("load", warps(1), registers(32), [&] {
      for (auto [p, part] : ctas)
        for (Index m : range(p - P, ceil_div(M, shape[0]) + P, P)) {
          Stage s = ring.acquire();
          copy(X.tile({m, part}), s[0]);
          copy(G.tile({m, part}), s[1]);
          copy(means.tile({m}), s[2]);
          copy(rstds.tile({m}), s[3]);
          ring.commit(s);
        }
    });
    role("math", warps(c["warps"]), registers(c["registers"]), [&] {
      for (auto [p, part] : ctas) {
        Fragment w = convert(load(W.tile({part}), {shape[1]}), f32);
        Fragment dw = zeros(f32, shape), db = zeros(f32, shape);
        Fragment a = zeros(f32, {shape[0]}), b = a; // sums of G·W·X and of G·W
        Scalar n = -1 / convert(N, f32);
        Stage s = ring.wait();
        for (Index m : range(p - P, ceil_div(M, shape[0]), P)) {
          Fragment mean = load(s[2]), rstd = load(s[3]);
          Fragment of_x = (a - mean * b) * rstd * n, rest = b * n;
          Stage next = ring.wait();
          Fragment g = convert(load(next[1]), f32) * w;
          a = row_sum(g * convert(load(next[0]), f32)), b = row_sum(g);
          a = cluster_all_sum(a, 1), b = cluster_all_sum(b, 1); // on their way
          Fragment x = convert(load(s[0]), f32);
          x = (x - along_rows(mean)) * along_rows(rstd);
          g = convert(load(s[1]), f32);
          dw += g * x, db += g;
          g = g * w + (x * along_rows(of_x) + along_rows(rest));
          store(s[0], convert(g * along_rows(rstd), bf16));
          copy(s[0], DX.tile({m, part}));
          ring.release(s); // when it has been stored
          s = next;
        }
        ring.release(s);
        store(sums, column_sum(dw));
        copy(sums, DW.tile({part}), reduce_add);
        store(sums, column_sum(db));
        copy(sums, DB.tile({part}), reduce_add);
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
        argc - 1, argv + 1, backward,
        {.sizes = {{"M", 8192}, {"N", 4096}, {"CTAs", 132}},
         .constants = {{"parts", 1},
                       {"height", 1},
                       {"columns", 4096},
                       {"warps", 8},
                       {"registers", 104},
                       {"ctas", 2},
                       {"stages", 4}},
         .simulated_sizes = {{"M", 7}, {"N", 3000}, {"CTAs", 3}},
         .zeros = {"DW", "DB"},
         .references = {{"DX", gradient}, {"DW", ofWeight}, {"DB", ofBias}},
         .tolerance = 0.02});
  return tool(argc, argv, forward,
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .constants = {{"parts", 1},
                             {"height", 1},
                             {"columns", 4096},
                             {"warps", 8},
                             {"ctas", 3}},
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
