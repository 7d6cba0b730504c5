// Types that are only stored: of four bits, two to a byte, and scales of 8
// bits. Moved by everything that moves tiles, converted to what is computed
// with, and back.

#include "test/kernels/Feature.h"

#include "tool/Elements.h"

#include <algorithm>
#include <cmath>

namespace ashlar::test {
namespace {

std::string nameOf(ElementType type) { return std::string(name(type)); }

const std::vector<Sizes> problems = {
    {{"M", 64}, {"N", 64}}, {{"M", 5}, {"N", 2}}, {{"M", 100}, {"N", 138}}};

double same(const Problem &p, Coordinate at) { return p["X"](at); }

/// Through a stage to registers and out; or to another tile and out.
Feature moved(ElementType type, int64_t alignment, std::string by,
              bool staged) {
  return {nameOf(type) + " moved by " + by + (staged ? ", and out by TMA" : ""),
          [=] {
            return kernel("moved", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N}, align(alignment));
              Tensor D =
                  output("D", type, {M, N}, align(staged ? 16 : alignment));
              TileLoop tiles = persistent({M, N}, {64, 64});
              Pipeline ring = pipeline(2, smem(type, {64, 64}));
              SharedTile staging = shared(type, {64, 64});
              role("load", warps(alignment < 16 ? 4 : 1), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]);
                  ring.release(s);
                  if (staged) {
                    store(staging, x);
                    copy(staging, D.tile({m, n}));
                  } else {
                    store(D.tile({m, n}), x);
                  }
                }
              });
            });
          },
          problems, same, 0};
}

/// From global memory to registers, and through loops, branches and slices.
Feature carried(ElementType type) {
  return {nameOf(type) + " in registers, carried by a loop and cut",
          [=] {
            return kernel("carried", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N}, align(1));
              Tensor D = output("D", type, {M, N}, align(1));
              TileLoop tiles = persistent({M}, {16});
              role("all", warps(1), [&] {
                for (auto [m] : tiles) {
                  Fragment next = load(X.at({m * 16, 0}), {16, 128});
                  for (Index n : range(ceil_div(N, 128))) {
                    Fragment now = next;
                    when(n + 1 < ceil_div(N, 128), [&] {
                      next = load(X.at({m * 16, (n + 1) * 128}), {16, 128});
                    });
                    for (int64_t row : {0, 8})
                      for (int64_t column : {0, 32, 96})
                        store(D.at({m * 16 + row, n * 128 + column}),
                              slice(now, {row, column},
                                    {8, column == 32 ? 64 : 32}));
                  }
                }
              });
            });
          },
          problems, same, 0};
}

Feature byIndices(ElementType type) {
  return {nameOf(type) + " of rows by indices",
          [=] {
            return kernel("by_indices", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N}, align(4));
              Tensor I = input("I", s32, {M}, align(4));
              Tensor D = output("D", f32, {M, N}, align(4));
              TileLoop tiles = persistent({M, N}, {16, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Fragment x =
                      load(X.at({0, n * 64}).rows(I.at({m * 16})), {16, 64});
                  x = convert(x, bf16);
                  store(D.tile({m, n}), convert(x, f32));
                }
              });
            });
          },
          problems,
          [](const Problem &p, Coordinate at) {
            const auto row = int64_t(p["I"](at[0]));
            return row < p.size("M") ? p["X"](row, at[1]) : 0;
          },
          0,
          {},
          "D",
          {},
          {{"I", [](const Problem &p, Coordinate at) {
              return double((at[0] * 7 + 3) % (p.size("M") + 2));
            }}}};
}

Feature converted(ElementType from, ElementType to, int64_t count) {
  return {nameOf(from) + " as " + nameOf(to) + " in " + std::to_string(count) +
              " warps",
          [=] {
            return kernel("converted", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", from, {M, N}, align(4));
              Tensor D = output("D", to, {M, N}, align(4));
              TileLoop tiles = persistent({M, N}, {32, 32});
              role("all", warps(count), [&] {
                for (auto [m, n] : tiles)
                  store(D.tile({m, n}),
                        convert(load(X.tile({m, n}), {32, 32}), to));
              });
            });
          },
          {{{"M", 32}, {"N", 32}}, {{"M", 20}, {"N", 50}}},
          [=](const Problem &p, Coordinate at) {
            double x = p["X"](at);
            if (harness::isInteger(to))
              x = std::trunc(x);
            return harness::rounded(to, x);
          },
          0,
          {},
          "D",
          {},
          {{"X", [=](const Problem &, Coordinate at) {
              // All values, and of wide types some between and beyond them.
              const auto number = double((at[0] * 37 + at[1]) % 64);
              return size_bytes(from) > 1
                         ? (number - 32) / (to == e2m1 ? 4 : 1.75)
                         : harness::decode(
                               from, uint32_t(number) &
                                         (pack_length(from) > 1 ? 15 : 255));
            }}}};
}

Feature scales(ElementType from, ElementType to) {
  return {nameOf(from) + " as " + nameOf(to) + ", powers of two",
          [=] {
            return kernel("scales", [=] {
              Size N = size("N");
              Tensor X = input("X", from, {N}, align(4));
              Tensor D = output("D", to, {N}, align(4));
              TileLoop tiles = persistent({N}, {128});
              role("all", warps(2), [&] {
                for (auto [n] : tiles)
                  store(D.tile({n}), convert(load(X.tile({n}), {128}), to));
              });
            });
          },
          {{{"N", 255}}, {{"N", 1000}}},
          [=](const Problem &p, Coordinate at) {
            return harness::rounded(to, p["X"](at));
          },
          0,
          {},
          "D",
          {},
          {{"X", [=](const Problem &, Coordinate at) {
              const double power =
                  std::ldexp(1, static_cast<int>(at[0] % 255) - 127);
              const double between[] = {1, 1.25, 1.5, 1.75};
              return power * between[from == e8m0 ? 0 : at[0] / 255 % 4];
            }}}};
}

/// Weights of four bits as A of an mma, in registers or through shared memory.
Feature multiplied(ElementType type, ElementType as, bool throughShared) {
  return {
      nameOf(type) + " as A of an mma of " + nameOf(as) +
          (throughShared ? " in shared memory" : " in registers"),
      [=] {
        return kernel("multiplied", [=] {
          Size M = size("M"), N = size("N"), K = size("K");
          Tensor A = input("A", type, {M, K}), B = input("B", as, {N, K});
          Tensor D = output("D", f32, {M, N});
          TileLoop tiles = persistent({M, N}, {128, 64});
          Pipeline ring =
              pipeline(2, smem(type, {128, 64}), smem(as, {64, 64}));
          SharedTile wide = shared(as, {128, 64});
          role("load", warps(1), [&] {
            for (auto [m, n] : tiles)
              for (Index k : range(ceil_div(K, 64))) {
                Stage s = ring.acquire();
                copy(A.tile({m, k}), s[0]);
                copy(B.tile({n, k}), s[1]);
                ring.commit(s);
              }
          });
          role("math", warpgroups(2), [&] {
            for (auto [m, n] : tiles) {
              Fragment sum = zeros(f32, {128, 64});
              for (Index k : range(ceil_div(K, 64))) {
                Stage s = ring.wait();
                Fragment a = convert(load(s[0]), as);
                if (throughShared) {
                  store(wide, a);
                  sum = mma(wide, s[1].T(), sum);
                } else {
                  sum = mma(a, s[1].T(), sum);
                }
                ring.release(s);
              }
              store(D.tile({m, n}), sum);
            }
          });
        });
      },
      {{{"M", 128}, {"N", 64}, {"K", 64}}, {{"M", 100}, {"N", 72}, {"K", 144}}},
      gemmReference,
      1e-6};
}

std::vector<Feature> features() {
  std::vector<Feature> all;
  for (ElementType type : {s4, u4, e2m1, e8m0}) {
    all.push_back(moved(type, 16, "TMA", false));
    all.push_back(moved(type, 16, "TMA", true));
    all.push_back(moved(type, 4, "cp.async", false));
    all.push_back(moved(type, 1, "loads", false));
  }
  for (ElementType type : {s4, u4, e2m1}) {
    all.push_back(carried(type));
    all.push_back(byIndices(type));
    for (ElementType to : {f32, bf16, f16, e4m3, e5m2, s8, s16, s32})
      all.push_back(converted(type, to, 4));
    all.push_back(converted(type, bf16, 1));
    for (ElementType from : {f32, bf16, s32})
      all.push_back(converted(from, type, 4));
    all.push_back(multiplied(type, bf16, false));
    all.push_back(multiplied(type, f16, true));
  }
  all.push_back(converted(s4, u4, 2));
  all.push_back(converted(e2m1, s4, 2));
  all.push_back(converted(f32, s4, 8));
  for (ElementType to : {f32, bf16}) {
    all.push_back(scales(e8m0, to));
    all.push_back(scales(to, e8m0));
  }
  return all;
}

const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
