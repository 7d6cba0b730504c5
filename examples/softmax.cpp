// Softmax of rows: a CTA holds some rows in registers.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float log2e = 1.44269504f;

/// Of rows of at most `most` elements.
Kernel softmax(const Constants &c) {
  return kernel("softmax", [&] {
    const Shape shape{c["height"], c["most"]};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), D = output("D", bf16, {M, N});
    TileLoop tiles = grid({M}, {shape[0]});
    ctas_per_sm(c["ctas"]);
    role("all", warps(c["warps"]), [&] {
      for (auto [m] : tiles) {
        Fragment x = load(X.tile({m, 0}), shape);
        when(N < shape[1],
             [&] { x = select(columns(shape) < N, x, -infinity); });
        auto power = [&](const Fragment &of_row) {
          return fast::exp2(convert(x, f32) * log2e - along_rows(of_row));
        };
        Fragment top = convert(row_max(x), f32) * log2e;
        top += fast::log2(row_sum(power(top)));
        store(D.tile({m, 0}), convert(power(top), bf16));
      }
    });
  });
}

/// Of longer rows: a row stays in shared memory, in stages of a ring, through
/// which chunks of the next one come while the last of it are computed.
Kernel softmaxOfLongRows(const Constants &c) {
  return kernel("softmax_of_long_rows", [&] {
    const Shape shape{1, c["chunk"]};
    const int64_t chunks = (c["most"] + shape[1] - 1) / shape[1];
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), D = output("D", bf16, {M, N});
    TileLoop rows = persistent({M}, {1});
    ctas_per_sm(c["ctas"]);
    Pipeline ring = pipeline(c["stages"], smem(bf16, shape));
    role("load", warps(1), [&] {
      for (auto [m] : rows)
        for (int64_t i = 0; i < chunks; ++i) {
          Stage s = ring.acquire();
          copy(X.tile({m, i}), s[0]);
          ring.commit(s);
        }
    });
    role("math", warps(c["warps"]), [&] {
      for (auto [m] : rows) {
        std::vector<Stage> row;
        auto part = [&](int64_t i) {
          Fragment x = load(row[i][0]);
          when(N < (i + 1) * shape[1], [&] {
            x = select(columns(shape) < N - i * shape[1], x, -infinity);
          });
          return x;
        };
        Fragment most = full(bf16, shape, -infinity), sum = zeros(f32, shape);
        for (int64_t i = 0; i < chunks; ++i) {
          row.push_back(ring.wait());
          most = max(most, part(i));
        }
        Fragment top = convert(row_max(most), f32) * log2e;
        auto power = [&](int64_t i) {
          return fast::exp2(convert(part(i), f32) * log2e - along_rows(top));
        };
        for (int64_t i = 0; i < chunks; ++i)
          sum += power(i);
        top += fast::log2(row_sum(sum));
        for (int64_t i = 0; i < chunks; ++i) {
          Fragment y = convert(power(i), bf16);
          ring.release(row[i]);
          store(D.tile({m, i}), y);
        }
      }
    });
  });
}

static double reference(const Problem &problem, std::span<const int64_t> at) {
  const HostTensor &x = problem["X"];
  double largest = -infinity, sum = 0;
  for (int64_t n = 0; n < problem.size("N"); ++n)
    largest = std::max(largest, x(at[0], n));
  for (int64_t n = 0; n < problem.size("N"); ++n)
    sum += std::exp(x(at[0], n) - largest);
  return std::exp(x(at[0], at[1]) - largest) / sum;
}

int main(int argc, char **argv) {
  auto build = [](const Constants &c) {
    return c["chunk"] ? softmaxOfLongRows(c) : softmax(c);
  };
  return tool(argc, argv, build,
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .constants = {{"most", 4096},
                             {"height", 1},
                             {"warps", 8},
                             {"ctas", 6},
                             {"chunk", 0},
                             {"stages", 4}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .references = {{"D", reference}}});
}
