// Variables that C++ moves, and that containers hold: what is moved from
// remains a variable of its own.

#include "test/kernels/Feature.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::test {
namespace {

constexpr int64_t rows = 4, width = 64;

/// D's blocks of rows are X's in another order.
Feature moved(const std::string &name,
              const std::function<void(std::vector<Fragment> &)> &reorder,
              const std::vector<int64_t> &order) {
  const auto count = int64_t(order.size());
  return {name,
          [=] {
            return kernel("moved", [&] {
              Size N = size("N");
              Tensor X = input("X", f32, {count * rows, N});
              Tensor D = output("D", f32, {count * rows, N});
              TileLoop tiles = grid({N}, {width});
              role("all", warps(2), [&] {
                for (auto [n] : tiles) {
                  std::vector<Fragment> parts;
                  for (int64_t i = 0; i < count; ++i)
                    parts.push_back(
                        load(X.at({i * rows, n * width}), {rows, width}));
                  reorder(parts);
                  for (int64_t i = 0; i < count; ++i)
                    store(D.at({i * rows, n * width}), parts[i]);
                }
              });
            });
          },
          {{{"N", 200}}},
          [=](const Problem &p, Coordinate at) {
            return p["X"](order[at[0] / rows] * rows + at[0] % rows, at[1]);
          },
          0};
}

/// D[n] = F(n) and F(n + 1) of Fibonacci's numbers, by indices that a loop
/// carries and swaps.
Feature swappedIndices() {
  return {"indices that a loop swaps",
          [] {
            return kernel("swapped", [] {
              Size N = size("N");
              Tensor X = input("X", f32, {N});
              Tensor D = output("D", f32, {N, 32});
              TileLoop tiles = grid({N}, {1});
              role("all", warps(1), [&] {
                for (auto [n] : tiles) {
                  Index a = 0, b = 1;
                  for (Index i : range(n)) {
                    a += b;
                    std::swap(a, b);
                  }
                  store(D.at({n, 0}), convert(columns({1, 32}) * 0 + a, f32));
                }
              });
            });
          },
          {{{"N", 12}}},
          [](const Problem &, Coordinate at) {
            int64_t a = 0, b = 1;
            for (int64_t i = 0; i < at[0]; ++i) {
              a += b;
              std::swap(a, b);
            }
            return double(a);
          },
          0};
}

/// D[n] = n + n^2 by indices that lie in a vector and in an optional, which
/// loops and branches carry as they carry others.
Feature indicesInContainers() {
  return {"indices in containers",
          [] {
            return kernel("contained", [] {
              Size N = size("N");
              Tensor D = output("D", f32, {N, 32});
              TileLoop tiles = grid({N}, {1});
              role("all", warps(1), [&] {
                for (auto [n] : tiles) {
                  std::vector<Index> sums = {0, n};
                  sums.insert(sums.begin(), 0);
                  std::optional<Index> square;
                  square = 0;
                  for (Index i : range(n)) {
                    sums[1] += 1;
                    when(i >= 0, [&] { *square += n; });
                  }
                  sums.erase(sums.begin());
                  store(D.at({n, 0}),
                        convert(columns({1, 32}) * 0 + sums[0] + *square, f32));
                }
              });
            });
          },
          {{{"N", 12}}},
          [](const Problem &, Coordinate at) {
            return double(at[0] + at[0] * at[0]);
          },
          0};
}

const bool registered = registerFeatures({
    moved("two fragments swapped",
          [](std::vector<Fragment> &all) { std::swap(all[0], all[1]); },
          {1, 0}),
    moved("a fragment moved out and back",
          [](std::vector<Fragment> &all) {
            Fragment kept = std::move(all[0]);
            all[0] = all[1];
            all[1] = std::move(kept);
          },
          {1, 0}),
    moved("fragments reversed",
          [](std::vector<Fragment> &all) {
            std::reverse(all.begin(), all.end());
          },
          {2, 1, 0}),
    moved("fragments rotated",
          [](std::vector<Fragment> &all) {
            std::rotate(all.begin(), all.begin() + 1, all.end());
          },
          {1, 2, 3, 0}),
    swappedIndices(),
    indicesInContainers(),
});

} // namespace
} // namespace ashlar::test
