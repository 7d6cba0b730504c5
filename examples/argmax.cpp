// The index of the largest of each row: of the logits of a vocabulary, say.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <limits>

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();

Kernel argmax() {
  return kernel("argmax", [] {
    constexpr int64_t width = 8192;
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N});
    Tensor D = output("D", s32, {M}, align(4));
    TileLoop rows = grid({M}, {1});
    role("all", warps(16), [&] {
      for (auto [m] : rows) {
        Fragment best = full(f32, {1}, -infinity), at = zeros(s32, {1});
        for (Index n : range(0, N, width)) {
          Fragment x = convert(load(X.at({m, n}), {1, width}), f32);
          x = select(columns({1, width}) < N - n, x, -infinity);
          Fragment top = row_max(x);
          at = select(top > best, row_argmax(x) + n, at);
          best = max(best, top);
        }
        store(D.at({m}), at);
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  int64_t best = 0;
  for (int64_t n = 1; n < p.size("N"); ++n)
    if (p["X"](at[0], n) > p["X"](at[0], best))
      best = n;
  return double(best);
}

int main(int argc, char **argv) {
  return tool(argc, argv, argmax(),
              {.sizes = {{"M", 256}, {"N", 128256}},
               .simulated_sizes = {{"M", 3}, {"N", 20000}},
               .references = {{"D", reference}}});
}
