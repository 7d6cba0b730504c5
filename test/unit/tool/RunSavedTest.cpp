#include "tool/RunSaved.h"
#include "tool/SimulatedSizes.h"

#include "test/unit/runtime/FakeDriver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ashlar;
using namespace ashlar::harness;
using testing::HasSubstr;

namespace {

std::string mistake(const Artifact &artifact) {
  RunOptions options;
  options.device.name = "sim";
  try {
    runSaved(artifact, options, /*zeros=*/{}, /*bench=*/false);
  } catch (const Error &error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

} // namespace

TEST(SavedKernel, DoesNotDecideHowLargeTheProblemIs) {
  Artifact artifact = test::gemmArtifact();
  artifact.grid.spaces[0].tile[0] = 1 << 20;
  EXPECT_THAT(mistake(artifact),
              AllOf(HasSubstr("more than 64 MiB"), HasSubstr("--size=M=128")));
  artifact = test::gemmArtifact();
  artifact.pipelines[0].stages = 20000;
  for (const NamedSize &size : simulatedSizes(artifact, {}))
    EXPECT_LE(size.value, 10000) << size.name;
}

TEST(SavedKernel, DoesNotDecideHowLongItTakes) {
  Artifact artifact;
  artifact.name = "k";
  artifact.target = "sm_90a";
  artifact.threads = 32;
  artifact.ptx = R"(
    .version 8.3
    .target sm_90a
    .address_size 64
    .visible .entry k() {
      .reg .u32 %n;
      .reg .pred %more;
      mov.u32 %n, 0;
    again:
      add.u32 %n, %n, 1;
      setp.ne.u32 %more, %n, 0xffffffff;
      @%more bra again;
      ret;
    })";
  EXPECT_THAT(mistake(artifact), HasSubstr("5000 ms"));
}
