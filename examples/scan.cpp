// Running sums along rows: of counts to offsets, of probabilities to their
// distribution.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel scan() {
  return kernel("scan", [] {
    constexpr int64_t width = 4096;
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N});
    Tensor D = output("D", f32, {M, N});
    TileLoop rows = grid({M}, {1});
    role("all", warps(8), [&] {
      for (auto [m] : rows) {
        Fragment before = zeros(f32, {1});
        for (Index n : range(0, N, width)) {
          Fragment x = load(X.at({m, n}), {1, width});
          store(D.at({m, n}), row_inclusive_sum(x) + along_rows(before));
          before += row_sum(x);
        }
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t n = 0; n <= at[1]; ++n)
    sum += p["X"](at[0], n);
  return sum;
}

int main(int argc, char **argv) {
  return tool(argc, argv, scan(),
              {.sizes = {{"M", 4096}, {"N", 8192}},
               .simulated_sizes = {{"M", 3}, {"N", 5000}},
               .references = {{"D", reference}}});
}
