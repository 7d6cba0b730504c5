// What lies outside of its memory is found where it is asked for.

#include "runtime/sim/driver/SimulatorDriver.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/ashlar.h"

#include <gmock/gmock.h>

namespace ashlar::test {
namespace {

/// D[i] = X[I[i]], a number for the role.
Kernel values() {
  return kernel("values", [] {
    Size N = size("N"), T = size("T");
    Tensor X = input("X", s32, {2, T}, align(4));
    Tensor I = input("I", s32, {N}, align(4)), D = output("D", s32, {N, 32});
    role("all", warps(1), [&] {
      for (Index i : range(N)) {
        Index x = load_index(X.at({1, load_index(I.at({i}))}));
        store(D.at({i, 0}), full(s32, {32}, x));
      }
    });
  });
}

/// D[i] = X[I[i]], of a shared tile.
Kernel sharedValues() {
  return kernel("shared_values", [] {
    Size N = size("N"), T = size("T");
    Tensor X = input("X", s32, {T}, align(4));
    Tensor I = input("I", s32, {N}, align(4)), D = output("D", s32, {N, 32});
    SharedTile tile = shared(s32, {8});
    role("all", warps(1), [&] {
      store(tile, load(X.at({0}), {8}));
      for (Index i : range(N)) {
        Index at = load_index(I.at({i}));
        store(D.at({i, 0}), full(s32, {32}, load_index(tile, {at})));
      }
    });
  });
}

/// The place of each is counted.
Kernel counters() {
  return kernel("counters", [] {
    Size N = size("N"), T = size("T");
    Tensor I = input("I", s32, {N}, align(4));
    Tensor X = inout("X", s32, {2, T}, align(4)), D = output("D", s32, {N, 32});
    role("all", warps(1), [&] {
      for (Index i : range(N)) {
        Index at = load_index(I.at({i}));
        Index old = atomic_add(X.at({1, at}), 1);
        signal(X.at({0, at}));
        await(X.at({0, at}), 1);
        store(D.at({i, 0}), full(s32, {32}, old));
      }
    });
  });
}

/// D[i] = X[I[i]] for rows, by `load`, by `copy` into a stage, or by `store`.
enum class Way : uint8_t { load, copy, store };
Kernel rowsBy(Way way) {
  return kernel("rows", [=] {
    Size N = size("N"), T = size("T");
    Tensor X = input("X", s32, {T, 64}), D = output("D", s32, {N, 64});
    Tensor I = input("I", s32, {N}, align(4));
    TileLoop tiles = grid({N}, {32});
    if (way != Way::copy) {
      role("all", warps(4), [&] {
        for (auto [n] : tiles)
          if (way == Way::load)
            store(D.at({n * 32, 0}),
                  load(X.at({0, 0}).rows(I.at({n * 32})), {32, 64}));
          else
            store(D.at({0, 0}).rows(I.at({n * 32})),
                  load(X.at({n * 32, 0}), {32, 64}));
      });
      return;
    }
    Pipeline ring = pipeline(1, smem(s32, {32, 64}));
    role("load", warps(1), [&] {
      for (auto [n] : tiles) {
        Stage s = ring.acquire();
        copy(X.at({0, 0}).rows(I.at({n * 32})), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(4), [&] {
      for (auto [n] : tiles) {
        Stage s = ring.wait();
        store(D.at({n * 32, 0}), load(s[0]));
        ring.release(s);
      }
    });
  });
}

/// D[i] = X[I[i]] for pages.
Kernel pages() {
  return kernel("pages", [] {
    Size N = size("N"), T = size("T");
    Tensor X = input("X", s32, {T, 64}), D = output("D", s32, {N, 64});
    Tensor I = input("I", s32, {N}, align(4));
    Pipeline ring = pipeline(2, smem(s32, {1, 64}));
    role("load", warps(1), [&] {
      for (Index i : range(N)) {
        Stage s = ring.acquire();
        copy(X.at({load_index(I.at({i})), 0}), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(2), [&] {
      for (Index i : range(N)) {
        Stage s = ring.wait();
        store(D.at({i, 0}), load(s[0]));
        ring.release(s);
      }
    });
  });
}

/// D[i] = X[1, I[i]] for elements, by `gather` or by `scatter`.
Kernel elements(bool scatters) {
  return kernel("elements", [=] {
    Size N = size("N"), T = size("T");
    Tensor X = input("X", s32, {2, T}, align(4)), I = input("I", s32, {N});
    Tensor D = output("D", s32, {N, 64}), E = inout("E", s32, {T}, align(4));
    TileLoop tiles = grid({N}, {128});
    role("all", warps(4), [&] {
      for (auto [n] : tiles) {
        Fragment at = load(I.tile({n}), {128});
        if (scatters)
          scatter(E, {at}, full(s32, {128}, 1), Reduction::add);
        else
          store(E.tile({n}), gather(X, {1, at}));
      }
    });
  });
}

std::vector<Input> indices(int64_t wrong) {
  return {{"I", [=](const Problem &p, Coordinate at) {
             return at[0] == 3 && wrong ? double(wrong)
                                        : double(at[0] % p.size("T"));
           }}};
}

/// What a launch in the simulator finds first, and prints.
struct Outcome {
  std::string report, printed;
};
Outcome simulate(const Kernel &kernel, CompileOptions options, int64_t wrong) {
  options.assemble = false;
  Outcome outcome;
  sim::SimulatorSettings &settings = sim::settings();
  // Else the device would be dead for the tests that follow.
  settings.quiet = settings.keepGoing = true;
  settings.print = [&](const std::string &text) { outcome.printed += text; };
  Module module(device(), compile(kernel, options).artifact);
  Problem problem = randomProblem(module.artifact(), {{"N", 10}, {"T", 6}}, {},
                                  {"X"}, indices(wrong));
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(10));
  settings.quiet = settings.keepGoing = false;
  settings.print = nullptr;
  for (const sim::Report &report : sim::takeReports())
    if (outcome.report.empty())
      outcome.report = report.text();
  return outcome;
}

struct Case {
  std::string name;
  Kernel (*kernel)();
  bool isIndex; ///< which an option asks for
  std::string line, what;
};

const std::vector<Case> cases = {
    {"a value of a tensor", values, false,
     "tensor 'X' has no element [1, AT]: it has 2 x 6",
     "the element lies in tensor 'X'"},
    {"a value of a shared tile", sharedValues, false,
     "the shared tile has no element [AT]: it has 8",
     "the element lies in the shared tile"},
    {"a counter", counters, false,
     "tensor 'X' has no element [1, AT]: it has 2 x 6",
     "the element lies in tensor 'X'"},
    {"rows that are loaded", [] { return rowsBy(Way::load); }, true,
     "tensor 'X' has no row AT: it has 6",
     "the index is that of a row of tensor 'X'"},
    {"rows that are copied", [] { return rowsBy(Way::copy); }, true,
     "tensor 'X' has no row AT: it has 6",
     "the index is that of a row of tensor 'X'"},
    {"rows that are stored", [] { return rowsBy(Way::store); }, true,
     "tensor 'D' has no row AT: it has 10",
     "the index is that of a row of tensor 'D'"},
    {"a tile at a coordinate of memory", pages, true,
     "tensor 'X' has nothing of a tile at [AT, 0]: it has 6 x 64",
     "the tile lies in tensor 'X'"},
    {"elements that are read", [] { return elements(false); }, true,
     "tensor 'X' has no element [1, AT]: it has 2 x 6",
     "the element lies in tensor 'X'"},
    {"elements that are written", [] { return elements(true); }, true,
     "tensor 'E' has no element [AT]: it has 6",
     "the element lies in tensor 'E'"},
};

void finds(const Case &tested) {
  CompileOptions checked, others;
  (tested.isIndex ? checked : others).check_indices = true;
  (tested.isIndex ? others : checked).check_expectations = true;
  for (int64_t wrong : {-1, 1000}) {
    const Outcome found = simulate(tested.kernel(), checked, wrong);
    std::string line = tested.line;
    line.replace(line.find("AT"), 2, std::to_string(wrong));
    EXPECT_THAT(found.printed, testing::HasSubstr(line));
    EXPECT_THAT(found.report, testing::HasSubstr("assertion: "));
    EXPECT_THAT(found.report, testing::HasSubstr(tested.what));
    EXPECT_THAT(found.report, testing::HasSubstr("BoundsTest.cpp:"));
    // What it does without: an index is passed by, a value is 0.
    if (tested.isIndex)
      EXPECT_EQ(simulate(tested.kernel(), others, wrong).report, "");
  }
  const Outcome right = simulate(tested.kernel(), checked, 0);
  EXPECT_EQ(right.report, "");
  EXPECT_EQ(right.printed, "");
}

/// The launch ends, and the driver says why.
void endsOnAGpu(const Case &tested) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  CompileOptions options;
  options.check_indices = tested.isIndex;
  for (int64_t index : {-1, 0, 1000}) {
    std::vector<Input> inputs = indices(index);
    inputs.push_back({"X", [](const Problem &, Coordinate) { return 0.0; }});
    EXPECT_EXIT(
        launchAndExit(tested.kernel(), {{"N", 10}, {"T", 6}}, inputs, options),
        testing::ExitedWithCode(index == 0 ? 0 : 3),
        index == 0 ? "" : tested.what);
  }
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  for (const Case &tested : cases)
    registerTest("BoundsAreChecked", "of " + tested.name, [&tested] {
      isSimulated() ? finds(tested) : endsOnAGpu(tested);
    });
});

} // namespace
} // namespace ashlar::test
