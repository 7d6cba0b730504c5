// bf16 to fp8, with a scale for each 128 elements of a row: the largest of them
// becomes the largest number of e4m3.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>

using namespace ashlar;

constexpr float largest = 448;

Kernel quantize() {
  return kernel("quantize", [] {
    Size M = size("M"), B = size("B"); // B blocks in a row
    Tensor X = input("X", bf16, {M, B, 128});
    Tensor Q = output("Q", e4m3, {M, B, 128});
    Tensor S = output("S", f32, {M, B}, align(4));
    TileLoop tiles = grid({M, B}, {1, 32});
    role("all", warps(8), [&] {
      for (auto [m, b] : tiles) {
        Fragment x = convert(load(X.at({m, b * 32, 0}), {32, 128}), f32);
        Fragment scale = max(row_max(abs(x)), 1e-12f) * (1 / largest);
        store(Q.at({m, b * 32, 0}), convert(x * along_rows(1 / scale), e4m3));
        store(S.at({m, b * 32}), scale);
      }
    });
  });
}

static double scaleOf(const Problem &p, std::span<const int64_t> at) {
  double most = 1e-12;
  for (int64_t i = 0; i < 128; ++i)
    most = std::max(most, std::abs(p["X"](at[0], at[1], i)));
  return most / largest;
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  return p["X"](at) / scaleOf(p, at.first(2));
}

int main(int argc, char **argv) {
  return tool(argc, argv, quantize(),
              {.sizes = {{"M", 8192}, {"B", 64}},
               .simulated_sizes = {{"M", 3}, {"B", 50}},
               .references = {{"S", scaleOf}, {"Q", reference}}});
}
