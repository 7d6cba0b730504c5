// CTAs that wait for one another's results in global memory, over counters
// that the one that waits resets for the next launch.

#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/stream.h"

namespace ashlar::test {
namespace {

constexpr int64_t rows = 64, columns = 32;
const Shape tile{rows, columns};

/// X[0] + ... + X[at[0]]
double prefixSum(const Problem &problem, Coordinate at) {
  double sum = 0;
  for (int64_t i = 0; i <= at[0]; ++i)
    sum += problem["X"](i, at[1], at[2]);
  return sum;
}

/// D[i] = D[i - 1] + X[i], each by another CTA.
Kernel chain(Warps team, Scope scope = Scope::gpu) {
  return kernel("chain", [team, scope] {
    Size P = size("P");
    Tensor X = input("X", f32, {P, rows, columns});
    Tensor D = inout("D", f32, {P, rows, columns});
    Tensor done = inout("Done", s32, {P}, align(4));
    TileLoop parts = persistent({P}, {1});
    role("add", team, [&] {
      for (auto [i] : parts) {
        Fragment x = load(X.at({i, 0, 0}), tile);
        when(i > 0, [&] {
          await(done.at({i - 1}), 1, scope);
          signal(done.at({i - 1}), -1, scope);
          x = x + load(D.at({i - 1, 0, 0}), tile);
        });
        store(D.at({i, 0, 0}), x);
        when(i + 1 < P, [&] { signal(done.at({i}), 1, scope); });
      }
    });
  });
}

/// The same through TMA both ways.
Kernel copiedChain(Warps team) {
  return kernel("copied_chain", [team] {
    Size P = size("P");
    Tensor X = input("X", f32, {P, rows, columns});
    Tensor D = inout("D", f32, {P, rows, columns});
    Tensor done = inout("Done", s32, {P}, align(4));
    TileLoop parts = persistent({P}, {1});
    Pipeline ring = pipeline(2, smem(f32, tile));
    SharedTile staging = shared(f32, tile);
    role("load", warps(1), [&] {
      for (auto [i] : parts)
        when(i > 0, [&] {
          await(done.at({i - 1}), 1);
          signal(done.at({i - 1}), -1);
          Stage s = ring.acquire();
          copy(D.at({i - 1, 0, 0}), s[0]);
          ring.commit(s);
        });
    });
    role("add", team, [&] {
      for (auto [i] : parts) {
        Fragment x = load(X.at({i, 0, 0}), tile);
        when(i > 0, [&] {
          Stage s = ring.wait();
          x = x + load(s[0]);
          ring.release(s);
        });
        store(staging, x);
        copy(staging, D.at({i, 0, 0}));
        when(i + 1 < P, [&] { signal(done.at({i})); });
      }
    });
  });
}

/// The last CTA adds what all others have stored.
Kernel fanIn() {
  return kernel("fan_in", [] {
    Size P = size("P");
    Tensor X = input("X", f32, {P, rows, columns});
    Tensor parts = inout("Parts", f32, {P, rows, columns});
    Tensor arrived = inout("Arrived", s32, {1}, align(4));
    Tensor D = output("D", f32, {rows, columns});
    TileLoop ctas = persistent({P}, {1});
    role("add", warpgroups(1), [&] {
      for (auto [i] : ctas) {
        Fragment x = load(X.at({i, 0, 0}), tile) * 2.0f;
        when(
            i + 1 < P,
            [&] {
              store(parts.at({i, 0, 0}), x);
              signal(arrived.at({0}));
            },
            [&] {
              await(arrived.at({0}), P - 1);
              signal(arrived.at({0}), 1 - P);
              for (Index p : range(P - 1))
                x = x + load(parts.at({p, 0, 0}), tile);
              store(D.at({0, 0}), x);
            });
      }
    });
  });
}

std::vector<Feature> features() {
  std::vector<Feature> all;
  for (Warps team : {warps(1), warpgroups(1), warpgroups(2)}) {
    std::string of = " of " + std::to_string(team.count) + " warps";
    all.push_back({.name = "a chain" + of,
                   .build = [team] { return chain(team); },
                   .problems = {{{"P", 1}}, {{"P", 12}}},
                   .reference = prefixSum,
                   .tolerance = 1e-5,
                   .zeros = {"Done"}});
    all.push_back({.name = "a chain through TMA" + of,
                   .build = [team] { return copiedChain(team); },
                   .problems = {{{"P", 1}}, {{"P", 12}}},
                   .reference = prefixSum,
                   .tolerance = 1e-5,
                   .zeros = {"Done"}});
  }
  all.push_back({.name = "a chain at the scope of the system",
                 .build = [] { return chain(warpgroups(1), Scope::system); },
                 .problems = {{{"P", 12}}},
                 .reference = prefixSum,
                 .tolerance = 1e-5,
                 .zeros = {"Done"}});
  all.push_back({.name = "a fan in",
                 .build = fanIn,
                 .problems = {{{"P", 1}}, {{"P", 6}}, {{"P", 133}}},
                 .reference =
                     [](const Problem &p, Coordinate at) {
                       double sum = 0;
                       for (int64_t i = 0; i < p.size("P"); ++i)
                         sum += 2 * p["X"](i, at[0], at[1]);
                       return sum;
                     },
                 .tolerance = 1e-5,
                 .zeros = {"Arrived"}});
  return all;
}

void launchesInARow() {
  Module module(device(), compileCleanly(chain(warpgroups(1))));
  Problem problem = randomProblem(module.artifact(), {{"P", 6}}, {}, {"Done"});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  Stream stream(device());
  for (int i = 0; i < 3; ++i)
    module.launch(onDevice.arguments(), stream);
  ASSERT_TRUE(stream.wait_for(std::chrono::seconds(10)));
  auto reference = [&](Coordinate at) { return prefixSum(problem, at); };
  for (const HostTensor &result : onDevice.results())
    EXPECT_LE(relativeError(
                  result, result.name() == "D"
                              ? std::function<double(Coordinate)>(reference)
                              : [](Coordinate) { return 0.0; }),
              1e-5)
        << result.name();
}

[[maybe_unused]] const bool registered = [] {
  registerTest("Signal", "counters of three launches", launchesInARow);
  return registerFeatures(features());
}();

} // namespace
} // namespace ashlar::test
