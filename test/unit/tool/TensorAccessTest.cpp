// What a kernel accesses beside its tensors, in the simulator.
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/Execute.h"
#include "tool/MakeProblem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ashlar;
using namespace ashlar::harness;
using testing::HasSubstr;

namespace {

/// A kernel of one warp on Y = X of N x 7 floats, in rows of 8: each lane
/// copies the element `elementOfLane` of X to that of Y, or the one
/// `readOffset` bytes further, and writes `writeOffset` bytes further.
Artifact copyArtifact(int readOffset, int writeOffset) {
  Artifact artifact;
  artifact.name = "copy";
  artifact.target = "sm_90a";
  artifact.sizes = {"N"};
  artifact.tensors = {
      {.name = "X", .type = f32, .extents = {{0}, {-1, 7}}, .read = true},
      {.name = "Y", .type = f32, .extents = {{0}, {-1, 7}}, .written = true}};
  artifact.parameters = {{.kind = Parameter::Kind::pointer, .index = 0},
                         {.kind = Parameter::Kind::pointer, .index = 1}};
  artifact.grid.spaces = {{{{0}}, {64}}};
  artifact.threads = 32;
  artifact.ptx = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  .reg .pred %p;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p, %r1, 28;
  @%p exit;
  div.u32 %r2, %r1, 7;
  add.u32 %r2, %r1, %r2;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  .loc 1 7 0
  ld.global.u32 %r3, [%rd4+)" +
                 std::to_string(readOffset) + R"(];
  .loc 1 8 0
  st.global.u32 [%rd5+)" +
                 std::to_string(writeOffset) + R"(], %r3;
  ret;
}
.file 1 "author.cpp"
)";
  return artifact;
}

/// The reports of a run on 4 rows.
std::vector<sim::Report> reportsOf(const Artifact &artifact) {
  sim::resetSimulator();
  sim::settings() = {};
  sim::settings().quiet = true;
  std::vector<sim::Report> reports;
  {
    Device device = Device::open(sim::simulatorDriver());
    const std::vector<NamedSize> sizes = {{"N", 4}};
    Problem problem = nameProblem(artifact, sizes, {});
    addTensors(artifact, problem);
    try {
      runAndCheck(device, artifact, problem, {},
                  std::chrono::milliseconds(1000));
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr("out of bounds"));
    }
    reports = sim::takeReports();
  }
  sim::resetSimulator();
  return reports;
}

void expectFound(int readOffset, int writeOffset, const std::string &line,
                 const std::string &sentence) {
  const std::vector<sim::Report> reports =
      reportsOf(copyArtifact(readOffset, writeOffset));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].finding, sim::Finding::outOfBounds);
  EXPECT_EQ(reports[0].sites[0].source, line);
  EXPECT_THAT(reports[0].sentence, HasSubstr(sentence));
}

} // namespace

TEST(TensorAccess, WithinATensorIsRight) {
  EXPECT_TRUE(reportsOf(copyArtifact(0, 0)).empty());
}

TEST(TensorAccess, ReadsOutsideAreFoundThoughTheAllocationHoldsThem) {
  expectFound(4, 0, "author.cpp:7",
              "right behind the end of [0, :] of tensor "
              "'X' (4 x 7 elements of 4 bytes, strides");
  expectFound(-4, 0, "author.cpp:7",
              "4 bytes before the beginning of tensor 'X'");
  expectFound(32, 0, "author.cpp:7", "4 bytes behind the end of tensor 'X'");
}

TEST(TensorAccess, WritesOutsideAreFoundAtTheirLine) {
  expectFound(0, 4, "author.cpp:8",
              "right behind the end of [0, :] of tensor "
              "'Y'");
  expectFound(0, -4, "author.cpp:8",
              "4 bytes before the beginning of tensor 'Y'");
}
