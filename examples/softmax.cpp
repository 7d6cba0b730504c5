// Softmax of rows: a CTA holds some rows in registers, or a cluster a row, each
// of its CTAs a part of the columns. The next row is on its way meanwhile.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float log2e = 1.44269504f;

Kernel softmax(const Constants &c) {
  return kernel("softmax", [&] {
    const Shape shape{c["height"], c["columns"]};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), D = output("D", bf16, {M, N});
    cluster({1, c["parts"]});
    TileLoop rows = persistent({M, Index(c["parts"])}, {shape[0], 1});
    ctas_per_sm(c["ctas"]);
    role("all", warps(c["warps"]), [&] {
      Index part = cluster_rank(), rest = N - part * shape[1];
      Fragment next = load(X.tile({rows.cta(), part}), shape);
      for (auto [m, same] : rows) {
        Fragment x = convert(next, f32);
        next = load(X.tile({m + rows.ctas(), part}), shape); // in flight
        when(rest < shape[1],
             [&] { x = select(columns(shape) < rest, x, -infinity); });
        Fragment most = cluster_all_max(row_max(x), 1) * log2e;
        Fragment power = fast::exp2(fma(x, log2e, along_rows(-most)));
        Fragment sum = cluster_all_sum(row_sum(power), 1);
        store(D.tile({m, part}), convert(power * along_rows(1 / sum), bf16));
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
  return tool(argc, argv, softmax,
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .constants = {{"parts", 1},
                             {"height", 1},
                             {"columns", 4096},
                             {"warps", 4},
                             {"ctas", 4}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .references = {{"D", reference}}});
}
