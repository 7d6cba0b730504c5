// The library's GEMM in every family of its configurations: each compiles
// without a spill or a remark, and its results are right.

#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/gemm_auto.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>

namespace ashlar::test {
namespace {

using Sizes = std::array<int64_t, 3>; ///< M, N, K

/// Less than a tile; ragged in each direction; whole units of 16 bytes; less
/// than a stage of K; nothing at all.
const std::vector<Sizes> shapes{{1, 1, 1},   {131, 265, 333}, {200, 328, 600},
                                {70, 72, 8}, {5, 7, 0},       {0, 8, 8}};
/// For small tiles: several for each CTA.
const Sizes manyTiles{520, 840, 72};

struct Family {
  std::string name;
  GemmTypes types;
  double tolerance;
  std::vector<const char *> configs, smallTiles;
};

std::vector<Family> families() {
  return {
      {"bf16",
       {},
       5e-3,
       {"128x256x64 s4 w2", "128x256x64 s3 w2 e32x2",
        "256x128x64 s4 w2 g4 e64x1", "128x128x128 s3 w2 e64x1",
        "192x160x64 s3 w3 e32x2", "192x200x64 s3 w3 c1x2 e64x1 swapped",
        "256x136x64 s4 w2 c1x2 e64x0 swapped", "256x176x64 s3 w2 e64x1",
        "64x256x64 s4 w1", "64x64x64 s4 w1 c2x1 b2 e64x1",
        "64x16x128 s4 w1 a0 b4 e16x1 swapped", "128x72x32 s5 w2 e24x2",
        "64x32x64 s8 w1 e32x1",
        // Staged in the ring.
        "256x176x64 s4 w2 e64x0", "128x256x64 s4 w2 c2x1 e64x0",
        "128x72x64 s3 w2 c1x2 e64x0", "128x128x64 s3 w2 c2x2 e32x0",
        "64x128x64 s4 w2 c2x1 e64x0 pingpong", "128x128x64 s4 w2 k2 e64x0",
        "128x72x64 s4 w2 e64x0 swapped", "128x64x32 s4 w2 e32x0",
        // Clusters.
        "128x256x64 s4 w2 c2x1", "128x256x64 s4 w2 c1x2",
        "128x128x64 s4 w2 c2x2 e32x4", "128x128x64 s4 w2 c4x1",
        // Split-K.
        "128x128x64 s4 w2 k2", "64x128x64 s4 w1 k4 e32x1",
        "64x112x64 s6 w1 k7 e16x1 swapped", "128x120x64 s4 w2 k3 e40x1",
        "64x160x64 s4 w1 k5 e32x1", "128x128x64 s4 w2 c2x1 k2 e32x2",
        "64x64x64 s4 w1 c1x2 k4 e16x1",
        // Ping-pong.
        "64x128x64 s4 w2 e64x1 pingpong", "64x256x64 s3 w2 e32x2 pingpong",
        "64x128x64 s4 w2 c2x1 e64x1 pingpong",
        "64x64x64 s6 w2 c1x2 e64x1 pingpong",
        "64x128x64 s3 w2 c2x2 e32x2 pingpong",
        // Swapped.
        "128x32x64 s6 w2 e32x1 swapped", "128x64x64 s4 w2 c2x1 e16x2 swapped",
        "64x16x128 s4 w1 c1x2 e16x1 swapped",
        // Tiles of the edge in parts.
        "128x176x64 s4 w2 e64x1 edge-parts",
        "128x176x64 s4 w2 c2x1 e64x1 edge-parts",
        "192x96x64 s4 w3 c1x3 e32x1 a4 edge-parts swapped",
        "256x104x64 s3 w2 c1x4 e32x0 edge-parts",
        "128x96x32 s4 w2 c2x1 k2 e48x1 b0 edge-parts",
        "64x128x64 s4 w2 e64x1 edge-parts pingpong",
        "64x80x64 s4 w1 c5x1 e16x1 edge-parts",
        "64x64x64 s4 w2 k2 e32x1 pingpong swapped"},
       {"64x8x64 s8 w1 e8x1", "64x40x64 s4 w1 e8x1 edge-parts",
        "64x16x64 s4 w2 e8x2 pingpong", "64x8x64 s4 w2 e8x1 pingpong swapped",
        "64x16x64 s4 w1 k2 e8x1", "64x32x64 s3 w2 k2 e8x2 pingpong",
        "64x24x64 s3 w1 e16x0", "64x64x64 s5 w1 c2x2 e64x0",
        "64x24x64 s4 w2 e24x0 pingpong"}},
      {"bf16 to f32",
       {.d = f32},
       1e-5,
       {"128x128x64 s4 w2 e32x2", "64x64x64 s4 w2 e32x1 pingpong",
        "128x32x64 s4 w2 e16x2 swapped"},
       {}},
      {"f16",
       {f16, f16, f16},
       1e-3,
       {"128x256x64 s4 w2", "64x128x64 s4 w1 k2"},
       {}},
      {"f32",
       {f32, f32, f32},
       1e-6,
       {"128x176x32 s4 w2 c2x1 e32x1", "64x176x32 s3 w2 e32x1 pingpong",
        "256x72x32 s3 w2 e24x1", "192x88x32 s4 w3 c1x2 e32x1",
        "128x192x16 s4 w2 e32x2", "64x64x32 s4 w1 k4 e16x1",
        "64x8x8 s8 w1 e8x1 swapped", "128x64x64 s2 w2 e32x1",
        "64x16x128 s3 w1 k2 e8x1 swapped", "64x40x128 s3 w1 e8x1",
        "128x96x64 s2 w2 e32x1", "128x32x128 s2 w2 e32x1",
        "192x32x64 s3 w3 e32x1", "64x96x64 s3 w2 e32x1 pingpong",
        "256x24x64 s2 w2 e24x1", "64x96x32 s3 w1 e32x1 edge-parts"},
       {}},
      {"f32 by parts of bf16",
       {f32, f32, f32},
       5e-6,
       {"128x160x32 s4 w2 c2x1 e32x1 bf16-parts",
        "64x128x32 s3 w2 e32x1 pingpong bf16-parts",
        "256x64x32 s3 w2 e32x1 bf16-parts",
        "64x64x32 s4 w1 k4 e16x1 bf16-parts",
        "64x32x32 s6 w1 e8x1 swapped bf16-parts",
        "256x32x32 s4 w2 k4 e8x1 swapped bf16-parts"},
       {}},
      {"fp8",
       {e4m3, e4m3, bf16, Accumulation::fast},
       1e-2,
       {"128x256x128 s4 w2", "128x128x128 s4 w2 c2x1 k2",
        "64x128x128 s4 w2 c1x2 e64x1 pingpong",
        "128x32x128 s6 w2 e32x1 swapped", "128x176x128 s4 w2 c1x2 e64x0",
        "128x96x128 s4 w2 e64x1 edge-parts"},
       {}},
      {"fp8 in full",
       {e4m3, e5m2, bf16, Accumulation::full},
       5e-3,
       {"128x128x128 s4 w2", "64x64x128 s4 w2 c2x1 e64x1 pingpong",
        "64x64x128 s4 w1 k2", "64x32x128 s4 w1 c1x2 e16x2 swapped",
        "64x64x256 s3 w1 e32x1", "128x64x512 s2 w2 c2x1 e64x1"},
       {"64x16x128 s4 w2 e8x2 pingpong"}},
      {"fp8 from columns",
       {e4m3, e5m2, bf16, Accumulation::full, GemmLayout::parse("NT")},
       5e-3,
       {"128x128x128 s3 w2 e64x1 transposed-a transposed-b",
        "256x64x64 s3 w2 e16x1 transposed-a transposed-b",
        "192x48x128 s3 w3 e48x1 transposed-a transposed-b",
        "128x64x128 s3 w2 c2x1 k2 e32x1 transposed-a transposed-b",
        "64x64x256 s2 w1 e32x1 transposed-a transposed-b",
        "128x128x128 s3 w2 c1x2 e64x1 transposed-b prepared-a"},
       {"64x16x128 s3 w1 e16x1 transposed-a transposed-b swapped",
        "64x48x128 s4 w2 e16x1 pingpong transposed-a transposed-b"}},
      {"fast fp8 from columns",
       {e4m3, e5m2, bf16, Accumulation::fast, GemmLayout::parse("NN")},
       1e-2,
       {"128x256x128 s3 w2 e64x1 transposed-a",
        "256x128x128 s3 w2 c1x2 e64x0 transposed-a",
        "128x128x64 s4 w2 c2x1 e64x1 transposed-a pingpong"},
       {"64x32x256 s4 w1 k2 e16x1 transposed-a"}},
      {"s8 from columns",
       {u8, s8, s32, Accumulation::full, GemmLayout::parse("TT")},
       0,
       {"128x192x128 s3 w2 e32x1 transposed-b",
        "128x128x128 s3 w2 e32x1 transposed-b swapped"},
       {"64x16x256 s4 w1 k2 e8x1 transposed-b swapped"}},
      {"tf32 from columns",
       {tf32, tf32, f32, Accumulation::full, GemmLayout::parse("NN")},
       1e-5,
       {"128x64x64 s2 w2 c1x2 e32x1 transposed-a"},
       {"64x24x32 s4 w1 e24x1 transposed-a swapped"}},
      {"bf16 on any element",
       {bf16, bf16, bf16, Accumulation::full, GemmLayout::parse("TN:2,2,2")},
       5e-3,
       {"64x64x64 s8 w1 e64x1 l8", "64x64x64 s8 w1 e64x1 l8x4",
        "128x96x64 s4 w2 e32x0 l8x2", "64x96x64 s8 w1 e32x1 l8x4 prepared-b",
        "64x64x64 s8 w1 c1x2 e64x1 l8x2 prepared-b swapped early",
        "64x96x64 s4 w1 c2x1 e32x1 prepared-a prepared-b",
        "64x96x64 s8 w1 e32x1 l8 prepared-b edge-parts",
        "128x96x64 s4 w2 e32x1 prepared-a prepared-b edge-parts swapped",
        "128x96x64 s4 w2 c1x2 e32x1 prepared-a prepared-b",
        "64x64x64 s3 w2 k2 e32x1 prepared-a prepared-b pingpong"},
       {"64x16x64 s8 w1 k2 e8x1 l8x2 swapped",
        "64x16x128 s4 w2 e16x1 l8x2 pingpong"}},
      {"bf16 from columns on any element",
       {bf16, bf16, bf16, Accumulation::full, GemmLayout::parse("NT:2,2,2")},
       5e-3,
       {"128x64x64 s4 w2 c2x1 e32x1 prepared-a prepared-b",
        "128x248x64 s3 w2 c2x1 z4 e32x1 prepared-a prepared-b"},
       {}},
      {"integers on any byte",
       {u8, s8, s32, Accumulation::full, GemmLayout::parse("TN:1,1,4")},
       0,
       {"64x64x128 s3 w1 e32x1 prepared-a prepared-b"},
       {}},
      {"fp8 on any byte",
       {e4m3, e5m2, bf16, Accumulation::fast, GemmLayout::parse("TN:1,1,2")},
       1e-2,
       {"64x64x128 s3 w1 e32x1 prepared-a prepared-b"},
       {}},
      {"fp8 on any byte beside words",
       {e4m3, e5m2, bf16, Accumulation::fast, GemmLayout::parse("TT:8,1,16")},
       1e-2,
       {"128x64x128 s6 w2 e64x1 l4 prepared-b pingpong swapped"},
       {}},
      {"f32 from columns",
       {f32, f32, f32, Accumulation::full, GemmLayout::parse("NN")},
       1e-5,
       {"128x64x32 s2 w2 e32x1 transposed-a",
        "64x32x64 s2 w1 e32x1 transposed-a"},
       {}},
  };
}

void runs(const Family &family, const GemmConfig &config,
          const std::vector<Sizes> &all) {
  const GemmLayout &layout = family.types.layout;
  Module module(device(), compileCleanly(gemm(family.types, config)));
  auto run = [&](int64_t m, int64_t n, int64_t k) {
    std::vector<NamedSize> sizes{{"M", m}, {"N", n}, {"K", k}};
    for (const GemmWorkspace &each :
         gemm_workspace({m, n, k}, family.types, config, {}, /*ctas=*/1))
      for (size_t i = 0; i < each.shape.size(); ++i)
        if (each.extents[i].ends_with("Padded"))
          sizes.push_back({std::string(each.extents[i]), each.shape[i]});
    Problem problem = randomProblem(module.artifact(), sizes, {},
                                    workspacesOf(family.types, config));
    const HostTensor &a = problem["A"], &b = problem["B"];
    const HostTensor d = launch(module, problem);
    // Dᵀ = B · Aᵀ.
    EXPECT_LE(layout.d_m_major
                  ? gemmError(b, layout.b_n_major, a, layout.a_m_major, d)
                  : gemmError(a, layout.a_m_major, b, layout.b_n_major, d),
              family.tolerance);
  };
  for (auto [m, n, k] : all)
    runPart(shapeText(m, n, k), [&, m = m, n = n, k = k] { run(m, n, k); });
}

/// Vectors stored as rows, of lengths that are multiples of nothing, and the
/// other operand either way round.
void vectorsAreRight(const GemmTypes &types, double tolerance) {
  for (const char *layout : {"NN", "TT"})
    for (Sizes sizes : {Sizes{1, 251, 1003},
                        {131, 1, 251},
                        {1, 1, 77},
                        {131, 67, 1},
                        {1, 67, 0}}) {
      const auto [m, n, k] = sizes;
      Family family{"vectors", types, tolerance, {}, {}};
      family.types.layout = GemmLayout::parse(layout);
      family.types =
          aligned_as({m, n, k}, vectors_as_rows({m, n, k}, family.types));
      const GemmConfig config = gemm_auto({m, n, k}, family.types);
      runPart(layout + (" " + family.types.layout.str()) + " " + config.str(),
              [&] { runs(family, config, {sizes}); });
    }
}

/// Of few columns: 2.2e-7 where what additions round off is lost, 1.6e-7 where
/// parts of the columns' operand are cut off and not rounded.
void longSumsArePrecise() {
  runs({"f32", {f32, f32, f32}, 1.5e-7, {}, {}},
       GemmConfig::parse("64x8x128 s6 w1 e8x1 swapped"), {{1, 256, 8192}});
  runs({"f32", {f32, f32, f32}, 1.9e-7, {}, {}},
       GemmConfig::parse("64x16x128 s5 w1 k2 e8x1 swapped"), {{3, 128, 8192}});
}

/// A product stays in flight only where roles are known to take their stages in
/// one order.
void keepsProductsOfTransposedStagesInFlight() {
  GemmTypes types{e4m3, e4m3, bf16, Accumulation::fast};
  types.layout = GemmLayout::parse("TT");
  const GemmConfig config =
      GemmConfig::parse("128x128x128 s4 w2 e64x1 transposed-b");
  for (const Note &note : compile(gemm(types, config)).notes)
    EXPECT_THAT(note.message, testing::Not(testing::HasSubstr(
                                  "waits here for all of wgmma")));
}

/// A copy of A that is too narrow would lose steps of K.
void refusesShortWorkspaces() {
  GemmTypes types;
  types.layout.align_a = 2;
  Module module(
      device(),
      compileCleanly(
          gemm(types, GemmConfig::parse("64x64x64 s3 w1 e64x1 prepared-a"))));
  const Problem problem = randomProblem(
      module.artifact(), {{"M", 65}, {"N", 72}, {"K", 67}, {"KPadded", 64}}, {},
      {"Prepared"});
  try {
    launchForAll(module, problem);
    FAIL() << "was launched";
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("which gemm_workspace"));
  }
}

/// D may lie on C, of which each tile reads its own elements.
void readsCOfATileAlone() {
  GemmForm form;
  form.c = true;
  for (const char *config :
       {"128x128x64 s4 w2", "64x64x64 s3 w1 c2x1 k2 swapped",
        "128x64x64 s3 w2 pingpong"}) {
    const Artifact compiled =
        compile(gemm({}, GemmConfig::parse(config), form)).artifact;
    for (const TensorContract &tensor : compiled.tensors)
      EXPECT_EQ(tensor.reread, tensor.name == "A" || tensor.name == "B")
          << tensor.name << ", " << config;
  }
}

/// Those of a larger problem do: what stages read beyond this one is zeros.
void takesLongWorkspaces() {
  GemmTypes types;
  types.layout = GemmLayout::parse("TN:2,2,2");
  for (const char *config : {"64x64x128 s3 w1 e64x1 prepared-a prepared-b",
                             "128x64x128 s3 w2 e64x1 prepared-a prepared-b"}) {
    Module module(device(),
                  compileCleanly(gemm(types, GemmConfig::parse(config))));
    Problem problem = randomProblem(
        module.artifact(), {{"M", 65}, {"N", 72}, {"K", 30}, {"KPadded", 256}},
        {}, {"Prepared"});
    EXPECT_LE(gemmError(problem["A"], false, problem["B"], false,
                        launch(module, problem)),
              5e-3)
        << config;
  }
}

[[maybe_unused]] const bool registered = [] {
  registerTest("LibraryGemm", "short workspaces", refusesShortWorkspaces);
  registerTest("LibraryGemm", "long workspaces", takesLongWorkspaces);
  registerTest("LibraryGemm", "C of a tile alone", readsCOfATileAlone);
  for (const auto &[types, tolerance] : {std::pair{GemmTypes{}, 5e-3},
                                         {{s8, s8, s32}, 0},
                                         {{f32, f32, f32}, 1e-5}})
    registerTest("LibraryGemm", "vectors of " + std::string(name(types.a)),
                 [types, tolerance] { vectorsAreRight(types, tolerance); });
  registerTest("LibraryGemm", "long sums", longSumsArePrecise);
  registerTest("LibraryGemm", "products of transposed stages",
               keepsProductsOfTransposedStagesInFlight);
  for (const Family &family : families()) {
    auto add = [&](const char *config, const std::vector<Sizes> &all) {
      registerTest("LibraryGemm", filterable(family.name + " " + config),
                   [family, config, all] {
                     runs(family, GemmConfig::parse(config), all);
                   });
    };
    for (const char *config : family.configs)
      add(config, shapes);
    for (const char *config : family.smallTiles) {
      std::vector<Sizes> all = shapes;
      all.push_back(manyTiles);
      add(config, all);
    }
  }
  return true;
}();

} // namespace
} // namespace ashlar::test
