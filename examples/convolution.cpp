// A 3×3 convolution of images, channels last, with a border of zeros: a GEMM
// whose A are pixels, which TMA finds by coordinates that begin below zero.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel convolution() {
  return kernel("convolution", [] {
    constexpr int64_t wide = 64, high = 2, bn = 128, bk = 64; // 128 pixels
    Size B = size("B"), H = size("H"), W = size("W");
    Size C = size("C"), F = size("F"); // channels, filters
    Tensor X = input("X", bf16, {B, H, W, C});
    Tensor Y = input("Y", bf16, {F, 3, 3, C});
    Tensor D = output("D", bf16, {B, H, W, F});
    TileLoop tiles = persistent({B, H, W, F}, {1, high, wide, bn});
    Pipeline ring =
        pipeline(4, smem(bf16, {high, wide, bk}), smem(bf16, {bn, 1, 1, bk}));
    SharedTile staging = shared(bf16, {high * wide, bn});
    role("load", warps(1), registers(40), [&] {
      for (auto [b, y, x, f] : tiles)
        for (Index i : range(9 * ceil_div(C, bk))) {
          Index c = i / 9 * bk, dy = i % 9 / 3, dx = i % 3;
          Stage s = ring.acquire();
          copy(X.at({b, y * high + dy - 1, x * wide + dx - 1, c}), s[0]);
          copy(Y.at({f * bn, dy, dx, c}), s[1]);
          ring.commit(s);
        }
    });
    role("math", warpgroups(2), registers(232), [&] {
      for (auto [b, y, x, f] : tiles) {
        Fragment acc = zeros(f32, {high * wide, bn});
        for (Index i : range(9 * ceil_div(C, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0].as(bf16, {high * wide, bk}),
                    s[1].as(bf16, {bn, bk}).T(), acc);
          ring.release(s);
        }
        store(staging, convert(acc, bf16));
        copy(staging.as(bf16, {1, high, wide, bn}), D.tile({b, y, x, f}));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t dy = 0; dy < 3; ++dy)
    for (int64_t dx = 0; dx < 3; ++dx) {
      const int64_t y = at[1] + dy - 1, x = at[2] + dx - 1;
      if (y < 0 || x < 0 || y >= p.size("H") || x >= p.size("W"))
        continue;
      for (int64_t c = 0; c < p.size("C"); ++c)
        sum += p["X"](at[0], y, x, c) * p["Y"](at[3], dy, dx, c);
    }
  return sum;
}

static double operations(const Problem &p) {
  return 18.0 * p.size("B") * p.size("H") * p.size("W") * p.size("C") *
         p.size("F");
}

int main(int argc, char **argv) {
  return tool(
      argc, argv, convolution(),
      {.sizes = {{"B", 32}, {"H", 64}, {"W", 64}, {"C", 256}, {"F", 256}},
       .simulated_sizes =
           {{"B", 2}, {"H", 5}, {"W", 70}, {"C", 72}, {"F", 136}},
       .references = {{"D", reference}},
       .operations = operations});
}
