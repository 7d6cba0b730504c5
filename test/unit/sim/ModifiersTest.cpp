// The order of modifiers: what ptxas 13.0 takes is taken, and means the same.
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ashlar::sim {
namespace {

bool decodes(const std::string &instruction) {
  GlobalMemory memory;
  try {
    load(kernelText("",
                    ".reg .pred %p; .reg .b16 %h<4>; .reg .b32 %r<8>;\n"
                    ".reg .b64 %d<4>; .reg .f32 %f<8>;\n" +
                        instruction + ";\nret;",
                    ".shared .align 128 .b8 memory[1024];\n"),
         "test.ptx", memory);
  } catch (const std::runtime_error &) {
    return false;
  }
  return true;
}

TEST(Modifiers, StandInAnyOrderThatPtxasTakes) {
  for (const char *instruction :
       {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [memory]",
        "ldmatrix.sync.aligned.x1.m8n8.shared.trans.b16 {%r1}, [memory]",
        "ldmatrix.b16.shared::cta.x1.m8n8.aligned.sync {%r1}, [memory]",
        "stmatrix.sync.aligned.trans.x2.m8n8.shared.b16 [memory], {%r1, %r2}",
        "stmatrix.sync.aligned.x1.trans.m8n8.b16.shared [memory], {%r1}",
        "movmatrix.aligned.trans.sync.m8n8.b16 %r1, %r2",
        "mma.sync.aligned.row.col.m16n8k16.f32.bf16.bf16.f32 "
        "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
        "{%f1, %f2, %f3, %f4}",
        "wgmma.wait_group.aligned.sync 0",
        "setmaxnreg.dec.u32.aligned.sync 40",
        "shfl.bfly.b32.sync %r1, %r2, 1, 31, -1",
        "mbarrier.try_wait.parity.shared::cta.acquire.cta.b64 %p, [memory], 0",
        "mbarrier.arrive.shared::cta.release.b64.cta %d1, [memory]",
        "cp.async.bulk.global.bulk_group.shared::cta [%d0], [memory], 16",
        "cvt.ftz.rn.f16.f32 %h1, %f1",
        "fence.gpu.acq_rel",
        "fence.proxy.shared::cta.async",
        "add.f32.rn %f1, %f2, %f3",
        "add.f32.ftz.rn %f1, %f2, %f3",
        "max.f32.NaN %f1, %f2, %f3",
        "mul.f32.rn.ftz %f1, %f2, %f3",
        "mad.lo.u32.cc %r1, %r2, %r3, %r4",
        "add.u32.cc %r1, %r2, %r3"})
    EXPECT_TRUE(decodes(instruction)) << instruction;
}

TEST(Modifiers, OfOneKindOrOfTheNameKeepTheirOrder) {
  for (const char *instruction :
       {"cvt.rn.f32.f16 %h1, %f1",
        "cp.async.bulk.shared::cta.global.bulk_group [%d0], [memory], 16",
        "cp.bulk.async.global.shared::cta.bulk_group [%d0], [memory], 16",
        "mma.sync.aligned.m16n8k16.col.row.f32.bf16.bf16.f32 "
        "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
        "{%f1, %f2, %f3, %f4}",
        "mbarrier.shared.init.b64 [memory], 1", "wgmma.sync.fence.aligned",
        "setmaxnreg.sync.dec.aligned.u32 40",
        "mad.cc.lo.u32 %r1, %r2, %r3, %r4", "fence.async.proxy",
        "fence.proxy.shared::cta.alias", "fence.proxy.global.async.shared::cta",
        "ldmatrix.sync.aligned.m8n8.x1.x1.shared.b16 {%r1}, [memory]",
        "ldmatrix.sync.m8n8.x1.shared.b16 {%r1}, [memory]"})
    EXPECT_FALSE(decodes(instruction)) << instruction;
}

// What is wrong is told of the text as it stands.
TEST(Modifiers, AreRefusedInTheOrderOfTheText) {
  GlobalMemory memory;
  try {
    load(kernelText("", ".reg .b32 %r<3>;\nadd.s32.nonsense %r1, %r2, 1;"),
         "test.ptx", memory);
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("'.nonsense'"), std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace ashlar::sim
