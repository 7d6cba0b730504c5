// How often each of 256 values occurs: each CTA counts in shared memory, and
// adds what it has at the end.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel histogram() {
  return kernel("histogram", [] {
    constexpr int64_t width = 4096;
    Size N = size("N"), P = size("CTAs");
    Tensor X = input("X", u8, {N});
    Tensor D = inout("D", s32, {256}, align(4));
    TileLoop ctas = grid({P}, {1});
    SharedTile bins = shared(s32, {256});
    role("count", warps(8), [&] {
      for (auto [p] : ctas) {
        store(bins, zeros(s32, {256}));
        for (Index n : range(p * width, N, P * width)) {
          Fragment x = load(X.at({n}), {width});
          x = select(inside(X.at({n}), {width}), x, -1);
          scatter(bins, {x}, full(s32, {width}, 1), Reduction::add);
        }
        scatter(D, {columns({256})}, load(bins), Reduction::add);
      }
    });
  });
}

static double byteAt(const Problem &, std::span<const int64_t> at) {
  return double(at[0] * at[0] / 7 % 256);
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double count = 0;
  for (int64_t n = 0; n < p.size("N"); ++n)
    count += byteAt(p, {&n, 1}) == double(at[0]);
  return count;
}

int main(int argc, char **argv) {
  return tool(argc, argv, histogram(),
              {.sizes = {{"N", 1 << 26}, {"CTAs", 264}},
               .simulated_sizes = {{"N", 20001}, {"CTAs", 2}},
               .zeros = {"D"},
               .inputs = {{"X", byteAt}},
               .references = {{"D", reference}}});
}
