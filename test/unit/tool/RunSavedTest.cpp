#include "tool/RunSaved.h"
#include "tool/SimulatedSizes.h"
#include "tool/SimulatedSms.h"

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

TEST(SimulatedSms, AreSoFewThatCtasHaveSeveralTiles) {
  const TileSpace tiles = {.extents = {{.size = 0}, {.size = 1}},
                           .tile = {128, 128},
                           .persistent = true};
  auto sms = [](int64_t m, int64_t n, const GridRule &rule) {
    Artifact artifact;
    artifact.sizes = {"M", "N"};
    artifact.grid = rule;
    const std::vector<NamedSize> sizes = {{"N", n}, {"M", m}};
    return simulatedSms(artifact, sizes);
  };
  EXPECT_EQ(sms(200, 200, {{tiles}, {}}), 2);
  EXPECT_EQ(sms(850, 128, {{tiles}, {}}), 4);
  EXPECT_EQ(sms(950, 128, {{tiles}, {}}), 2);
  EXPECT_EQ(sms(600, 600, {{tiles}, {}}), 7);
  EXPECT_EQ(sms(1 << 20, 1 << 20, {{tiles}, {}}), 33);
  // Two clusters of two CTAs, which are beside each other in any case.
  EXPECT_EQ(sms(200, 200, {{tiles}, {2, 1}}), 2);
  EXPECT_EQ(sms(600, 300, {{tiles}, {3, 1}, 4}), 3);
  EXPECT_EQ(sms(200, 200, {{tiles}, {}, 8}), 1);
  // A CTA alone would have none to race with.
  EXPECT_EQ(sms(200, 100, {{tiles}, {}}), 2);
  EXPECT_EQ(sms(0, 100, {{tiles}, {}}), 2);
}

TEST(SimulatedSms, AreAllWhereCtasMayWaitForEachOther) {
  const TileSpace tiles = {
      .extents = {{.size = 0}}, .tile = {128}, .persistent = true};
  TileSpace ctas = tiles, grid = tiles;
  ctas.tile = {1};
  grid.persistent = false;
  Artifact artifact;
  artifact.sizes = {"M"};
  const std::vector<NamedSize> sizes = {{"M", 300}};
  for (const TileSpace &other : {ctas, grid}) {
    artifact.grid.spaces = {tiles, other};
    EXPECT_EQ(simulatedSms(artifact, sizes), 132);
  }
}
