// The compiler's description of the machine and the simulator's, which know
// nothing of each other, say the same.

#include "compiler/target/Target.h"
#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"
#include "runtime/sim/machine/copies/TensorMap.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

/// Whether the simulator decodes a kernel with this body.
bool decodes(const std::string &body) {
  GlobalMemory memory;
  try {
    load(kernelText("", body + "\nret;"), "test.ptx", memory);
  } catch (const DecodeError &) {
    return false;
  }
  return true;
}

/// The same, of a wgmma with so many columns.
bool decodesColumns(int64_t columns, bool integers) {
  std::string sums;
  for (int64_t i = 0; i < std::max<int64_t>(columns / 2, 1); ++i)
    sums += (i ? ", %d" : "%d") + std::to_string(i);
  const std::string shape = "m64n" + std::to_string(columns) + "k";
  return decodes(
      integers ? ".reg .b32 %d<160>;\n.reg .b64 %a, %b;\nwgmma.mma_async.sync."
                 "aligned." +
                     shape + "32.s32.s8.s8 {" + sums + "}, %a, %b, 1;"
               : ".reg .f32 %d<160>;\n.reg .b64 %a, %b;\nwgmma.mma_async.sync."
                 "aligned." +
                     shape + "16.f32.bf16.bf16 {" + sums +
                     "}, %a, %b, 1, 1, 1, 0, 0;");
}

TEST(Target, HasTheLimitsThatTheSimulatorHolds) {
  EXPECT_EQ(target::sharedBytes, int64_t(maxSharedBytes));
  EXPECT_EQ(target::reservedSharedBytes, int64_t(reservedSharedBytes));
  EXPECT_EQ(target::smSharedBytes,
            int64_t(maxSharedBytes + reservedSharedBytes));
  EXPECT_EQ(target::mostThreads, int64_t(maxThreads));
  EXPECT_EQ(target::fileRegisters, int64_t(registersPerSm));
  EXPECT_EQ(target::warpThreads, int64_t(warpLanes));
  EXPECT_EQ(target::namedBarriers, int64_t(decltype(Cta::barriers)().size()));
  EXPECT_EQ(target::mbarrierMost, int64_t(Mbarrier::maxTransactions));
  EXPECT_EQ(target::mbarrierMost, int64_t(Mbarrier::maxCount));
  EXPECT_EQ(target::tmaDimensions, int64_t(maxTensorRank));
}

TEST(Target, HasTheBudgetsOfRegistersThatTheSimulatorDecodes) {
  for (int64_t count = 0; count <= target::mostBudget; ++count)
    EXPECT_EQ(decodes("setmaxnreg.dec.sync.aligned.u32 " +
                      std::to_string(count) + ";"),
              target::isRegisterBudget(count))
        << count;
}

TEST(Target, HasTheBoxesThatTheSimulatorTakes) {
  auto takes = [](uint32_t extent, uint32_t swizzle) {
    TensorMap map;
    map.element = uint32_t(TensorElement::bf16);
    map.rank = 2;
    map.address = 4096;
    map.extents = {1024, 1024};
    map.strideBytes = {2048};
    map.box = {8, extent};
    map.swizzle = swizzle;
    return !brokenRule(map);
  };
  EXPECT_TRUE(takes(target::tmaBoxExtent, 0));
  EXPECT_FALSE(takes(target::tmaBoxExtent + 1, 0));
  for (uint32_t swizzle : {0, 1, 2, 3}) {
    TensorMap map;
    map.swizzle = swizzle;
    EXPECT_TRUE(takes(8, swizzle));
    EXPECT_TRUE(target::isSwizzleBytes(map.swizzleBytes()));
  }
  EXPECT_FALSE(takes(8, 4));
}

TEST(Target, HasTheColumnsOfWgmmaThatTheSimulatorDecodes) {
  for (bool integers : {false, true})
    for (int64_t columns = 1; columns <= target::wgmmaMostColumns + 16;
         ++columns)
      EXPECT_EQ(decodesColumns(columns, integers),
                target::isWgmmaColumns(columns, integers))
          << columns;
}

} // namespace
} // namespace ashlar::sim
