// GEMM in many types, shapes and configurations: every kernel compiles without
// a spill or a remark, and its results are right.

#include "test/kernels/Gemm.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include <array>

namespace ashlar::test {
namespace {

using Sizes = std::array<int64_t, 3>; ///< M, N, K

const std::vector<Sizes> manyShapes{
    {1, 1, 1},          {1, 1, 8},          {1, 8, 1},
    {8, 1, 1},          {2, 3, 5},          {7, 11, 13},
    {16, 16, 16},       {17, 19, 23},       {31, 37, 41},
    {64, 8, 16},        {64, 64, 64},       {63, 255, 63},
    {127, 255, 63},     {128, 256, 64},     {129, 257, 65},
    {128, 256, 1},      {128, 256, 32},     {128, 256, 96},
    {1, 4096, 4096},    {4096, 1, 4096},    {16, 4096, 4096},
    {4096, 4096, 16},   {127, 4095, 511},   {255, 511, 1023},
    {256, 512, 1024},   {257, 521, 1031},   {384, 768, 100},
    {500, 300, 700},    {512, 512, 512},    {509, 503, 499},
    {640, 1280, 192},   {997, 991, 983},    {1000, 1000, 1000},
    {1023, 1023, 1023}, {1024, 1024, 1024}, {1151, 2047, 63},
    {1537, 769, 129},   {2048, 2048, 2048}, {2049, 1025, 513},
    {4096, 4096, 4096}, {64, 7168, 16384},  {128, 8192, 8192},
    {8192, 8192, 8192}};

const std::vector<Sizes> fewShapes{
    {1, 1, 1},      {128, 256, 64},  {5, 7, 0},       {0, 8, 8},
    {129, 257, 65}, {300, 500, 700}, {509, 503, 499}, {1024, 2048, 512}};

/// For the simulator: less than a tile, ragged in each direction with more
/// blocks of K than stages, empty.
const std::vector<Sizes> simulatedShapes{
    {1, 1, 1}, {131, 265, 333}, {64, 8, 16}, {5, 7, 0}, {0, 8, 8}};

GemmSpec of(ElementType in, ElementType accumulator, ElementType d) {
  GemmSpec spec;
  spec.a = spec.b = in;
  spec.accumulator = accumulator;
  spec.d = d;
  spec.bk = 128 / size_bytes(in);
  return spec;
}

template <typename Change> GemmSpec with(GemmSpec spec, Change change) {
  change(spec);
  return spec;
}

std::vector<GemmSpec> types() {
  return {of(bf16, f32, bf16), of(f16, f32, f16), of(e4m3, f32, bf16),
          of(tf32, f32, f32), of(s8, s32, s32)};
}

/// Everything that differs from `types()` in one respect or more.
std::vector<GemmSpec> configurations() {
  GemmSpec base;
  auto bf = [&](auto change) { return with(base, change); };
  std::vector<GemmSpec> list{
      bf([](GemmSpec &s) { s.bm = 64, s.bn = 128, s.mathWarpgroups = 1; }),
      bf([](GemmSpec &s) { s.bm = 64, s.bn = 96, s.mathWarpgroups = 1; }),
      bf([](GemmSpec &s) { s.bn = 128, s.stages = 6; }),
      bf([](GemmSpec &s) { s.bn = 64, s.bk = 128, s.stages = 3; }),
      bf([](GemmSpec &s) { s.bm = 256, s.bn = 128; }),
      bf([](GemmSpec &s) { s.bm = 192, s.bn = 160, s.mathWarpgroups = 3; }),
      bf([](GemmSpec &s) { s.bn = 8; }),
      bf([](GemmSpec &s) {
        s.bm = 512, s.bn = 32, s.stages = 2, s.mathWarpgroups = 4,
        s.budgets = false;
      }),
      bf([](GemmSpec &s) {
        s.bm = 64, s.bn = 320, s.stages = 2, s.mathWarpgroups = 1;
      }),
      bf([](GemmSpec &s) { s.bn = 24, s.bk = 32; }),
      bf([](GemmSpec &s) { s.bn = 72, s.bk = 16; }),
      bf([](GemmSpec &s) { s.bk = 48, s.stages = 2; }),
      bf([](GemmSpec &s) { s.bk = 32, s.stages = 1; }),
      bf([](GemmSpec &s) { s.clusterM = 2; }),
      bf([](GemmSpec &s) { s.clusterN = 2; }),
      bf([](GemmSpec &s) { s.clusterM = 2, s.clusterN = 2; }),
      bf([](GemmSpec &s) { s.clusterM = 4; }),
      bf([](GemmSpec &s) { s.isPersistent = false; }),
      bf([](GemmSpec &s) { s.budgets = false, s.bn = 128; }),
      bf([](GemmSpec &s) { s.twoLoaders = true; }),
      bf([](GemmSpec &s) { s.twoLoaders = true, s.clusterM = 2; }),
      bf([](GemmSpec &s) { s.stagedStore = true, s.stages = 3; }),
      bf([](GemmSpec &s) { s.transposeA = true; }),
      bf([](GemmSpec &s) { s.transposeB = true; }),
      bf([](GemmSpec &s) { s.transposeA = s.transposeB = true; }),
      bf([](GemmSpec &s) {
        s.transposeA = s.transposeB = true, s.bm = 64, s.bn = 96, s.bk = 32,
        s.mathWarpgroups = 1;
      }),
      bf([](GemmSpec &s) { s.transposeB = true, s.bn = 40, s.bk = 16; }),
      bf([](GemmSpec &s) { s.alignment = 8; }),
      bf([](GemmSpec &s) { s.alignment = 4, s.clusterM = 2; }),
      bf([](GemmSpec &s) { s.alignment = s.alignmentOfD = 2; }),
      bf([](GemmSpec &s) {
        s.accumulator = s.d = f32;
        s.bn = 128;
      }),
      with(of(f16, f16, f16), [](GemmSpec &s) { s.bn = 128; }),
      with(of(f16, f16, f32), [](GemmSpec &s) { s.bn = 64; }),
      of(e5m2, f32, bf16),
      with(of(e4m3, f32, e4m3), [](GemmSpec &s) { s.b = e5m2; }),
      with(of(e5m2, f32, f16), [](GemmSpec &s) { s.b = e4m3; }),
      with(of(e4m3, f32, bf16),
           [](GemmSpec &s) { s.alignment = s.alignmentOfD = 2; }),
      with(of(tf32, f32, bf16), [](GemmSpec &s) { s.bn = 136, s.bk = 24; }),
      with(of(tf32, f32, f32), [](GemmSpec &s) { s.alignment = 4; }),
      with(of(s8, s32, f32), [](GemmSpec &s) { s.bn = 48, s.bk = 96; }),
      with(of(u8, s32, s32), [](GemmSpec &s) { s.b = s8; }),
  };
  return list;
}

/// The rounding of the output, and of what wgmma does on the way: it truncates
/// tf32, and adds fp8 products in some 14 bits.
double tolerance(const GemmSpec &spec) {
  if (spec.accumulator == s32)
    return spec.d == s32 ? 0 : 1e-6;
  double output = spec.d == bf16   ? 3e-3
                  : spec.d == f16  ? 5e-4
                  : spec.d == e4m3 ? 5e-2
                                   : 1e-5;
  if (spec.a == tf32)
    output += 1e-3;
  if (size_bytes(spec.a) == 1)
    output += 1e-3;
  if (spec.accumulator == f16)
    output += 3e-2;
  return output;
}

void runs(const GemmSpec &spec, const std::vector<Sizes> &shapes) {
  Module module(device(), compileCleanly(gemm(spec)));
  for (auto [m, n, k] : shapes)
    runPart(shapeText(m, n, k), [&, m = m, n = n, k = k] {
      Problem problem =
          randomProblem(module.artifact(), {{"M", m}, {"N", n}, {"K", k}});
      HostTensor d = launch(module, problem);
      EXPECT_LE(gemmError(problem["A"], spec.transposeA, problem["B"],
                          spec.transposeB, d),
                tolerance(spec));
    });
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  auto add = [](const std::vector<GemmSpec> &specs,
                const std::vector<Sizes> &shapesOnGpu) {
    for (const GemmSpec &spec : specs)
      registerTest("Gemm", spec.str(), [spec, shapesOnGpu] {
        runs(spec, isSimulated() ? simulatedShapes : shapesOnGpu);
      });
  };
  add(types(), manyShapes);
  add(configurations(), fewShapes);
});

} // namespace
} // namespace ashlar::test
