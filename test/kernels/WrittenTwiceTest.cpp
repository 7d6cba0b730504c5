// Stages and shared tiles that a role writes in several ways before another
// role reads them: the last write counts, whoever's threads made it.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

constexpr int64_t rows = 64, columns = 64;

enum class Twice { part, partAtIndices, transposed };

Kernel writeTwice(Twice how, int64_t count) {
  return kernel("written_twice", [&] {
    Size M = size("M");
    Tensor X = input("X", f32, {M, columns}),
           D = output("D", f32, {M, columns});
    TileLoop tiles = persistent({M}, {rows});
    Pipeline ring = pipeline(2, smem(f32, {rows, columns}));
    role("writes", warps(count), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.acquire();
        if (how == Twice::partAtIndices) {
          // Each part is written over the half of the one before.
          for (Index i : range(7))
            store(slice(s[0], {i * 8, 0}, {16, columns}),
                  load(X.at({m * rows + i * 8, 0}), {16, columns}));
        } else {
          if (how == Twice::part)
            store(s[0], full(f32, {rows, columns}, 9));
          else
            store(s[0].T(), full(f32, {rows, columns}, 9));
          store(slice(s[0], {0, 0}, {rows, 32}),
                load(X.at({m * rows, 0}), {rows, 32}));
        }
        ring.commit(s);
      }
    });
    role("reads", warps(4), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.wait();
        store(D.tile({m, 0}), load(s[0]));
        ring.release(s);
      }
    });
  });
}

Feature feature(const std::string &name, Twice how, int64_t count) {
  return {name + " by " + std::to_string(count) + " warps",
          [=] { return writeTwice(how, count); },
          {{{"M", 150}}},
          [=](const Problem &p, Coordinate at) {
            return how != Twice::partAtIndices && at[1] >= 32
                       ? 9
                       : p["X"](at[0], at[1]);
          },
          0};
}

const bool registered = [] {
  std::vector<Feature> all;
  for (int64_t count : {1, 4}) {
    all.push_back(
        feature("a stage and then a part of it written", Twice::part, count));
    all.push_back(feature("parts of a stage that overlap written",
                          Twice::partAtIndices, count));
    all.push_back(feature("a stage transposed and then a part of it written",
                          Twice::transposed, count));
  }
  return registerFeatures(all);
}();

} // namespace
} // namespace ashlar::test
