// Integers of 16 bits: moved by TMA, cp.async and loads, added and multiplied,
// converted to and from other types.

#include "test/kernels/Feature.h"

#include <algorithm>
#include <cmath>

namespace ashlar::test {
namespace {

/// What s16 keeps of an integer.
double wrapped(double value) {
  return static_cast<int16_t>(static_cast<int64_t>(value));
}

Feature arithmetic(int64_t alignment, std::string by) {
  return {"integers of 16 bits by " + by + ", multiplied and added as they are",
          [=] {
            return kernel("squares", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", s16, {M, N}, align(alignment));
              Tensor Y = input("Y", s16, {M, N}, align(alignment));
              Tensor D = output("D", s16, {M, N}, align(alignment));
              TileLoop tiles = persistent({M, N}, {64, 64}, Raster::along_n());
              Pipeline ring = pipeline(2, smem(s16, {64, 64}));
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("math", warpgroups(1), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]);
                  ring.release(s);
                  Fragment y = load(Y.tile({m, n}), {64, 64});
                  store(D.tile({m, n}), x * x * x + y);
                }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 100}, {"N", 136}}},
          [](const Problem &p, Coordinate at) {
            double x = p["X"](at[0], at[1]);
            return wrapped(x * x * x + p["Y"](at[0], at[1]));
          },
          0};
}

/// Floats of 16 bits and of 32, some beyond what the integers hold.
Feature saturated(ElementType from, ElementType to) {
  const double most = to == s8 ? 127 : 32767;
  return {std::string(name(from)) + " as " + std::string(name(to)) +
              ", the nearest where it ends",
          [=] {
            return kernel("saturated", [&] {
              Size N = size("N");
              Tensor X = input("X", from, {N}, align(4));
              Tensor D = output("D", to, {N}, align(4));
              TileLoop tiles = grid({N}, {256});
              role("all", warps(2), [&] {
                for (auto [n] : tiles)
                  store(D.tile({n}), convert(load(X.tile({n}), {256}), to));
              });
            });
          },
          {{{"N", 500}}},
          [=](const Problem &p, Coordinate at) {
            return std::clamp(std::trunc(p["X"](at)), -most - 1, most);
          },
          0,
          {},
          "D",
          {},
          {{"X", [=](const Problem &, Coordinate at) {
              return double(at[0] % 41 - 20) * (most + 1) / 16;
            }}}};
}

Feature conversions() {
  return {"integers of 16 bits from f32, where they end, and to s32",
          [] {
            return kernel("clipped", [] {
              Size N = size("N");
              Tensor X = input("X", f32, {N});
              Tensor D = output("D", s32, {N});
              TileLoop tiles = persistent({N}, {256});
              SharedTile staging = shared(s16, {256});
              role("math", warps(4), [&] {
                for (auto [n] : tiles) {
                  Fragment x = load(X.tile({n}), {256});
                  store(staging, convert(x * 20000.0f, s16));
                  store(D.tile({n}), convert(load(staging), s32));
                }
              });
            });
          },
          {{{"N", 1}}, {{"N", 1000}}},
          [](const Problem &p, Coordinate at) {
            float scaled = static_cast<float>(p["X"](at[0])) * 20000.0f;
            return std::trunc(std::clamp(scaled, -32768.0f, 32767.0f));
          },
          0};
}

/// Before the first element of a row there is none, which is the least value of
/// the type, or the largest.
Feature begun(ElementType type, bool largest) {
  return {std::string(largest ? "largest" : "least") +
              " values before each of " + std::string(name(type)),
          [=] {
            return kernel("begun", [&] {
              Size M = size("M");
              Tensor X = input("X", type, {M, 64}),
                     D = output("D", type, {M, 64});
              TileLoop tiles = persistent({M}, {8});
              role("all", warps(2), [&] {
                for (auto [m] : tiles) {
                  Fragment x = load(X.at({m * 8, 0}), {8, 64});
                  store(D.at({m * 8, 0}),
                        largest ? row_exclusive_max(x) : row_exclusive_min(x));
                }
              });
            });
          },
          {{{"M", 13}}},
          [=](const Problem &p, Coordinate at) {
            const double limit = type == s8 ? 128 : 32768;
            double reached = largest ? -limit : limit - 1;
            for (int64_t n = 0; n < at[1]; ++n)
              reached = largest ? std::max(reached, p["X"](at[0], n))
                                : std::min(reached, p["X"](at[0], n));
            return reached;
          },
          0};
}

const bool registered = registerFeatures(
    {arithmetic(16, "TMA"), arithmetic(4, "cp.async"), arithmetic(2, "loads"),
     conversions(), saturated(bf16, s8), saturated(f16, s8), saturated(f32, s8),
     saturated(bf16, s16), saturated(f32, s16), begun(s8, true),
     begun(s8, false), begun(s16, true), begun(s16, false)});

} // namespace
} // namespace ashlar::test
