// One case through the driver's entry points.
#include "test/conformance/Suite.h"

#include <thread>

namespace ashlar::conformance {

namespace {

using driver::Result;

/// A step failed; what() says which and how.
class StepFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

driver::TensorMapDataType dataTypeNamed(const std::string &name) {
  // CUtensorMapDataType, in its order.
  static const char *names[] = {"u8",      "u16",  "u32",     "s32", "u64",
                                "s64",     "f16",  "f32",     "f64", "bf16",
                                "f32.ftz", "tf32", "tf32.ftz"};
  for (size_t index = 0; index < std::size(names); ++index)
    if (name == names[index])
      return static_cast<driver::TensorMapDataType>(index);
  throw StepFailed("tensor map of an unknown element '" + name + "'");
}

class Run {
public:
  Run(const DriverTable &driver, const Case &instance)
      : driver(driver), instance(instance) {}

  ~Run() {
    for (driver::DevicePointer address : addresses)
      driver.memoryFree(address);
    if (module)
      driver.moduleUnload(module);
    if (stream)
      driver.streamDestroy(stream);
  }

  void load() {
    char log[4096] = "";
    driver::JitOption options[] = {driver::JitOption::errorLogBuffer,
                                   driver::JitOption::errorLogBufferSizeBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    Result result = driver.moduleLoadDataEx(&module, instance.ptx.c_str(), 2,
                                            options, values);
    if (result != Result::success)
      throw StepFailed("load: " + describe(driver, result) + " " + log);
    check("function", driver.moduleGetFunction(&function, module, "kernel"));
    if (instance.sharedBytes > 48 * 1024)
      check("shared memory",
            driver.functionSetAttribute(
                function, driver::FunctionAttribute::maxDynamicSharedSizeBytes,
                static_cast<int>(instance.sharedBytes)));
    if (instance.cluster > 8)
      check("cluster size",
            driver.functionSetAttribute(
                function,
                driver::FunctionAttribute::nonPortableClusterSizeAllowed, 1));
  }

  void upload() {
    check("stream", driver.streamCreate(&stream, 0));
    for (const Buffer &buffer : instance.buffers) {
      driver::DevicePointer address = 0;
      size_t size = std::max<size_t>(buffer.bytes.size(), 1);
      check("allocate", driver.memoryAllocate(&address, size));
      addresses.push_back(address);
      if (!buffer.bytes.empty())
        check("copy", driver.copyHostToDevice(address, buffer.bytes.data(),
                                              buffer.bytes.size()));
    }
    for (const TensorMap &map : instance.tensorMaps)
      encode(map);
  }

  void launch(std::chrono::milliseconds limit) {
    std::vector<void *> parameters;
    for (driver::DevicePointer &address : addresses)
      parameters.push_back(&address);
    for (driver::TensorMap &map : maps)
      parameters.push_back(&map);
    driver::LaunchAttribute cluster{};
    cluster.id = driver::LaunchAttributeId::clusterDimension;
    cluster.clusterDimension = {instance.cluster, 1, 1};
    driver::LaunchConfig config{};
    config.gridX = instance.grid;
    config.blockX = instance.block;
    config.gridY = config.gridZ = config.blockY = config.blockZ = 1;
    config.sharedBytes = instance.sharedBytes;
    config.stream = stream;
    config.attributes = instance.cluster > 1 ? &cluster : nullptr;
    config.attributeCount = instance.cluster > 1;
    check("launch",
          driver.launchKernelEx(&config, function, parameters.data(), nullptr));
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      Result result = driver.streamQuery(stream);
      if (result != Result::notReady) {
        check("kernel", result);
        return;
      }
      if (std::chrono::steady_clock::now() > end)
        throw StepFailed("kernel: not done within its time");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  std::vector<std::vector<uint8_t>> download() {
    std::vector<std::vector<uint8_t>> outputs;
    for (size_t index = 0; index < addresses.size(); ++index) {
      if (!instance.buffers[index].isOutput)
        continue;
      outputs.emplace_back(instance.buffers[index].bytes.size());
      check("copy back",
            driver.copyDeviceToHost(outputs.back().data(), addresses[index],
                                    outputs.back().size()));
    }
    return outputs;
  }

private:
  void check(const char *step, Result result) {
    if (result != Result::success)
      throw StepFailed(std::string(step) + ": " + describe(driver, result));
  }

  void encode(const TensorMap &map) {
    auto rank = static_cast<uint32_t>(map.extents.size());
    std::vector<uint32_t> strides = map.elementStrides;
    strides.resize(rank, 1);
    auto swizzle = map.swizzleBytes == 0    ? driver::TensorMapSwizzle::none
                   : map.swizzleBytes == 32 ? driver::TensorMapSwizzle::bytes32
                   : map.swizzleBytes == 64
                       ? driver::TensorMapSwizzle::bytes64
                       : driver::TensorMapSwizzle::bytes128;
    // The driver wants a pointer to the strides even when there is none.
    std::vector<uint64_t> strideBytes = map.strideBytes;
    strideBytes.resize(std::max(rank, 1u));
    maps.emplace_back();
    check("tensor map",
          driver.tensorMapEncodeTiled(
              &maps.back(), dataTypeNamed(map.element), rank,
              reinterpret_cast<void *>(addresses.at(map.buffer)),
              map.extents.data(), strideBytes.data(), map.box.data(),
              strides.data(), driver::TensorMapInterleave::none, swizzle,
              driver::TensorMapL2Promotion::none,
              static_cast<driver::TensorMapOutOfBoundsFill>(map.fillNan)));
  }

  const DriverTable &driver;
  const Case &instance;
  driver::ModuleHandle module = nullptr;
  driver::FunctionHandle function = nullptr;
  driver::StreamHandle stream = nullptr;
  std::vector<driver::DevicePointer> addresses;
  std::vector<driver::TensorMap> maps;
};

} // namespace

Outcome runCase(const DriverTable &driver, const Case &instance,
                std::chrono::milliseconds limit, bool &broken) {
  Outcome outcome;
  broken = false;
  auto run = std::make_unique<Run>(driver, instance);
  try {
    run->load();
    run->upload();
  } catch (const StepFailed &failure) {
    outcome.whyNot = failure.what();
    return outcome;
  }
  try {
    run->launch(limit);
    outcome.outputs = run->download();
    outcome.ran = true;
  } catch (const StepFailed &failure) {
    outcome.whyNot = failure.what();
    broken = true;
    // Freeing waits for the kernel, which may never end; the process ends.
    (void)run.release();
  }
  return outcome;
}

} // namespace ashlar::conformance
