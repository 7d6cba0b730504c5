// Tiles that are brought to L2 before they are copied: the result is that of
// the copies, wherever the prefetched tiles lie.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// D = A, by tiles of `bm` x `bn`, each prefetched before the one before it is
/// copied.
Feature ahead(std::string name, ElementType type, int64_t bm, int64_t bn,
              std::vector<Sizes> problems) {
  auto build = [=] {
    return kernel("ahead", [&] {
      Size M = size("M"), N = size("N");
      Tensor A = input("A", type, {M, N});
      Tensor D = output("D", type, {M, N});
      TileLoop tiles = persistent({M, N}, {bm, bn});
      Pipeline ring = pipeline(2, smem(type, {bm, bn}));
      role("load", warps(1), [&] {
        for (auto [m, n] : tiles) {
          // Past the last tile nothing of the tensor is met.
          prefetch(A.tile({m, n + 1}), {bm, bn});
          Stage s = ring.acquire();
          copy(A.tile({m, n}), s[0]);
          ring.commit(s);
        }
      });
      role("store", warpgroups(1), [&] {
        for (auto [m, n] : tiles) {
          Stage s = ring.wait();
          Fragment x = load(s[0]);
          ring.release(s);
          store(D.tile({m, n}), x);
        }
      });
    });
  };
  return {std::move(name), build, std::move(problems),
          [](const Problem &p, Coordinate at) { return p["A"](at); }, 0};
}

/// D = A, of three dimensions: all tiles of a row are prefetched, then copied.
Feature matrices() {
  auto build = [] {
    return kernel("matrices", [] {
      Size L = size("L"), M = size("M"), N = size("N");
      Tensor A = input("A", bf16, {L, M, N});
      Tensor D = output("D", bf16, {L, M, N});
      TileLoop tiles = grid({L, M}, {1, 64});
      Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
      role("load", warps(1), [&] {
        for (auto [l, m] : tiles) {
          for (Index n : range(ceil_div(N, 64)))
            prefetch(A.at({l, m * 64, n * 64}), {64, 64});
          for (Index n : range(ceil_div(N, 64))) {
            Stage s = ring.acquire();
            copy(A.at({l, m * 64, n * 64}), s[0]);
            ring.commit(s);
          }
        }
      });
      role("store", warpgroups(1), [&] {
        for (auto [l, m] : tiles)
          for (Index n : range(ceil_div(N, 64))) {
            Stage s = ring.wait();
            Fragment x = load(s[0]);
            ring.release(s);
            store(D.at({l, m * 64, n * 64}), x);
          }
      });
    });
  };
  return {"prefetches of every tile of a row",
          build,
          {{{"L", 3}, {"M", 100}, {"N", 130}}},
          [](const Problem &p, Coordinate at) { return p["A"](at); },
          0};
}

[[maybe_unused]] const bool registered = registerFeatures({
    ahead("a prefetch of the next tile", bf16, 64, 64,
          {{{"M", 1}, {"N", 1}}, {{"M", 200}, {"N", 300}}}),
    ahead("a prefetch in several boxes", f32, 128, 128,
          {{{"M", 200}, {"N", 300}}}),
    ahead("a prefetch of narrow rows", e4m3, 64, 16, {{{"M", 70}, {"N", 40}}}),
    matrices(),
});

} // namespace
} // namespace ashlar::test
