// Tensor maps that a kernel makes: what orders their writes before TMA reads
// them.
#include "runtime/sim/machine/copies/TensorMap.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

/// Warp 0 makes a map in global memory from the kernel's parameter, with the
/// address of another tensor; a thread of warp 1 loads a tile of 8x64 bf16 by
/// it.
struct MadeMap {
  std::string make = "ld.param.v2.u64 {%d0, %d1}, [m+OFFSET];\n"
                     "st.shared.v2.u64 [copy+OFFSET], {%d0, %d1};\n";
  std::string replace = "tensormap.replace.tile.global_address.shared::cta."
                        "b1024.b64 [copy], %tensor;\n";
  std::string release = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
                        "generic.release.gpu.sync.aligned [%map], [copy], "
                        "128;\n";
  std::string meet = "bar.sync 0;\n";
  std::string acquire =
      "fence.proxy.tensormap::generic.acquire.gpu [%map], 128;\n";

  std::string text() const {
    std::string chunks;
    for (int offset = 0; offset < 128; offset += 16) {
      std::string chunk = make;
      for (size_t at; (at = chunk.find("OFFSET")) != std::string::npos;)
        chunk.replace(at, 6, std::to_string(offset));
      chunks += chunk;
    }
    return kernelText(
        ".param .align 64 .b8 m[128], .param .u64 maps, .param .u64 tensors",
        ".reg .b64 %map, %tensor, %d<2>; .reg .b32 %t, %v;\n"
        ".reg .pred %maker, %first, %loader, %done;\n"
        "ld.param.u64 %map, [maps]; ld.param.u64 %tensor, [tensors];\n"
        "mov.u32 %t, %tid.x; setp.lt.u32 %maker, %t, 32;\n"
        "setp.eq.u32 %first, %t, 0; setp.eq.u32 %loader, %t, 32;\n"
        "@%first mbarrier.init.shared.b64 [bar], 1;\n"
        "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "@!%maker bra READY;\n@!%first bra COPY;\n" +
            chunks + replace + "COPY: bar.warp.sync -1;\n" + release +
            "READY:\n" + meet + "@!%loader bra WAIT;\n" + acquire +
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n"
            "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::"
            "bytes [tile], [%map, {0, 0}], [bar];\n"
            "WAIT: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n"
            "@!%done bra WAIT;\nld.shared.u32 %v, [tile];\nret;",
        ".shared .align 1024 .b8 tile[1024];\n.shared .align 8 .b64 bar;\n"
        ".shared .align 128 .b8 copy[128];\n");
  }

  std::string findings(uint64_t seed) const {
    PtxRunner runner;
    runner.options.seed = seed;
    runner.shape.block.x = 64;
    TensorMap map;
    map.element = static_cast<uint32_t>(TensorElement::bf16);
    map.rank = 2;
    map.address = 0x1000;
    map.extents = {64, 8, 1, 1, 1};
    map.strideBytes = {128};
    map.box = {64, 8, 1, 1, 1};
    struct Opaque {
      uint64_t words[16] = {};
    } opaque;
    EXPECT_EQ(encodeTensorMap(opaque.words, map), std::nullopt);
    runner.pass(opaque);
    runner.buffer(std::vector<uint64_t>(64, 0));   // maps
    runner.buffer(std::vector<uint32_t>(256, 42)); // the tensor
    return sim::text(runner.run(text()));
  }
};

/// A map that is made where it is used, by ordinary stores.
MadeMap madeInPlace() {
  MadeMap map;
  map.make = "ld.param.v2.u64 {%d0, %d1}, [m+OFFSET];\n"
             "st.global.v2.u64 [%map+OFFSET], {%d0, %d1};\n";
  map.replace =
      "tensormap.replace.tile.global_address.global.b1024.b64 [%map], "
      "%tensor;\n";
  map.release = "fence.proxy.tensormap::generic.release.gpu;\n";
  return map;
}

void expectFound(const MadeMap &map, const std::string &finding) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const std::string found = map.findings(seed);
    EXPECT_EQ(found.rfind(finding, 0), 0u) << found;
  }
}

const std::string missing = "missing proxy fence: the tensor map at ";

TEST(TensorMapFence, ReleaseAndAcquireMakeAMapVisible) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(MadeMap().findings(seed), "") << seed;
    EXPECT_EQ(madeInPlace().findings(seed), "") << seed;
  }
}

TEST(TensorMapFence, AcquireByAnotherThreadWillDo) {
  MadeMap map;
  map.meet = "bar.sync 0;\n@%first fence.proxy.tensormap::generic.acquire.gpu "
             "[%map], 128;\nbar.sync 0;\n";
  map.acquire = "";
  for (uint64_t seed = 0; seed < 6; ++seed)
    EXPECT_EQ(map.findings(seed), "") << seed;
}

TEST(TensorMapFence, IsMissingAtTheUse) {
  for (MadeMap map : {MadeMap(), madeInPlace()}) {
    map.acquire = "";
    expectFound(map, missing);
    EXPECT_NE(
        map.findings(0).find("Put fence.proxy.tensormap::generic.acquire"),
        std::string::npos);
    // That of another map, or of another proxy, does not count.
    map.acquire = "add.u64 %d0, %map, 128;\n"
                  "fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;\n";
    expectFound(map, missing);
    map.acquire = "fence.proxy.async;\n";
    expectFound(map, missing);
  }
}

TEST(TensorMapFence, IsMissingAtTheWrites) {
  MadeMap map = madeInPlace();
  for (const char *release :
       {"", "fence.proxy.async;\n", "fence.acq_rel.gpu;\n"}) {
    map.release = release;
    expectFound(map, missing);
    EXPECT_NE(
        map.findings(0).find("Put fence.proxy.tensormap::generic.release"),
        std::string::npos);
  }
}

TEST(TensorMapFence, DoesNotOrderThreads) {
  MadeMap map;
  map.meet = "";
  bool isFound = false;
  for (uint64_t seed = 0; seed < 20; ++seed)
    isFound |= map.findings(seed) != "";
  EXPECT_TRUE(isFound);
}

TEST(TensorMapFence, IsNoFenceOfTheAsynchronousProxy) {
  for (const char *fence :
       {"fence.proxy.tensormap::generic.release.gpu;\n",
        "fence.proxy.tensormap::generic.acquire.gpu [%map], 128;\n"}) {
    PtxRunner runner;
    runner.buffer(std::vector<uint32_t>(32, 0));
    const auto reports = runner.run(kernelText(
        ".param .u64 p",
        ".reg .b64 %map; .reg .b32 %t, %at; .reg .pred %q;\n"
        "ld.param.u64 %map, [p]; mov.u32 %t, %tid.x; mov.u32 %at, tile;\n"
        "mad.lo.u32 %at, %t, 4, %at; setp.eq.u32 %q, %t, 0;\n"
        "st.shared.u32 [%at], %t;\n" +
            std::string(fence) +
            "bar.sync 0;\n"
            "@%q cp.async.bulk.global.shared::cta.bulk_group [%map], [tile], "
            "128;\n"
            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;",
        ".shared .align 16 .b8 tile[128];\n"));
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].finding, Finding::missingProxyFence);
  }
}

} // namespace
} // namespace ashlar::sim
