// Arithmetic on fragments.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// A vector of fewer elements than the role has threads, which nobody uses.
Feature unusedVector() {
  return {"a vector that is loaded and not used",
          [] {
            return kernel("unused", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor Y = input("Y", f32, {N});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = grid({M, N}, {32, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Fragment x = load(X.tile({m, n}), {32, 64});
                  Fragment y = load(Y.tile({n}), {64});
                  y *y;
                  store(D.tile({m, n}), x);
                }
              });
            });
          },
          {{{"M", 40}, {"N", 100}}},
          [](const Problem &p, Coordinate at) { return p["X"](at); },
          0};
}

[[maybe_unused]] const bool registered = registerFeatures({unusedVector()});

} // namespace
} // namespace ashlar::test
