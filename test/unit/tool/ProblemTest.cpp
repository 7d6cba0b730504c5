#include "tool/MakeProblem.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ashlar;
using namespace ashlar::harness;

namespace {

Artifact gemmArtifact() {
  Artifact artifact;
  artifact.name = "gemm";
  artifact.sizes = {"M", "N", "K"};
  artifact.tensors = {
      {.name = "A", .type = bf16, .extents = {{0}, {2}}, .read = true},
      {.name = "D", .type = bf16, .extents = {{0}, {1}}, .written = true}};
  artifact.scalars = {{.name = "alpha", .type = f32}};
  return artifact;
}

Problem makeProblem(const Artifact &artifact,
                    const std::vector<NamedSize> &sizes) {
  Problem problem = nameProblem(artifact, sizes, {});
  addTensors(artifact, problem);
  return problem;
}

} // namespace

TEST(Problem, TakesTheLastValueOfASize) {
  const std::vector<NamedSize> sizes = {{"M", 4096}, {"K", 7}, {"M", 33}};
  const Problem problem = nameProblem(gemmArtifact(), sizes, {});
  EXPECT_EQ(problem.size("M"), 33);
  EXPECT_EQ(problem.size("N"), 1024);
  EXPECT_EQ(problem.size("K"), 7);
  EXPECT_EQ(problem.scalar("alpha"), 1);
}

TEST(Problem, RefusesASizeThatTheKernelDoesNotHave) {
  const std::vector<NamedSize> sizes = {{"Q", 1}};
  EXPECT_THROW(nameProblem(gemmArtifact(), sizes, {}), Error);
  const std::vector<NamedScalar> scalars = {{"beta", 1}};
  EXPECT_THROW(nameProblem(gemmArtifact(), {}, scalars), Error);
}

TEST(Problem, RefusesAnIntegerScalarThatIsNone) {
  Artifact artifact = gemmArtifact();
  artifact.scalars.front().type = s32;
  for (double value : {2.5, 0x1p31, std::nan("")}) {
    const std::vector<NamedScalar> scalars = {{"alpha", value}};
    EXPECT_THROW(nameProblem(artifact, {}, scalars), Error) << value;
  }
  const std::vector<NamedScalar> least = {{"alpha", -0x1p31}};
  EXPECT_EQ(nameProblem(artifact, {}, least).scalar("alpha"), -0x1p31);
}

TEST(Problem, PadsRowsToTheAlignmentWithNaN) {
  const Problem problem =
      makeProblem(gemmArtifact(), {{"M", 3}, {"N", 8}, {"K", 5}});
  const HostTensor &a = problem["A"];
  EXPECT_EQ(a.strides(), (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(a.bytes().size(), (2 * 8 + 5) * 2u);
  EXPECT_TRUE(std::isnan(a.read(5)));
  EXPECT_FALSE(std::isnan(a(2, 4)));
}

TEST(Problem, PoisonsWhatTheKernelOnlyWrites) {
  const Problem problem =
      makeProblem(gemmArtifact(), {{"M", 3}, {"N", 8}, {"K", 5}});
  EXPECT_TRUE(std::isnan(problem["D"](0, 0)));
  EXPECT_TRUE(std::isnan(problem["D"](2, 7)));
}

TEST(Problem, HasNormalNumbers) {
  const Problem problem =
      makeProblem(gemmArtifact(), {{"M", 100}, {"N", 1}, {"K", 100}});
  double sum = 0, square = 0;
  forEachCoordinate(problem["A"].shape(), [&](std::span<const int64_t> at) {
    sum += problem["A"](at);
    square += problem["A"](at) * problem["A"](at);
  });
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(square / 10000, 1, 0.05);
}

TEST(Problem, MayBeEmpty) {
  const Problem problem =
      makeProblem(gemmArtifact(), {{"M", 0}, {"N", 8}, {"K", 0}});
  EXPECT_EQ(problem["A"].elements(), 0);
  EXPECT_TRUE(problem["A"].bytes().empty());
}

TEST(Problem, IsRefusedBeyondTheMemory) {
  for (const int64_t size : {int64_t(1) << 24, int64_t(1) << 32, INT64_MAX}) {
    try {
      makeProblem(gemmArtifact(), {{"M", size}, {"N", 8}, {"K", size}});
      ADD_FAILURE() << size;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("give smaller sizes"),
                std::string::npos)
          << error.what();
    }
  }
}
