#include "FakeDriver.h"
#include "Throws.h"
#include "test/Cubin.h"

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
  artifact.cubin = cubinOf("gemm");
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
  artifact.cubin = cubinOf("gemm");
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
                 "CUDA_ERROR_FAKE", "unknown instruction 'wgmmma'",
                 "whose path ASHLAR_PTXAS is"});
  EXPECT_EQ(fake.count("moduleUnload"), 0);
}

TEST_F(ModuleLoading, TellsOfALaunchThatHasFailedBefore) {
  fake.loadResult = driver::Result::launchFailed;
  expectRefused(
      {"gemm.cpp:10: error: ", "a launch before has failed", "start it again"});
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
  artifact.grid.spaces[0].persistent = false;
  load();
  artifact.grid.spaces[0].persistent = true;
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
    EXPECT_THAT([&] { module.artifact(); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("moved")));
    device.reset();
    EXPECT_EQ(fake.count("primaryContextRelease"), 0);
  }
  EXPECT_EQ(fake.count("moduleUnload"), 1);
  EXPECT_EQ(fake.calls.back(), "primaryContextRelease");
}

TEST_F(ModuleLoading, RefusesCodeWithOtherParameters) {
  // As the code of gemmArtifact() has them.
  static std::vector<size_t> declared;
  declared = {4, 4, 4, 128, 8, 8, 4, 128};
  fake.table.functionGetParameter = [](driver::FunctionHandle, size_t index,
                                       size_t *offset, size_t *bytes) {
    if (index >= declared.size())
      return driver::Result::invalidValue;
    *offset = 0;
    *bytes = declared[index];
    return driver::Result::success;
  };
  load();
  declared[6] = 8;
  expectRefused({"gemm.cpp:10: error: ", "number 6 has 8 bytes and 4"});
  declared[6] = 4;
  declared.push_back(8);
  expectRefused({"number 8 has 8 bytes and 0"});
  declared.resize(7);
  expectRefused({"number 7 has 0 bytes and 128"});
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
      {[](Artifact &a) { a.name.clear(); }, "its name is empty"},
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
      {[](Artifact &a) { a.parameters[3].tensorMap.step = {2}; }, "1 steps"},
      {[](Artifact &a) { a.parameters[3].tensorMap.step = {1, 2}; }, "be 1"},
      {[](Artifact &a) { a.parameters[3].tensorMap.step = {9, 1}; },
       "steps of 9"},
      {[](Artifact &a) {
         a.parameters[3].tensorMap.box = {136, 64};
         a.parameters[3].tensorMap.step = {2, 1};
       },
       "box 136 long"},
      {[](Artifact &a) { a.grid.spaces[0].tile.pop_back(); }, "1 tile lengths"},
      {[](Artifact &a) { a.grid.spaces[0].tile[0] = 0; }, "tile 0 long"},
      {[](Artifact &a) { a.grid.spaces[0].extents[0] = {7}; },
       "its grid uses size 7"},
      {[](Artifact &a) { a.grid.cluster = {0, 1}; }, "cluster 0 long"},
      {[](Artifact &a) { a.grid.cluster = {4, 5}; }, "20 blocks"},
  };
  const std::pair<std::function<void(Artifact &)>, const char *> hostile[] = {
      {[](Artifact &a) { a.name = "a\x1b[2J"; }, "control characters"},
      {[](Artifact &a) { a.where.file.assign(5000, 'a'); }, "4096 characters"},
      {[](Artifact &a) { a.sizes[1].clear(); }, "the name of a size is empty"},
      {[](Artifact &a) { a.ptx += '\0'; }, "its PTX has a zero"},
      {[](Artifact &a) { a.cubin = cubinOf("other"); }, "no code of kernel"},
      {[](Artifact &a) { a.cubin.resize(100); }, "its cubin is no ELF file"},
      {[](Artifact &a) { a.tensors[0].extents.clear(); }, "has rank 0"},
      {[](Artifact &a) { a.tensors[0].extents.resize(6); }, "has rank 6"},
      {[](Artifact &a) { a.tensors[0].alignmentBytes = 256; }, "256 bytes"},
      {[](Artifact &a) { a.grid.spaces[0].tile[0] = 1ll << 31; },
       "tile 2147483648 long"},
      {[](Artifact &a) { a.grid.cluster.assign(6, 1); }, "6 dimensions"},
      {[](Artifact &a) { a.parameters.resize(20000); }, "20000 parameters"},
      {[](Artifact &a) { a.pipelines[0].stages = 0; }, "pipeline of 0 stages"},
      {[](Artifact &a) { a.pipelines[0].stages = 1 << 30; }, "stages of 28672"},
      {[](Artifact &a) { a.pipelines[0].stageBytes = -1; }, "of -1 bytes"},
      {[](Artifact &a) { a.bounds = {{{}, 1}}; }, "a bound is of 0 numbers"},
      {[](Artifact &a) { a.bounds = {{{{}, {}}, 1}}; },
       "a bound is of 2 numbers"},
      {[](Artifact &a) { a.bounds = {{{{}, {Term::Kind::add}}, 1}}; },
       "an operation without two numbers"},
      {[](Artifact &a) { a.bounds = {{{{Term::Kind::size, 3}}, 1}}; },
       "size 3 of 3"},
      {[](Artifact &a) { a.roles[0].firstWarp = 12; }, "warps from number 12"},
      {[](Artifact &a) { a.roles[0].warps = 2147483647; }, "there are 12"},
      {[](Artifact &a) { a.roles[0].registers = 256; }, "256 registers"},
      {[](Artifact &a) { a.resources.stackBytes = -1; }, "fewer than 0"},
  };
  for (const auto &[spoil, message] : hostile) {
    artifact = gemmArtifact();
    spoil(artifact);
    expectRefused({"contradicts itself", message});
  }
  for (const auto &[spoil, message] : spoilt) {
    artifact = gemmArtifact();
    spoil(artifact);
    expectRefused({"contradicts itself", message});
  }
  EXPECT_EQ(fake.count("moduleLoadDataEx"), 0);
}

} // namespace
} // namespace ashlar::test
