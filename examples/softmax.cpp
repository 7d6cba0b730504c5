// Softmax of rows: each tile is one row, which the threads of a role hold.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Of rows of at most `most` elements.
Kernel softmax(int64_t most) {
  return kernel("softmax", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N});
    Tensor D = output("D", bf16, {M, N});
    TileLoop rows = grid({M}, {1});
    role("all", warps(std::clamp<int64_t>(most / 512, 4, 32)), [&] {
      for (auto [m] : rows) {
        Fragment x = convert(load(X.at({m, 0}), {1, most}), f32);
        x = select(columns({1, most}) < N, x, -infinity);
        Fragment e = exp(x - along_rows(row_max(x)));
        store(D.at({m, 0}), convert(e / along_rows(row_sum(e)), bf16));
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
  return tool(argc, argv, softmax(4096),
              {.sizes = {{"M", 8192}, {"N", 4096}},
               .simulated_sizes = {{"M", 5}, {"N", 3000}},
               .references = {{"D", reference}}});
}
