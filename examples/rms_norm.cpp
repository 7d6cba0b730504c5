// RMS norm of rows with the residual added first: R becomes R + X, and
// D = R · W / sqrt(mean(R²) + eps).

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ashlar;

/// Of rows of at most `most` elements.
Kernel rmsNorm(const Constants &c) {
  return kernel("rms_norm", [&] {
    const Shape shape{c["height"], c["most"]};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), W = input("W", bf16, {N});
    Tensor R = inout("R", bf16, {M, N});
    Tensor D = output("D", bf16, {M, N});
    Scalar eps = scalar("eps", f32);
    TileLoop tiles = grid({M}, {shape[0]});
    ctas_per_sm(c["ctas"]);
    role("all", warps(c["warps"]), [&] {
      for (auto [m] : tiles) {
        Fragment x = load(X.tile({m, 0}), shape),
                 r = load(R.tile({m, 0}), shape);
        r = convert(convert(r, f32) + convert(x, f32), bf16);
        store(R.tile({m, 0}), r);
        Fragment squares = convert(r, f32) * convert(r, f32);
        Fragment rstd = rsqrt(row_sum(squares) / convert(N, f32) + eps);
        Fragment w = convert(load(W.at({0}), {shape[1]}), f32);
        Fragment y = convert(r, f32) * along_rows(rstd) * w;
        store(D.tile({m, 0}), convert(y, bf16));
      }
    });
  });
}

/// Of longer rows: chunks of them come through a ring while the row before is
/// computed, and are held as they are stored.
Kernel rmsNormOfLongRows(const Constants &c) {
  return kernel("rms_norm_of_long_rows", [&] {
    const Shape shape{1, c["chunk"]};
    const int64_t chunks = (c["most"] + shape[1] - 1) / shape[1];
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), W = input("W", bf16, {N});
    Tensor R = inout("R", bf16, {M, N});
    Tensor D = output("D", bf16, {M, N});
    Scalar eps = scalar("eps", f32);
    TileLoop rows = persistent({M}, {1});
    ctas_per_sm(c["ctas"]);
    Pipeline ring = pipeline(c["stages"], smem(bf16, shape), smem(bf16, shape));
    role("load", warps(1), [&] {
      for (auto [m] : rows)
        for (int64_t i = 0; i < chunks; ++i) {
          Stage s = ring.acquire();
          copy(X.tile({m, i}), s[0]);
          copy(R.tile({m, i}), s[1]);
          ring.commit(s);
        }
    });
    role("math", warps(c["warps"]), [&] {
      for (auto [m] : rows) {
        std::vector<Fragment> r;
        Fragment squares = zeros(f32, shape);
        for (int64_t i = 0; i < chunks; ++i) {
          Stage s = ring.wait();
          Fragment x = convert(load(s[0]), f32) + convert(load(s[1]), f32);
          ring.release(s);
          r.push_back(convert(x, bf16));
          store(R.tile({m, i}), r.back());
          squares += convert(r.back(), f32) * convert(r.back(), f32);
        }
        Fragment rstd = rsqrt(row_sum(squares) / convert(N, f32) + eps);
        for (int64_t i = 0; i < chunks; ++i) {
          Fragment w = convert(load(W.tile({i}), {shape[1]}), f32);
          Fragment y = convert(r[i], f32) * along_rows(rstd) * w;
          store(D.tile({m, i}), convert(y, bf16));
        }
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
  auto build = [](const Constants &c) {
    return c["chunk"] ? rmsNormOfLongRows(c) : rmsNorm(c);
  };
  return tool(argc, argv, build,
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .constants = {{"most", 4096},
                             {"height", 1},
                             {"warps", 8},
                             {"ctas", 5},
                             {"chunk", 0},
                             {"stages", 3}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .scalars = {{"eps", 1e-6}},
               .references = {{"R", residual}, {"D", reference}}});
}
