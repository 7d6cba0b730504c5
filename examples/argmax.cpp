// The index of the largest of each row: of the logits of a vocabulary, say.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <limits>

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();

Kernel argmax(const Constants &c) {
  return kernel("argmax", [&] {
    const Shape shape{1, c["width"]};
    Size M = size("M"), N = size("N");
    Tensor X = input("X", bf16, {M, N}), D = output("D", s32, {M}, align(4));
    TileLoop rows = persistent({M}, {1});
    ctas_per_sm(c["ctas"]);
    role("all", warps(c["warps"]), [&] {
      for (auto [m] : rows) {
        // In each column of chunks the first of the largest.
        Fragment most = full(bf16, shape, -infinity), at = zeros(s32, shape);
        Fragment next = load(X.tile({m, 0}), shape);
        for (Index n : range(0, N, shape[1])) {
          Fragment x = next;
          next = load(X.at({m, n + shape[1]}), shape); // in flight
          when(n + shape[1] > N,
               [&] { x = select(columns(shape) < N - n, x, -infinity); });
          at = select(x > most, n, at);
          most = max(most, x);
        }
        Mask largest = most == along_rows(row_max(most));
        store(D.at({m}), row_min(select(largest, at + columns(shape), N)));
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
  return tool(argc, argv, argmax,
              {.sizes = {{"M", 256}, {"N", 128256}},
               .constants = {{"width", 8192}, {"ctas", 2}, {"warps", 16}},
               .simulated_sizes = {{"M", 3}, {"N", 20000}},
               .references = {{"D", reference}}});
}
