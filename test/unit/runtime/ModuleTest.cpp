#include "FakeDriver.h"
#include "Throws.h"

#include <functional>
#include <optional>

namespace ashlar::test {
namespace {

class ModuleLoading : public testing::Test {
protected:
  void load() {
    Device device = Device::open(fake.table);
    Module module(device, artifact);
  }
  void expectRefused(std::initializer_list<const char *> parts) {
    expectError([&] { load(); }, parts);
  }

  FakeDriver fake;
  Artifact artifact = gemmArtifact();
};

TEST_F(ModuleLoading, PrefersTheCubin) {
  artifact.cubin = {std::byte('E'), std::byte('L'), std::byte('F')};
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  EXPECT_EQ(fake.image, module.artifact().cubin.data());
}

TEST_F(ModuleLoading, CompilesPtxWithoutACubin) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  EXPECT_EQ(fake.image, module.artifact().ptx.c_str());
}

TEST_F(ModuleLoading, GivesASimulatorThePtx) {
  artifact.cubin = {std::byte('E'), std::byte('L'), std::byte('F')};
  fake.table.loadsPtxOnly = true;
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  EXPECT_EQ(fake.image, module.artifact().ptx.c_str());
  artifact.ptx.clear();
  expectRefused({"gemm.cpp:10: error: ", "only a cubin"});
}

TEST_F(ModuleLoading, ReportsTheDriversLog) {
  fake.loadResult = driver::Result::invalidPtx;
  fake.jitLog = "ptxas error: line 3; unknown instruction 'wgmmma'\n";
  expectRefused({"gemm.cpp:10: error: ", "kernel 'gemm'", "PTX",
                 "CUDA_ERROR_FAKE", "unknown instruction 'wgmmma'"});
  EXPECT_EQ(fake.count("moduleUnload"), 0);
}

TEST_F(ModuleLoading, UnloadsCodeThatLacksTheKernel) {
  fake.getFunctionResult = driver::Result::notFound;
  expectRefused({"gemm.cpp:10: error: ", "not in its own code"});
  EXPECT_EQ(fake.count("moduleUnload"), 1);
}

TEST_F(ModuleLoading, AllowsItsSharedMemory) {
  load();
  ASSERT_EQ(fake.functionAttributes.size(), 1u);
  EXPECT_EQ(fake.functionAttributes[0].first,
            driver::FunctionAttribute::maxDynamicSharedSizeBytes);
  EXPECT_EQ(fake.functionAttributes[0].second, 200000);
}

TEST_F(ModuleLoading, AllowsClustersThatAreNotPortable) {
  artifact.grid.cluster = {16, 1};
  load();
  ASSERT_EQ(fake.functionAttributes.size(), 2u);
  EXPECT_EQ(fake.functionAttributes[1].first,
            driver::FunctionAttribute::nonPortableClusterSizeAllowed);
}

TEST_F(ModuleLoading, AsksWhatFitsOnlyForPersistentClusters) {
  load();
  EXPECT_EQ(fake.count("occupancyMaxActiveClusters"), 1);
  EXPECT_EQ(fake.cluster, (std::array<unsigned, 3>{2, 1, 1}));
  EXPECT_EQ(fake.config.gridX % 2, 0u);
  EXPECT_EQ(fake.config.blockX, 384u);
  EXPECT_EQ(fake.config.sharedBytes, 200000u);
  artifact.grid.persistent = false;
  load();
  artifact.grid.persistent = true;
  artifact.grid.cluster = {1, 1};
  load();
  EXPECT_EQ(fake.count("occupancyMaxActiveClusters"), 1);
}

TEST_F(ModuleLoading, ReportsClustersThatTheDriverRefuses) {
  fake.occupancyResult = driver::Result::invalidValue;
  expectRefused({"gemm.cpp:10: error: ", "kernel 'gemm'",
                 "clusters of 2 blocks", "CUDA_ERROR_FAKE",
                 "smaller clusters"});
  EXPECT_EQ(fake.count("moduleUnload"), 1);
}

TEST_F(ModuleLoading, UnloadsOnceWhateverTheOrderOfDestruction) {
  {
    std::optional<Device> device = Device::open(fake.table);
    Module module(*device, artifact);
    Module moved = std::move(module);
    device.reset();
    EXPECT_EQ(fake.count("primaryContextRelease"), 0);
  }
  EXPECT_EQ(fake.count("moduleUnload"), 1);
  EXPECT_EQ(fake.calls.back(), "primaryContextRelease");
}

TEST_F(ModuleLoading, RefusesAnotherArchitecture) {
  fake.capabilityMajor = 10;
  expectRefused({"gemm.cpp:10: error: ", "compiled for sm_90a", "'Fake H200'",
                 "compute capability 10.0", "run it on 9.0"});
  EXPECT_EQ(fake.count("moduleLoadDataEx"), 0);
}

TEST_F(ModuleLoading, RefusesATargetThatIsNoGpu) {
  artifact.target = "avx512";
  expectRefused({"'avx512'", "sm_90a"});
}

TEST_F(ModuleLoading, RefusesMoreSharedMemoryThanTheDeviceHas) {
  artifact.sharedBytes = 232449;
  expectRefused({"gemm.cpp:10: error: ", "232449 bytes of shared memory",
                 "232448", "fewer stages"});
  EXPECT_EQ(fake.count("moduleLoadDataEx"), 0);
}

TEST_F(ModuleLoading, RefusesArtifactsThatContradictThemselves) {
  const std::pair<std::function<void(Artifact &)>, const char *> spoilt[] = {
      {[](Artifact &a) { a.name.clear(); }, "no name"},
      {[](Artifact &a) { a.ptx.clear(); }, "neither PTX nor a cubin"},
      {[](Artifact &a) { a.threads = 0; }, "has 0 threads"},
      {[](Artifact &a) { a.threads = 1025; }, "has 1025 threads"},
      {[](Artifact &a) { a.sharedBytes = -1; }, "shared memory is -1"},
      {[](Artifact &a) { a.scalars[0].name = "A"; }, "'A' is used twice"},
      {[](Artifact &a) { a.scalars[0].type = u8; }, "scalar 'alpha' is u8"},
      {[](Artifact &a) { a.tensors[0].extents[0] = {3}; }, "uses size 3 of 3"},
      {[](Artifact &a) { a.tensors[0].extents[0] = {-1, -4}; }, "extent -4"},
      {[](Artifact &a) { a.tensors[0].alignmentBytes = 24; }, "24 bytes"},
      {[](Artifact &a) { a.tensors[0].alignmentBytes = 0; }, "0 bytes"},
      {[](Artifact &a) { a.parameters[0].index = 3; }, "size 3 of 3"},
      {[](Artifact &a) { a.parameters[0].index = -1; }, "size -1 of 3"},
      {[](Artifact &a) { a.parameters[4].index = 3; }, "tensor 3 of 3"},
      {[](Artifact &a) { a.parameters[5].dimension = 2; }, "dimension 2 of 2"},
      {[](Artifact &a) { a.parameters[6].index = 1; }, "scalar 1 of 1"},
      {[](Artifact &a) { a.parameters[3].tensorMap.tensor = 9; }, "tensor 9"},
      {[](Artifact &a) { a.parameters[3].tensorMap.box = {64}; }, "rank 1"},
      {[](Artifact &a) { a.parameters[3].tensorMap.box = {257, 64}; }, "257"},
      {[](Artifact &a) { a.parameters[3].tensorMap.box = {0, 64}; }, "box 0"},
      {[](Artifact &a) { a.parameters[3].tensorMap.box = {8, 4}; }, "8 bytes"},
      {[](Artifact &a) { a.parameters[3].tensorMap.box = {8, 72}; }, "swizzle"},
      {[](Artifact &a) { a.parameters[3].tensorMap.swizzleBytes = 16; },
       "swizzled by 16"},
      {[](Artifact &a) { a.grid.tile.pop_back(); }, "1 tile lengths"},
      {[](Artifact &a) { a.grid.tile[0] = 0; }, "tile 0 long"},
      {[](Artifact &a) { a.grid.extents[0] = {7}; }, "its grid uses size 7"},
      {[](Artifact &a) { a.grid.cluster = {0, 1}; }, "cluster 0 long"},
      {[](Artifact &a) { a.grid.cluster = {4, 5}; }, "20 blocks"},
  };
  for (const auto &[spoil, message] : spoilt) {
    artifact = gemmArtifact();
    spoil(artifact);
    expectRefused({"contradicts itself", message});
  }
  EXPECT_EQ(fake.count("moduleLoadDataEx"), 0);
}

} // namespace
} // namespace ashlar::test
