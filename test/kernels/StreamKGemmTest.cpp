// The library's GEMM with the steps of K dealt out evenly, on grids of a few
// CTAs: parts of tiles add up through global memory, the same way in each
// launch.

#include "test/kernels/Check.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/gemm.h"
#include "ashlar/stream.h"

#include <gmock/gmock.h>

namespace ashlar::test {
namespace {

struct Case {
  int64_t m, n, k, ctas;
};

/// Of tiles of 64x32 and stages of 64.
const std::vector<Case> cases{
    {1, 1, 1, 1},      // one tile of one step
    {1, 1, 1, 4},      // more CTAs than steps
    {60, 30, 600, 4},  // one tile cut into four
    {60, 30, 600, 7},  // the last CTAs have less, or nothing
    {130, 72, 333, 4}, // nine tiles: two waves and one left
    {130, 72, 333, 9}, // one whole wave
    {130, 72, 333, 6}, // a wave and a half
    {130, 72, 40, 4},  // one step of K
    {200, 328, 600, 5}, {5, 7, 0, 3}, {0, 8, 8, 3}};
/// More CTAs than run at once.
const Case manyCtas{70, 40, 600, 140};

struct Family {
  std::string name;
  GemmTypes types;
  double tolerance;
  std::vector<const char *> configs;
};

std::vector<Family> families() {
  return {
      {"bf16",
       {},
       5e-3,
       {"64x32x64 s4 w1 e32x1 streamk", "64x32x64 s4 w1 g2 e16x2 streamk",
        "128x64x64 s4 w2 e32x2 streamk", "64x32x64 s4 w1 e16x1 swapped streamk",
        "64x32x64 s4 w1 e16x1 edge-parts streamk"}},
      {"bf16 to f32", {.d = f32}, 1e-5, {"192x64x64 s3 w3 e32x1 streamk"}},
      {"fp8",
       {e4m3, e4m3, bf16, Accumulation::fast},
       1e-2,
       {"64x32x128 s4 w1 e32x1 streamk"}},
      {"fp8 in full",
       {e4m3, e5m2, bf16, Accumulation::full},
       5e-3,
       {"64x32x128 s4 w1 e32x1 streamk",
        "128x32x128 s4 w2 e16x2 swapped streamk"}}};
}

/// What must compile without a spill, and is too large to simulate.
const std::vector<std::pair<GemmTypes, const char *>> largest{
    {{}, "128x256x64 s4 w2 streamk e64x2"},
    {{}, "256x128x64 s4 w2 streamk e32x2"},
    {{}, "192x160x64 s3 w3 e32x2 streamk"},
    {{}, "256x160x64 s3 w2 e32x1 streamk"},
    {{}, "128x64x64 s8 w2 e32x2 swapped streamk"},
    {{e4m3, e4m3, bf16, Accumulation::fast}, "128x256x128 s4 w2 streamk e64x2"},
    {{e4m3, e4m3, bf16, Accumulation::full},
     "128x192x128 s4 w2 streamk e32x2"}};

Problem problemOf(const Module &module, const Case &c) {
  return randomProblem(module.artifact(),
                       {{"M", c.m}, {"N", c.n}, {"K", c.k}, {"CTAs", c.ctas}},
                       {}, {"Partials", "Arrivals"});
}

const HostTensor &find(const std::vector<HostTensor> &results,
                       std::string_view name) {
  for (const HostTensor &each : results)
    if (each.name() == name)
      return each;
  throw Error("no result '" + std::string(name) + "'");
}

/// Twice on one workspace: right, bit for bit the same, and no counter is left.
void runs(Module &module, const Case &c, double tolerance) {
  Problem problem = problemOf(module, c);
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  Stream stream(device());
  std::vector<std::byte> before;
  for (int nth = 0; nth < 2; ++nth) {
    module.launch(onDevice.arguments(), stream);
    ASSERT_TRUE(stream.wait_for(std::chrono::seconds(10)));
    std::vector<HostTensor> results = onDevice.results();
    const HostTensor &d = find(results, "D");
    EXPECT_TRUE(nth == 0 || d.bytes() == before);
    before = d.bytes();
    EXPECT_LE(gemmError(problem["A"], false, problem["B"], false, d),
              tolerance);
    EXPECT_EQ(find(results, "Arrivals").bytes(), problem["Arrivals"].bytes());
  }
}

Module moduleOf(const GemmTypes &types, const char *config) {
  return {device(), compileCleanly(gemm(types, GemmConfig::parse(config)))};
}

void batchedRuns() {
  GemmForm form{.batched = true, .alpha = true, .bias = true};
  Module module(
      device(),
      compileCleanly(
          gemm({}, GemmConfig::parse("64x32x64 s4 w1 e32x1 streamk"), form)));
  Problem problem = randomProblem(
      module.artifact(),
      {{"batch", 3}, {"M", 100}, {"N", 40}, {"K", 200}, {"CTAs", 5}},
      {{"alpha", 0.5}}, {"Partials", "Arrivals"});
  auto reference = [&](std::span<const int64_t> at) {
    double sum = 0;
    for (int64_t k = 0; k < 200; ++k)
      sum += problem["A"](at[0], at[1], k) * problem["B"](at[0], at[2], k);
    return sum / 2 + problem["Bias"](at[2]);
  };
  EXPECT_LE(relativeError(launch(module, problem), reference), 5e-3);
}

/// What a launch on these arguments is refused with.
std::string refusal(Module &module, std::span<const NamedArgument> arguments) {
  try {
    module.launch_and_wait(arguments, std::chrono::seconds(10));
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing";
}

void refusesOtherWorkspaces() {
  Module module = moduleOf({}, "64x32x64 s4 w1 e32x1 streamk");
  Problem problem = problemOf(module, cases.front());
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  std::vector<NamedArgument> arguments(onDevice.arguments().begin(),
                                       onDevice.arguments().end());
  std::erase_if(arguments, [](const NamedArgument &each) {
    return each.name == "Arrivals";
  });
  EXPECT_THAT(refusal(module, arguments), testing::HasSubstr("'Arrivals'"));
  arguments.push_back({"Arrivals", TensorArgument{nullptr, s32, {2}, {}}});
  EXPECT_THAT(refusal(module, arguments), testing::HasSubstr("'Arrivals'"));
}

void refusesNoCtas() {
  Module module = moduleOf({}, "64x32x64 s4 w1 e32x1 streamk");
  Problem problem = problemOf(module, {64, 32, 64, 0});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  EXPECT_THAT(refusal(module, onDevice.arguments()),
              testing::HasSubstr("CTAs, of the workspaces, is at least 1"));
}

[[maybe_unused]] const bool registered = [] {
  for (const auto &[types, config] : largest)
    registerTest("StreamKCompiles",
                 std::string(name(types.a)) + " " +
                     std::to_string(int(types.accumulation)) + " " + config,
                 [types, config] {
                   compileCleanly(gemm(types, GemmConfig::parse(config)));
                 });
  for (const Family &family : families())
    for (const char *config : family.configs) {
      std::vector<Case> all = cases;
      if (config == family.configs.front())
        all.push_back(manyCtas);
      registerTest("StreamKRuns", filterable(family.name + " " + config), [=] {
        Module module = moduleOf(family.types, config);
        for (const Case &c : all)
          if (!testing::Test::HasFatalFailure())
            runPart(shapeText(c.m, c.n, c.k) + " on " + std::to_string(c.ctas),
                    [&] { runs(module, c, family.tolerance); });
      });
    }
  registerTest("StreamKRuns", "batched, with bias", batchedRuns);
  registerTest("StreamKRefuses", "other workspaces", refusesOtherWorkspaces);
  registerTest("StreamKRefuses", "no CTAs", refusesNoCtas);
  return true;
}();

} // namespace
} // namespace ashlar::test
