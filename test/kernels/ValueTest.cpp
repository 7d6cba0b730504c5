// Elements of memory as coordinates, trip counts, conditions and factors; and
// atomic operations that give what was there.

#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"

#include <algorithm>
#include <set>

namespace ashlar::test {
namespace {

constexpr int64_t width = 64;

int64_t rowOf(int64_t row, int64_t rows) {
  return (row * 7 + 3) % (rows + 2) - 1;
}

/// D[i, :] = factor[i] · X[rows[i], :], by an index before and behind the
/// tensor too: zeros.
Feature gather(Warps team, bool isInput) {
  return {.name = "rows by indices of an " +
                  std::string(isInput ? "input" : "inout") + " tensor, by " +
                  std::to_string(team.count) + " warps",
          .build =
              [=] {
                return kernel("gather", [&] {
                  Size M = size("M"), R = size("R");
                  Tensor X = input("X", f32, {R, width});
                  Tensor rows = isInput ? input("Rows", s32, {M}, align(4))
                                        : inout("Rows", s32, {M}, align(4));
                  Tensor factors = input("F", f32, {M}, align(4));
                  Tensor D = output("D", f32, {M, width});
                  TileLoop tiles = persistent({M}, {1});
                  role("all", team, [&] {
                    for (auto [m] : tiles) {
                      Index row = load_index(rows.at({m}));
                      Scalar factor = load_scalar(factors.at({m}));
                      store(D.at({m, 0}),
                            load(X.at({row, 0}), {1, width}) * factor);
                    }
                  });
                });
              },
          .problems = {{{"M", 1}, {"R", 1}}, {{"M", 50}, {"R", 20}}},
          .reference =
              [](const Problem &p, Coordinate at) {
                int64_t row = rowOf(at[0], p.size("R"));
                if (row < 0 || row >= p.size("R"))
                  return 0.0;
                return p["F"](at[0]) * p["X"](row, at[1]);
              },
          .tolerance = 1e-6,
          .inputs = {{"Rows", [](const Problem &p, Coordinate at) {
                        return double(rowOf(at[0], p.size("R")));
                      }}}};
}

int64_t lengthOf(int64_t row, int64_t most) { return row * 5 % (most + 1); }

/// D[i] = the sum of the first length[i] rows of X[i], whose tiles another role
/// copies: both read the trip count.
Feature lengths() {
  return {.name = "trip counts that two roles read",
          .build =
              [] {
                return kernel("lengths", [] {
                  Size M = size("M"), L = size("L");
                  Tensor X = input("X", f32, {M, L, width});
                  Tensor lengths = input("Lengths", s32, {M}, align(4));
                  Tensor D = output("D", f32, {M, width});
                  TileLoop tiles = persistent({M}, {1});
                  Pipeline ring = pipeline(3, smem(f32, {1, width}));
                  role("load", warps(1), [&] {
                    for (auto [m] : tiles)
                      for (Index l : range(load_index(lengths.at({m})))) {
                        Stage s = ring.acquire();
                        copy(X.at({m, l, 0}), s[0]);
                        ring.commit(s);
                      }
                  });
                  role("add", warps(2), [&] {
                    for (auto [m] : tiles) {
                      Fragment sum = zeros(f32, {1, width});
                      for (Index l : range(load_index(lengths.at({m})))) {
                        Stage s = ring.wait();
                        sum = sum + load(s[0]);
                        ring.release(s);
                      }
                      store(D.at({m, 0}), sum);
                    }
                  });
                });
              },
          .problems = {{{"M", 9}, {"L", 11}}},
          .reference =
              [](const Problem &p, Coordinate at) {
                double sum = 0;
                for (int64_t l = 0; l < lengthOf(at[0], p.size("L")); ++l)
                  sum += p["X"](at[0], l, at[1]);
                return sum;
              },
          .tolerance = 1e-5,
          .inputs = {{"Lengths", [](const Problem &p, Coordinate at) {
                        return double(lengthOf(at[0], p.size("L")));
                      }}}};
}

/// One role reads which row is next and hands it on in a stage; the other
/// follows it, and skips where it is negative.
Feature handedOn() {
  return {.name = "indices that one role reads and another follows",
          .build =
              [] {
                return kernel("handed_on", [] {
                  Size M = size("M"), R = size("R");
                  Tensor X = input("X", f32, {R, width});
                  Tensor rows = input("Rows", s32, {M}, align(4));
                  Tensor D = output("D", f32, {M, width});
                  TileLoop tiles = persistent({M}, {1});
                  Pipeline ring = pipeline(2, smem(s32, {4}));
                  role("read", warps(1), [&] {
                    for (auto [m] : tiles) {
                      Index row = load_index(rows.at({m}));
                      Stage s = ring.acquire();
                      store(s[0], full(s32, {4}, row) * columns({4}));
                      ring.commit(s);
                    }
                  });
                  role("follow", warps(4), [&] {
                    for (auto [m] : tiles) {
                      Stage s = ring.wait();
                      Index row = load_index(s[0], {1});
                      Scalar twice = load_scalar(s[0], {2});
                      ring.release(s);
                      Fragment x = zeros(f32, {1, width});
                      when(row >= 0 && twice == convert(row * 2, s32),
                           [&] { x = load(X.at({row, 0}), {1, width}); });
                      store(D.at({m, 0}), x);
                    }
                  });
                });
              },
          .problems = {{{"M", 50}, {"R", 20}}},
          .reference =
              [](const Problem &p, Coordinate at) {
                int64_t row = rowOf(at[0], p.size("R"));
                return row < 0 || row >= p.size("R") ? 0.0 : p["X"](row, at[1]);
              },
          .tolerance = 1e-6,
          .inputs = {{"Rows", [](const Problem &p, Coordinate at) {
                        return double(rowOf(at[0], p.size("R")));
                      }}}};
}

/// Each tile takes a ticket: D[ticket] is the tile's row of X.
void ticketsAreTakenOnce(Warps team) {
  Kernel program = kernel("tickets", [&] {
    Size M = size("M");
    Tensor X = input("X", f32, {M, width});
    Tensor counter = inout("Counter", s32, {1}, align(4));
    Tensor D = output("D", f32, {M, width});
    Tensor order = output("Order", s32, {M}, align(4));
    TileLoop tiles = persistent({M}, {1});
    role("all", team, [&] {
      for (auto [m] : tiles) {
        Index ticket = atomic_add(counter.at({0}), 1);
        store(D.at({ticket, 0}), load(X.at({m, 0}), {1, width}));
        store(order.at({ticket}), full(s32, {1}, m));
      }
    });
  });
  Module module(device(), compileCleanly(program));
  Problem problem =
      randomProblem(module.artifact(), {{"M", 40}}, {}, {"Counter"});
  std::vector<HostTensor> results = launchForAll(module, problem);
  auto find = [&](std::string_view name) -> HostTensor & {
    return *std::ranges::find(results, name, &HostTensor::name);
  };
  EXPECT_EQ(find("Counter")(0), 40);
  std::set<double> taken;
  for (int64_t ticket = 0; ticket < 40; ++ticket) {
    const double m = find("Order")(ticket);
    EXPECT_TRUE(m >= 0 && m < 40 && taken.insert(m).second) << m;
    for (int64_t n = 0; n < width; ++n)
      EXPECT_EQ(find("D")(ticket, n), problem["X"](int64_t(m), n));
  }
}

/// What each atomic operation leaves and gives, one after another.
void atomicsDoWhatTheySay() {
  Kernel program = kernel("atomics", [&] {
    Size M = size("M");
    Tensor memory = inout("Memory", s32, {M}, align(4));
    Tensor real = inout("Real", f32, {M}, align(4));
    Tensor D = output("D", s32, {M}, align(4));
    Tensor E = output("E", f32, {M}, align(4));
    TileLoop tiles = persistent({M}, {1});
    role("all", warps(4), [&] {
      for (auto [m] : tiles) {
        auto at = memory.at({m});
        Index seen = atomic_add(at, 5);                 // 10 m -> 10 m + 5
        seen += 1000 * (atomic_max(at, 21) - 5);        // at least 21
        seen += atomic_min(at, 40) * 7;                 // at most 40
        Index before = atomic_compare_swap(at, 21, 50); // 21 -> 50
        seen += before * 3;
        seen -= atomic_exchange(at, before + m);
        store(D.at({m}), full(s32, {1}, seen));
        // Beyond the tensor nothing happens.
        seen = atomic_add(memory.at({m + M}), 100);
        Scalar old = atomic_add(real.at({m}), convert(seen + m, f32));
        store(E.at({m}), full(f32, {1}, old));
      }
    });
  });
  Module module(device(), compileCleanly(program));
  auto start = [](const Problem &, Coordinate at) { return 10.0 * at[0]; };
  Problem problem = randomProblem(module.artifact(), {{"M", 6}}, {}, {},
                                  {{"Memory", start}, {"Real", start}});
  for (const HostTensor &result : launchForAll(module, problem))
    for (int64_t m = 0; m < 6; ++m) {
      int64_t memory = 10 * m, seen = memory;
      memory += 5;
      seen += 1000 * (memory - 5);
      memory = std::max<int64_t>(memory, 21);
      seen += memory * 7;
      memory = std::min<int64_t>(memory, 40);
      const int64_t before = memory;
      memory = memory == 21 ? 50 : memory;
      seen += before * 3 - memory;
      memory = before + m;
      if (result.name() == "Memory")
        EXPECT_EQ(result(m), memory);
      if (result.name() == "D")
        EXPECT_EQ(result(m), seen);
      if (result.name() == "E")
        EXPECT_EQ(result(m), 10 * m);
      if (result.name() == "Real")
        EXPECT_EQ(result(m), 11 * m);
    }
}

const bool registered = [] {
  for (Warps team : {warps(1), warps(4), warps(3)}) {
    registerTest("Values",
                 "tickets are taken once by " + std::to_string(team.count) +
                     " warps",
                 [team] { ticketsAreTakenOnce(team); });
  }
  registerTest("Values", "atomics do what they say", atomicsDoWhatTheySay);
  return registerFeatures({gather(warps(1), true), gather(warps(4), true),
                           gather(warps(1), false), gather(warps(4), false),
                           lengths(), handedOn()});
}();

} // namespace
} // namespace ashlar::test
