// Tiles that begin before a tensor, end behind it, or both, along every
// dimension: what lies outside reads as zero and is never written, however the
// tile is moved.

#include "runtime/sim/driver/SimulatorDriver.h"
#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include <array>
#include <gmock/gmock.h>
#include <random>

namespace ashlar::test {
namespace {

/// How far a tile is moved along each dimension, in elements.
using Shift = std::array<int64_t, 3>;

const Shape tileShape{32, 64};
const Sizes extents = {{"B", 3}, {"M", 70}, {"N", 133}};

/// What `from`, shifted, holds at an element: 0 outside.
double shifted(const HostTensor &from, Coordinate at, const Shift &by) {
  std::array<int64_t, 3> moved;
  for (size_t i = 0; i < 3; ++i) {
    moved[i] = at[i] + by[i];
    if (moved[i] < 0 || moved[i] >= from.shape()[i])
      return 0;
  }
  return from(Coordinate(moved));
}

/// None, a single element over every edge, and random ones up to far outside.
/// Of columns, every other one is a multiple of 16 bytes.
std::vector<Shift> shifts(ElementType type) {
  std::mt19937 random(7);
  auto within = [&](int64_t limit) {
    return int64_t(random() % uint64_t(2 * limit + 1)) - limit;
  };
  const int64_t unit = 16 / size_bytes(type);
  std::vector<Shift> result{{0, 0, 0}, {-1, -1, -1}, {1, 1, 1}, {0, -1, -unit}};
  for (int i = 0; i < 4; ++i)
    result.push_back({within(3), within(80),
                      i % 2 ? unit * within(150 / unit) : within(150)});
  return result;
}

struct Tensors {
  ElementType type;
  Tensor source, target;
  TileLoop<3> tiles;
  Shift shift;

  TileRef place(const Tensor &tensor, Index b, Index m, Index n) const {
    return tensor.at({b + shift[0], m * 32 + shift[1], n * 64 + shift[2]});
  }
};

/// A kernel of tiles of S and D, of one type and shape.
Kernel over(ElementType type, const Shift &by, int64_t alignment,
            std::function<void(const Tensors &)> body) {
  return kernel("moved", [&] {
    Size B = size("B"), M = size("M"), N = size("N");
    Tensor S = input("S", type, {B, M, N}, align(alignment));
    Tensor D = inout("D", type, {B, M, N}, align(alignment));
    body({type, S, D, persistent({B, M, N}, {1, 32, 64}), by});
  });
}

using Body = void (*)(const Tensors &);

void loads(const Tensors &t) {
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles)
      store(t.target.tile({b, m, n}),
            load(t.place(t.source, b, m, n), tileShape));
  });
}

void loadsTransposed(const Tensors &t) {
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles)
      store(t.target.tile({b, m, n}).T(),
            load(t.place(t.source, b, m, n).T(), {64, 32}));
  });
}

/// By TMA, cp.async or ordinary loads: what the alignment allows.
void copies(const Tensors &t) {
  Pipeline ring = pipeline(2, smem(t.type, tileShape));
  role("load", warps(1), [&] {
    for (auto [b, m, n] : t.tiles) {
      Stage s = ring.acquire();
      copy(t.place(t.source, b, m, n), s[0]);
      ring.commit(s);
    }
  });
  role("store", warps(4), [&] {
    for (auto [b, m, n] : t.tiles) {
      Stage s = ring.wait();
      Fragment x = load(s[0]);
      ring.release(s);
      store(t.target.tile({b, m, n}), x);
    }
  });
}

void prefetches(const Tensors &t) {
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles) {
      TileRef place = t.place(t.source, b, m, n);
      prefetch(place, tileShape);
      store(t.target.tile({b, m, n}), load(place, tileShape));
    }
  });
}

void stores(const Tensors &t) {
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles)
      store(t.place(t.target, b, m, n),
            load(t.source.tile({b, m, n}), tileShape));
  });
}

void storesTransposed(const Tensors &t) {
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles)
      store(t.place(t.target, b, m, n).T(),
            load(t.source.tile({b, m, n}).T(), {64, 32}));
  });
}

void copiesOut(const Tensors &t) {
  SharedTile staging = shared(t.type, tileShape);
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles) {
      store(staging, load(t.source.tile({b, m, n}), tileShape));
      copy(staging, t.place(t.target, b, m, n));
    }
  });
}

void addsOut(const Tensors &t) {
  SharedTile staging = shared(t.type, tileShape);
  role("move", warps(4), [&] {
    for (auto [b, m, n] : t.tiles) {
      store(staging, load(t.source.tile({b, m, n}), tileShape));
      copy(staging, t.place(t.target, b, m, n), reduce_add);
    }
  });
}

void runs(ElementType type, int64_t alignment, Body body, bool writes) {
  for (const Shift &by : shifts(type)) {
    Module module(device(), compileCleanly(over(type, by, alignment, body)));
    Problem problem = randomProblem(module.artifact(), extents, {}, {"D"});
    // A write moves what it writes there; a read fetches from there.
    Shift from = by;
    if (writes)
      for (int64_t &step : from)
        step = -step;
    auto reference = [&](Coordinate at) {
      return shifted(problem["S"], at, from);
    };
    EXPECT_EQ(relativeError(launch(module, problem), reference), 0)
        << by[0] << " " << by[1] << " " << by[2];
  }
}

/// Ones where a tile lies inside the tensor.
Kernel mask(const Shift &by) {
  return over(f32, by, 16, [](const Tensors &t) {
    role("mask", warps(4), [&] {
      for (auto [b, m, n] : t.tiles)
        store(t.target.tile({b, m, n}),
              select(inside(t.place(t.source, b, m, n), tileShape),
                     full(f32, tileShape, 1), 0));
    });
  });
}

void marksInside() {
  for (const Shift &by : shifts(f32)) {
    Module module(device(), compileCleanly(mask(by)));
    Problem problem = randomProblem(module.artifact(), extents);
    HostTensor ones = problem["S"];
    for (int64_t i = 0; i < int64_t(ones.bytes().size()) / 4; ++i)
      ones.write(i, 1);
    auto reference = [&](Coordinate at) { return shifted(ones, at, by); };
    EXPECT_EQ(relativeError(launch(module, problem), reference), 0)
        << by[0] << " " << by[1] << " " << by[2];
  }
}

/// D[b, m, 0], shifted, is the sum of S[b, m, 0 to 128].
Kernel sums(const Shift &by) {
  return kernel("sums", [&] {
    Size B = size("B"), M = size("M"), N = size("N");
    Tensor S = input("S", f32, {B, M, N});
    Tensor D = inout("D", f32, {B, M, N});
    TileLoop tiles = persistent({B, M}, {1, 1});
    role("add", warps(4), [&] {
      for (auto [b, m] : tiles)
        reduce(D.at({b + by[0], m + by[1], by[2]}),
               load(S.at({b, m, 0}), {128}), reduce_add);
    });
  });
}

void reduces() {
  for (const Shift &by : shifts(f32)) {
    Module module(device(), compileCleanly(sums(by)));
    Problem problem = randomProblem(module.artifact(), extents, {}, {"D"});
    auto reference = [&](Coordinate at) {
      double sum = 0;
      for (int64_t k = 0; at[2] == by[2] && k < 128; ++k) {
        const int64_t row[] = {at[0], at[1], by[2] + k};
        sum += shifted(problem["S"], row, {-by[0], -by[1], -by[2]});
      }
      return sum;
    };
    EXPECT_LE(relativeError(launch(module, problem), reference), 1e-5)
        << by[0] << " " << by[1] << " " << by[2];
  }
}

void registerMoves(const std::string &name, ElementType type, int64_t alignment,
                   Body body, bool writes) {
  registerTest("Coordinates", name,
               [=] { runs(type, alignment, body, writes); });
}

void registerType(ElementType type) {
  auto add = [&](std::string what, int64_t alignment, Body body, bool writes) {
    registerMoves(what + " of " + std::string(name(type)), type, alignment,
                  body, writes);
  };
  add("loads", 16, loads, false);
  add("transposed loads", 16, loadsTransposed, false);
  add("copies", 16, copies, false);
  for (int64_t bytes = size_bytes(type); bytes < 16; bytes *= 2) {
    const std::string rows = " of rows on " + std::to_string(bytes) + " bytes";
    add("copies" + rows, bytes, copies, false);
    add("copies out" + rows, bytes, copiesOut, true);
  }
  add("prefetches", 16, prefetches, false);
  add("stores", 16, stores, true);
  add("transposed stores", 16, storesTransposed, true);
  add("copies out", 16, copiesOut, true);
}

/// Columns from P - Q on, which the kernel's author says is a multiple of 4.
Kernel promising() {
  return kernel("promising", [] {
    Size M = size("M"), N = size("N"), P = size("P"), Q = size("Q");
    Tensor S = input("S", f32, {M, N});
    Tensor D = output("D", f32, {M, N});
    input("Sizes", e4m3, {P, Q}, align(1));
    TileLoop tiles = persistent({M, N}, {32, 64});
    Pipeline ring = pipeline(2, smem(f32, tileShape));
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        copy(S.at({m * 32, n * 64 + multiple_of(P - Q, 4)}), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(4), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.wait();
        Fragment x = load(s[0]);
        ring.release(s);
        store(D.tile({m, n}), x);
      }
    });
  });
}

/// A copy at a promised column goes by TMA.
Feature promise() {
  return {"a column that is promised to be a multiple of 16 bytes",
          promising,
          {{{"M", 40}, {"N", 100}, {"P", 5}, {"Q", 9}},
           {{"M", 40}, {"N", 100}, {"P", 9}, {"Q", 1}}},
          [](const Problem &p, Coordinate at) {
            int64_t column = at[1] + p.size("P") - p.size("Q");
            return column >= 0 && column < p.size("N") ? p["S"](at[0], column)
                                                       : 0;
          },
          0};
}

/// A copy that TMA doesn't take is noted, and why; one that it takes is not.
void notesCopies() {
  auto notes = [](int64_t column) {
    return compile(over(bf16, {0, 0, column}, 16, copies)).notes;
  };
  EXPECT_TRUE(notes(8).empty());
  const std::vector<Note> found = notes(6);
  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front().where.file,
              testing::EndsWith("CoordinatesTest.cpp"));
  EXPECT_THAT(found.front().message,
              testing::HasSubstr("cp.async, 4 bytes at a time"));
}

void reportBrokenPromise() {
  // Else the device would be dead for the tests that follow.
  sim::settings().quiet = sim::settings().keepGoing = true;
  Module module(device(), compileCleanly(promising()));
  Problem problem = randomProblem(module.artifact(),
                                  {{"M", 40}, {"N", 100}, {"P", 3}, {"Q", 1}});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(10));
  sim::settings().quiet = sim::settings().keepGoing = false;
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_FALSE(reports.empty());
  EXPECT_THAT(reports.front().text(),
              testing::HasSubstr("is no multiple of 16 bytes"));
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  for (ElementType type : {e4m3, bf16, f32})
    registerType(type);
  registerMoves("sums out of bf16", bf16, 16, addsOut, true);
  registerMoves("sums out of f32", f32, 16, addsOut, true);
  registerTest("Coordinates", "masks", marksInside);
  registerTest("Coordinates", "reductions", reduces);
  registerTest("Coordinates", "notes of copies", notesCopies);
  if (isSimulated())
    registerTest("Coordinates", "a broken promise", reportBrokenPromise);
  registerFeatures({promise()});
});

} // namespace
} // namespace ashlar::test
