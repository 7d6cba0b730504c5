// Fragments that CTAs of a launch post and take, each element telling by itself
// that it is there.

#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/stream.h"

namespace ashlar::test {
namespace {

constexpr int64_t rows = 16, columns = 32;

double zeroInPlaces(const Problem &, Coordinate at) {
  return (at[0] + at[1] + at[2]) % 3 ? double(at[1] - at[2]) : 0;
}

/// D[i] = X[i] + what the CTA before has posted of it, P of them in a ring.
Kernel neighbours(Warps team, const Shape &tile) {
  return kernel("neighbours", [=] {
    Size P = size("P"), N = size("N");
    Tensor X = input("X", f32, {P, rows, N}, align(4)),
           box = inout("Box", f32, {P, rows, N}, align(4)),
           D = inout("D", f32, {P, rows, N}, align(4));
    TileLoop parts = persistent({P}, {1});
    role("all", team, [&] {
      for (auto [i] : parts) {
        const Fragment x = load(X.at({i, 0, 0}), tile);
        post(box.at({i, 0, 0}), x);
        const Index before = select(i > 0, i, P) - 1;
        store(D.at({i, 0, 0}), x + take(box.at({before, 0, 0}), tile));
      }
    });
  });
}

double besideNeighbour(const Problem &p, Coordinate at) {
  const int64_t before = (at[0] ? at[0] : p.size("P")) - 1;
  return p["X"](at[0], at[1], at[2]) + p["X"](before, at[1], at[2]);
}

double firstRowBeside(const Problem &p, Coordinate at) {
  return at[1] ? 0 : besideNeighbour(p, at);
}

/// D = ΣX[i], and of each row the sum of them all: the last CTA takes three
/// matrices and three vectors at a time, of which there may be none.
Kernel fanIn(Warps team) {
  return kernel("fan_in", [team] {
    Size P = size("P");
    Tensor X = input("X", f32, {P, rows, columns}),
           box = inout("Box", f32, {P, rows, columns}),
           sums = inout("Sums", f32, {P, rows}),
           D = output("D", f32, {rows, columns});
    TileLoop parts = persistent({P}, {1});
    role("all", team, [&] {
      for (auto [i] : parts) {
        const Fragment x = load(X.at({i, 0, 0}), {rows, columns});
        post(box.at({i, 0, 0}), x);
        post(sums.at({i, 0}), row_sum(x));
        when(i == P - 1, [&] {
          Fragment all = zeros(f32, {rows, columns});
          for (Index p : range(0, P, 3)) {
            std::vector<Posted> posted;
            for (int64_t k = 0; k < 3; ++k) {
              posted.push_back({box.at({p + k, 0, 0}), {rows, columns}});
              posted.push_back({sums.at({p + k, 0}), {rows}});
            }
            const std::vector<Fragment> taken = take(posted);
            for (int64_t k = 0; k < 3; ++k)
              all += taken[2 * k] + along_rows(taken[2 * k + 1]);
          }
          store(D.at({0, 0}), all);
        });
      }
    });
  });
}

double sumOfAll(const Problem &p, Coordinate at) {
  double all = 0;
  for (int64_t i = 0; i < p.size("P"); ++i) {
    all += p["X"](i, at[0], at[1]);
    for (int64_t j = 0; j < columns; ++j)
      all += p["X"](i, at[0], j);
  }
  return all;
}

std::vector<Feature> features() {
  std::vector<Feature> all;
  for (Warps team : {warps(1), warpgroups(1), warpgroups(2)}) {
    const std::string of = " of " + std::to_string(team.count) + " warps";
    // Vectors, elements at an edge, and one row, which several threads hold.
    for (const Shape &tile : {Shape{rows, columns}, Shape{1, columns}})
      all.push_back(
          {.name = "a ring of " + std::to_string(tile[0]) + " rows" + of,
           .build = [=] { return neighbours(team, tile); },
           .problems = {{{"P", 1}, {"N", 32}}, {{"P", 12}, {"N", 27}}},
           .reference = tile[0] == 1 ? firstRowBeside : besideNeighbour,
           .tolerance = 1e-6,
           .zeros = {"Box", "D"},
           .inputs = {{"X", zeroInPlaces}}});
    all.push_back({.name = "tiles and vectors together" + of,
                   .build = [team] { return fanIn(team); },
                   .problems = {{{"P", 1}}, {{"P", 6}}, {{"P", 100}}},
                   .reference = sumOfAll,
                   .tolerance = 1e-5,
                   .zeros = {"Box", "Sums"}});
  }
  return all;
}

void launchThreeTimes(const Kernel &kernel, const Sizes &sizes,
                      const std::vector<std::string> &zeros,
                      double (*reference)(const Problem &, Coordinate)) {
  Module module(device(), compileCleanly(kernel));
  const Problem problem = randomProblem(module.artifact(), sizes, {}, zeros);
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  Stream stream(device());
  for (int i = 0; i < 3; ++i)
    module.launch(onDevice.arguments(), stream);
  ASSERT_TRUE(stream.wait_for(std::chrono::seconds(10)));
  for (const HostTensor &result : onDevice.results()) {
    if (result.name() == "D") {
      EXPECT_LE(
          relativeError(result,
                        [&](Coordinate at) { return reference(problem, at); }),
          1e-5);
      continue;
    }
    for (int64_t i = 0; i < result.elements(); ++i)
      ASSERT_EQ(result.read(i), 0) << result.name() << " at " << i;
  }
}

void launchesInARow() {
  launchThreeTimes(fanIn(warpgroups(1)), {{"P", 7}}, {"Box", "Sums"}, sumOfAll);
  // Cut at an edge, and held alike by several threads.
  launchThreeTimes(neighbours(warpgroups(1), {rows, columns}),
                   {{"P", 7}, {"N", 27}}, {"Box", "D"}, besideNeighbour);
  launchThreeTimes(neighbours(warpgroups(2), {1, columns}),
                   {{"P", 7}, {"N", 27}}, {"Box", "D"}, firstRowBeside);
}

[[maybe_unused]] const bool registered = [] {
  registerTest("Post", "zeros behind three launches", launchesInARow);
  return registerFeatures(features());
}();

} // namespace
} // namespace ashlar::test
