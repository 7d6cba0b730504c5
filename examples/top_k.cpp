// The k largest of each row with their places, the largest first; of equals the
// first comes first.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Of rows of at most `most` elements, K at most their number.
Kernel topK(int64_t most) {
  return kernel("top_k", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor X = input("X", bf16, {M, N});
    Tensor D = output("D", f32, {M, K}, align(4));
    Tensor places = output("Places", s32, {M, K}, align(4));
    expect(K <= N, "K is at most the elements of a row");
    TileLoop rows = grid({M}, {1});
    role("all", warps(4), [&] {
      for (auto [m] : rows) {
        const Shape row{1, most};
        Fragment x = convert(load(X.at({m, 0}), row), f32);
        x = select(columns(row) < N, x, -infinity);
        for (Index k : range(K)) {
          Fragment place = row_argmax(x);
          store(D.at({m, k}), row_max(x));
          store(places.at({m, k}), place);
          x = select(columns(row) == along_rows(place), -infinity, x);
        }
      }
    });
  });
}

/// The places of a row's elements, those of the largest first.
static std::vector<int64_t> sorted(const Problem &p, int64_t m) {
  std::vector<int64_t> order(p.size("N"));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](int64_t a, int64_t b) { return p["X"](m, a) > p["X"](m, b); });
  return order;
}

int main(int argc, char **argv) {
  auto place = [](const Problem &p, std::span<const int64_t> at) {
    return double(sorted(p, at[0])[at[1]]);
  };
  auto value = [place](const Problem &p, std::span<const int64_t> at) {
    return p["X"](at[0], int64_t(place(p, at)));
  };
  return tool(argc, argv, topK(4096),
              {.sizes = {{"M", 8192}, {"N", 4096}, {"K", 8}},
               .simulated_sizes = {{"M", 2}, {"N", 3000}, {"K", 8}},
               .references = {{"D", value}, {"Places", place}}});
}
