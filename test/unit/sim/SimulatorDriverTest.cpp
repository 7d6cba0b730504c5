#include "runtime/sim/driver/SimulatorDriver.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ashlar;
using driver::DevicePointer;
using driver::Result;

namespace {

/// out[i] = in[i] + addend for each thread.
const char *const addKernel = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry add(.param .u64 in, .param .u64 out, .param .u32 addend)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [addend];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  add.u32 %r4, %r3, %r1;
  st.global.u32 [%rd5], %r4;
  ret;
}
)";

class SimulatorDriver : public testing::Test {
protected:
  const DriverTable &table = sim::simulatorDriver();
  driver::ModuleHandle module = nullptr;
  driver::FunctionHandle function = nullptr;
  driver::LaunchConfig config = {};
  DevicePointer in = 0, out = 0;
  uint32_t addend = 10;

  void SetUp() override {
    sim::resetSimulator();
    sim::settings() = {};
    sim::settings().quiet = true;
    succeed(table.init(0));
    config.gridX = config.gridY = config.gridZ = 1;
    config.blockX = 32;
    config.blockY = config.blockZ = 1;
  }
  void TearDown() override { sim::resetSimulator(); }

  std::string describe(Result result) {
    const char *text = nullptr;
    table.getErrorString(result, &text);
    return text ? text : "";
  }
  void succeed(Result result) {
    ASSERT_EQ(result, Result::success) << describe(result);
  }
  void loadAdd() {
    succeed(table.moduleLoadDataEx(&module, addKernel, 0, nullptr, nullptr));
    succeed(table.moduleGetFunction(&function, module, "add"));
    std::vector<uint32_t> values(32);
    for (uint32_t i = 0; i < 32; ++i)
      values[i] = 100 * i;
    succeed(table.memoryAllocate(&in, 128));
    succeed(table.memoryAllocate(&out, 128));
    succeed(table.copyHostToDevice(in, values.data(), 128));
  }
  Result launch(driver::StreamHandle stream = nullptr) {
    void *parameters[] = {&in, &out, &addend};
    config.stream = stream;
    return table.launchKernelEx(&config, function, parameters, nullptr);
  }
  std::vector<uint32_t> result() {
    std::vector<uint32_t> values(32);
    succeed(table.copyDeviceToHost(values.data(), out, 128));
    return values;
  }
};

TEST_F(SimulatorDriver, LooksLikeAnH200) {
  int value = 0;
  succeed(table.deviceGetAttribute(
      &value, driver::DeviceAttribute::maxSharedMemoryPerBlockOptin, 0));
  EXPECT_EQ(value, 232448);
  succeed(table.deviceGetAttribute(
      &value, driver::DeviceAttribute::computeCapabilityMajor, 0));
  EXPECT_EQ(value, 9);
  driver::DeviceOrdinal device = 0;
  EXPECT_EQ(table.deviceGet(&device, 1), Result::invalidDevice);
}

TEST_F(SimulatorDriver, RunsAKernel) {
  loadAdd();
  succeed(launch());
  EXPECT_EQ(result()[31], 3110u);
}

TEST_F(SimulatorDriver, HoldsAsManyClustersAsItsSmsHoldBlocks) {
  loadAdd();
  const auto dynamicBytes =
      driver::FunctionAttribute::maxDynamicSharedSizeBytes;
  succeed(table.functionSetAttribute(function, dynamicBytes, 200000));
  driver::LaunchAttribute attribute = {};
  attribute.id = driver::LaunchAttributeId::clusterDimension;
  attribute.clusterDimension = {4, 1, 1};
  config.gridX = 4;
  config.sharedBytes = 200000; // one block on an SM
  config.attributes = &attribute;
  config.attributeCount = 1;
  int clusters = 0;
  succeed(table.occupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_EQ(clusters, 132 / 4);
}

TEST_F(SimulatorDriver, RunsLaunchesThatWaitByThemselvesOneAfterTheOther) {
  loadAdd();
  driver::LaunchAttribute attributes[2] = {};
  attributes[0].id = driver::LaunchAttributeId::clusterDimension;
  attributes[0].clusterDimension = {1, 1, 1};
  attributes[1].id = driver::LaunchAttributeId::programmaticStreamSerialization;
  attributes[1].programmaticStreamSerializationAllowed = 1;
  config.attributes = attributes;
  config.attributeCount = 2;
  succeed(launch());
  std::swap(in, out);
  succeed(launch());
  std::swap(in, out);
  succeed(launch());
  EXPECT_EQ(result()[31], 3130u);
}

TEST_F(SimulatorDriver, TakesParametersPackedByTheCaller) {
  loadAdd();
  struct {
    DevicePointer in, out;
    uint32_t addend;
  } packed = {in, out, 7};
  size_t size = sizeof(packed);
  void *extra[] = {reinterpret_cast<void *>(1), &packed,
                   reinterpret_cast<void *>(2), &size, nullptr};
  succeed(table.launchKernelEx(&config, function, nullptr, extra));
  EXPECT_EQ(result()[1], 107u);
}

TEST_F(SimulatorDriver, ReplaysACapturedGraph) {
  loadAdd();
  driver::StreamHandle stream = nullptr;
  driver::GraphHandle graph = nullptr;
  driver::GraphExecHandle exec = nullptr;
  succeed(table.streamCreate(&stream, 0));
  succeed(table.setBytes(out, 0, 128));
  succeed(table.streamBeginCapture(stream, driver::StreamCaptureMode::global));
  succeed(launch(stream));
  addend = 0; // the captured launch keeps its own
  EXPECT_NE(table.streamSynchronize(stream), Result::success);
  succeed(table.streamEndCapture(stream, &graph));
  EXPECT_EQ(result()[2], 0u);
  succeed(table.graphInstantiate(&exec, graph, 0));
  succeed(table.graphDestroy(graph));
  succeed(table.graphLaunch(exec, stream));
  EXPECT_EQ(result()[2], 210u);
  succeed(table.graphExecDestroy(exec));
  EXPECT_EQ(table.graphLaunch(exec, stream), Result::invalidHandle);
}

TEST_F(SimulatorDriver, RefusesCopiesThatLeaveAnAllocation) {
  loadAdd();
  char bytes[256] = {};
  EXPECT_EQ(table.copyHostToDevice(in, bytes, 129), Result::invalidValue);
  EXPECT_NE(describe(Result::invalidValue).find("129 bytes"),
            std::string::npos);
  EXPECT_EQ(table.copyDeviceToHost(bytes, 16, 1), Result::invalidValue);
  EXPECT_EQ(table.memoryFree(in + 4), Result::invalidValue);
  succeed(table.memoryFree(in));
  EXPECT_EQ(table.memoryFree(in), Result::invalidValue);
}

TEST_F(SimulatorDriver, RefusesLaunchesThatDoNotFit) {
  loadAdd();
  auto refused = [&](Result code, const char *why) {
    EXPECT_EQ(launch(), code);
    EXPECT_NE(describe(code).find(why), std::string::npos) << describe(code);
  };
  config.blockX = 1025;
  refused(Result::invalidValue, "1025");
  config.blockX = 32;
  config.gridX = 0;
  refused(Result::invalidValue, "grid");
  config.gridX = 3;
  driver::LaunchAttribute attribute = {};
  attribute.id = driver::LaunchAttributeId::clusterDimension;
  attribute.clusterDimension = {2, 1, 1};
  config.attributes = &attribute;
  config.attributeCount = 1;
  refused(Result::invalidValue, "not divisible");
  config.gridX = 16;
  attribute.clusterDimension = {16, 1, 1};
  refused(Result::invalidValue, "NON_PORTABLE");
  attribute.id = static_cast<driver::LaunchAttributeId>(99);
  refused(Result::notSupported, "99");
  config.attributeCount = 0;
  config.gridX = 1;
  config.sharedBytes = 50000;
  refused(Result::invalidValue, "MAX_DYNAMIC_SHARED_SIZE_BYTES");
  const auto dynamicBytes =
      driver::FunctionAttribute::maxDynamicSharedSizeBytes;
  succeed(table.functionSetAttribute(function, dynamicBytes, 50000));
  succeed(launch());
  EXPECT_EQ(table.functionSetAttribute(function, dynamicBytes, 232449),
            Result::invalidValue);
}

TEST_F(SimulatorDriver, WritesWhatIsWrongWithAModuleToTheLog) {
  char log[256] = {};
  driver::JitOption options[] = {driver::JitOption::errorLogBuffer,
                                 driver::JitOption::errorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  EXPECT_EQ(table.moduleLoadDataEx(&module,
                                   ".version 8.8\n.target sm_90a\n"
                                   ".address_size 64\n.entry k() { nope; }\n",
                                   2, options, values),
            Result::invalidPtx);
  EXPECT_NE(std::string(log).find("k.ptx:4:"), std::string::npos) << log;
  EXPECT_EQ(table.moduleLoadDataEx(&module,
                                   "\x7f"
                                   "ELF",
                                   2, options, values),
            Result::invalidImage);
  EXPECT_NE(std::string(log).find("cubin"), std::string::npos) << log;
}

TEST_F(SimulatorDriver, AFindingMakesTheDeviceFail) {
  loadAdd();
  succeed(table.memoryFree(in)); // now the kernel reads what is not there
  in = 4096;
  succeed(launch());
  EXPECT_EQ(table.streamSynchronize(nullptr), Result::launchFailed);
  EXPECT_NE(describe(Result::launchFailed).find("out of bounds"),
            std::string::npos)
      << describe(Result::launchFailed);
  EXPECT_EQ(launch(), Result::launchFailed);
  EXPECT_FALSE(sim::takeReports().empty());
  EXPECT_TRUE(sim::takeReports().empty());
  sim::resetSimulator();
  EXPECT_EQ(table.streamSynchronize(nullptr), Result::success);
}

TEST_F(SimulatorDriver, RefusesToLaunchWithATraceThatCannotBeWritten) {
  loadAdd();
  for (const char *path : {"/nonexistent/trace.json", "/dev/full"}) {
    sim::settings().tracePath = path;
    const Result result = launch();
    EXPECT_NE(result, Result::success) << path;
    EXPECT_NE(describe(result).find("choose another file"), std::string::npos)
        << describe(result);
  }
  sim::settings().tracePath.clear();
  succeed(launch());
}

TEST_F(SimulatorDriver, GoesOnAfterWhatLeavesTheResults) {
  // A copy that nobody waits for before the thread exits.
  const char *text = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry leaves(.param .u64 in, .param .u64 out, .param .u32 unused)
{
  .shared .align 16 .b8 tile[16];
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, tile;
  cp.async.ca.shared.global [%r1], [%rd1], 16;
  cp.async.commit_group;
  ret;
}
)";
  loadAdd();
  driver::FunctionHandle add = function;
  succeed(table.moduleLoadDataEx(&module, text, 0, nullptr, nullptr));
  succeed(table.moduleGetFunction(&function, module, "leaves"));
  config.blockX = 1;
  succeed(launch());
  succeed(table.streamSynchronize(nullptr));
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].finding, sim::Finding::unfinished);
  EXPECT_TRUE(reports[0].isHarmless);
  function = add;
  config.blockX = 32;
  succeed(launch());
  EXPECT_EQ(result()[2], 210u);
}

TEST_F(SimulatorDriver, ExecutesAllSeedsInSpiteOfFindings) {
  // Under each seed the same division by zero, and a race between two warps.
  const char *text = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry wrong(.param .u64 in, .param .u64 out, .param .u32 unused)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  div.u32 %r2, 5, %r1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  loadAdd();
  succeed(table.moduleLoadDataEx(&module, text, 0, nullptr, nullptr));
  succeed(table.moduleGetFunction(&function, module, "wrong"));
  config.blockX = 64;
  sim::settings().seeds = 5;
  succeed(launch());
  bool isFound = false;
  for (const sim::Report &report : sim::takeReports()) {
    EXPECT_EQ(report.seed, 0u) << report.text();
    if (report.finding == sim::Finding::dividesByZero) {
      EXPECT_FALSE(isFound);
      isFound = true;
      EXPECT_EQ(report.count, 5u) << report.text();
    }
  }
  EXPECT_TRUE(isFound);
}

TEST_F(SimulatorDriver, GoesOnAfterAFindingThatIsIgnored) {
  const char *text = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry divides(.param .u64 in, .param .u64 out, .param .u32 unused)
{
  .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  div.u32 %r2, 5, %r1;
  ret;
}
)";
  loadAdd();
  driver::FunctionHandle add = function;
  succeed(table.moduleLoadDataEx(&module, text, 0, nullptr, nullptr));
  succeed(table.moduleGetFunction(&function, module, "divides"));
  sim::settings().ignored.add("division-by-zero");
  succeed(launch());
  succeed(table.streamSynchronize(nullptr));
  EXPECT_TRUE(sim::takeReports().empty());
  function = add;
  succeed(launch());
  EXPECT_EQ(result()[2], 210u);
}

TEST_F(SimulatorDriver, GoesOnAfterAMissingFenceOfAnInitialisation) {
  const char *text = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry fenceless(.param .u64 in, .param .u64 out, .param .u32 unused)
{
  .shared .align 16 .b8 tile[16];
  .shared .align 8 .b64 barrier;
  .reg .pred %p;
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mbarrier.init.shared.b64 [barrier], 1;
  mbarrier.arrive.expect_tx.shared.b64 %rd3, [barrier], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 16, [barrier];
wait:
  mbarrier.test_wait.shared.b64 %p, [barrier], %rd3;
  @!%p bra wait;
  ld.shared.u32 %r1, [tile+8];
  st.global.u32 [%rd2], %r1;
  ret;
}
)";
  loadAdd();
  driver::FunctionHandle add = function;
  succeed(table.moduleLoadDataEx(&module, text, 0, nullptr, nullptr));
  succeed(table.moduleGetFunction(&function, module, "fenceless"));
  config.blockX = 1;
  succeed(launch());
  succeed(table.streamSynchronize(nullptr));
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].finding, sim::Finding::missingProxyFence);
  EXPECT_FALSE(reports[0].isEnd);
  uint32_t first = 0;
  succeed(table.copyDeviceToHost(&first, out, 4));
  EXPECT_EQ(first, 200u);
  function = add;
  config.blockX = 32;
  succeed(launch());
  EXPECT_EQ(result()[2], 210u);
}

TEST_F(SimulatorDriver, ComparesTheResultsOfSeeds) {
  // The last thread to exchange sees one of the others: which one depends on
  // the schedule.
  const char *text = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry last(.param .u64 in, .param .u64 out, .param .u32 unused)
{
  .reg .pred %p;
  .shared .align 16 .b8 tile[128];
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  setp.ne.u32 %p, %r2, 0;
  @%p bra done;
  atom.global.exch.b32 %r3, [%rd1], %r1;
  mov.u32 %r3, tile; // nobody waits for this copy, which changes no result
  shr.u32 %r2, %r1, 1;
  add.u32 %r3, %r3, %r2;
  cp.async.ca.shared.global [%r3], [%rd1+64], 16;
  cp.async.commit_group;
done:
  ret;
}
)";
  loadAdd();
  succeed(table.moduleLoadDataEx(&module, text, 0, nullptr, nullptr));
  succeed(table.moduleGetFunction(&function, module, "last"));
  succeed(table.setBytes(out, 0, 128));
  config.blockX = 256;
  sim::settings().seeds = 3;
  succeed(launch());
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.front().finding, sim::Finding::unfinished);
  EXPECT_EQ(reports.back().finding, sim::Finding::race);
  EXPECT_NE(reports.back().sentence.find("depends on the schedule"),
            std::string::npos);
}

TEST_F(SimulatorDriver, HandlesOfNothingAreRefused) {
  char nothing[64];
  auto *handle = reinterpret_cast<driver::StreamHandle>(nothing);
  EXPECT_EQ(table.streamSynchronize(handle), Result::invalidHandle);
  EXPECT_EQ(table.moduleUnload(reinterpret_cast<driver::ModuleHandle>(nothing)),
            Result::invalidHandle);
  EXPECT_EQ(launch(), Result::invalidHandle);
  EXPECT_EQ(table.eventQuery(reinterpret_cast<driver::EventHandle>(nothing)),
            Result::invalidHandle);
}

} // namespace
