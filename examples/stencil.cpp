// A stencil of five points: each element with its four neighbours, of which
// those outside of the plane are zeros.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel stencil() {
  return kernel("stencil", [] {
    constexpr int64_t rows = 16, columns = 256;
    const Shape tile{rows, columns};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N});
    Tensor D = output("D", f32, {M, N});
    Scalar centre = scalar("centre", f32), side = scalar("side", f32);
    TileLoop tiles = grid({M, N}, {rows, columns});
    role("all", warps(8), [&] {
      for (auto [i, j] : tiles) {
        Index m = i * rows, n = j * columns;
        Fragment sides =
            load(X.at({m - 1, n}), tile) + load(X.at({m + 1, n}), tile) +
            load(X.at({m, n - 1}), tile) + load(X.at({m, n + 1}), tile);
        store(D.at({m, n}), load(X.at({m, n}), tile) * centre + sides * side);
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  auto x = [&](int64_t m, int64_t n) {
    return m < 0 || n < 0 || m >= p.size("M") || n >= p.size("N")
               ? 0
               : p["X"](m, n);
  };
  const int64_t m = at[0], n = at[1];
  return x(m, n) * p.scalar("centre") +
         (x(m - 1, n) + x(m + 1, n) + x(m, n - 1) + x(m, n + 1)) *
             p.scalar("side");
}

int main(int argc, char **argv) {
  return tool(argc, argv, stencil(),
              {.sizes = {{"M", 8192}, {"N", 8192}},
               .simulated_sizes = {{"M", 50}, {"N", 500}},
               .scalars = {{"centre", 0.5}, {"side", 0.125}},
               .references = {{"D", reference}}});
}
