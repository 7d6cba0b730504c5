#include "FakeDriver.h"

#include <algorithm>
#include <cstring>

namespace ashlar::test {
namespace {

using namespace driver;

FakeDriver *fake = nullptr;

template <typename Handle> Handle handle(uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

Result attribute(int *value, DeviceAttribute which, DeviceOrdinal) {
  switch (which) {
  case DeviceAttribute::multiprocessorCount:
    *value = fake->smCount;
    break;
  case DeviceAttribute::computeCapabilityMajor:
    *value = fake->capabilityMajor;
    break;
  case DeviceAttribute::computeCapabilityMinor:
    *value = fake->capabilityMinor;
    break;
  case DeviceAttribute::maxSharedMemoryPerBlockOptin:
    *value = fake->maxSharedBytes;
    break;
  }
  return Result::success;
}

Result load(ModuleHandle *module, const void *image, unsigned count,
            JitOption *options, void **values) {
  fake->record("moduleLoadDataEx");
  fake->image = image;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == JitOption::errorLogBuffer)
      std::strcpy(static_cast<char *>(values[i]), fake->jitLog.c_str());
  *module = handle<ModuleHandle>(0x300);
  return fake->loadResult;
}

void keep(const LaunchConfig *config) {
  fake->config = *config;
  fake->cluster = {};
  fake->programmatic = false;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    const auto &cluster = attribute.clusterDimension;
    if (attribute.id == LaunchAttributeId::clusterDimension)
      fake->cluster = {cluster.x, cluster.y, cluster.z};
    else if (attribute.id == LaunchAttributeId::programmaticStreamSerialization)
      fake->programmatic =
          attribute.programmaticStreamSerializationAllowed == 1;
  }
}

Result launch(const LaunchConfig *config, FunctionHandle, void **parameters,
              void **) {
  fake->record("launchKernelEx");
  ++fake->launches;
  keep(config);
  fake->parameters.resize(fake->parameterBytes.size());
  for (size_t i = 0; i < fake->parameterBytes.size(); ++i) {
    auto *bytes = static_cast<const std::byte *>(parameters[i]);
    fake->parameters[i].assign(bytes, bytes + fake->parameterBytes[i]);
  }
  return fake->launchResult;
}

Result countActiveClusters(int *clusters, FunctionHandle,
                           const LaunchConfig *config) {
  fake->record("occupancyMaxActiveClusters");
  keep(config);
  *clusters = fake->activeClusters;
  return fake->occupancyResult;
}

Result encode(TensorMap *map, TensorMapDataType type, uint32_t rank,
              void *address, const uint64_t *extents,
              const uint64_t *strideBytes, const uint32_t *box,
              const uint32_t *elementStrides, TensorMapInterleave,
              TensorMapSwizzle swizzle, TensorMapL2Promotion promotion,
              TensorMapOutOfBoundsFill) {
  fake->record("tensorMapEncodeTiled");
  fake->tensorMaps.push_back({type,
                              address,
                              {extents, extents + rank},
                              {strideBytes, strideBytes + rank - 1},
                              {box, box + rank},
                              {elementStrides, elementStrides + rank},
                              swizzle,
                              promotion});
  map->opaque[0] = reinterpret_cast<uint64_t>(address);
  return fake->encodeResult;
}

Result queryEvent(EventHandle) {
  if (fake->eventQueriesUntilDone > 0) {
    --fake->eventQueriesUntilDone;
    return Result::notReady;
  }
  return fake->eventResult;
}

// A call that is only remembered.
#define RECORDED(slot)                                                         \
  table.slot = [](auto...) {                                                   \
    fake->record(#slot);                                                       \
    return Result::success;                                                    \
  }

} // namespace

FakeDriver::FakeDriver() : table() {
  fake = this;
  table.init = [](unsigned) { return fake->initResult; };
  table.getErrorName = [](Result, const char **name) {
    *name = "CUDA_ERROR_FAKE";
    return Result::success;
  };
  table.getErrorString = [](Result, const char **text) {
    *text = "as the test asked";
    return Result::success;
  };
  table.deviceGetCount = [](int *count) {
    *count = fake->devices;
    return Result::success;
  };
  table.deviceGet = [](DeviceOrdinal *device, int ordinal) {
    *device = ordinal;
    return Result::success;
  };
  table.deviceGetName = [](char *name, int, DeviceOrdinal) {
    std::strcpy(name, "Fake H200");
    return Result::success;
  };
  table.deviceGetAttribute = attribute;
  table.primaryContextRetain = [](ContextHandle *context, DeviceOrdinal) {
    fake->record("primaryContextRetain");
    *context = handle<ContextHandle>(0x200);
    return Result::success;
  };
  table.contextSetCurrent = [](ContextHandle) { return Result::success; };
  table.moduleLoadDataEx = load;
  table.moduleGetFunction = [](FunctionHandle *function, ModuleHandle,
                               const char *) {
    *function = handle<FunctionHandle>(0x400);
    return fake->getFunctionResult;
  };
  table.functionSetAttribute = [](FunctionHandle, FunctionAttribute which,
                                  int value) {
    fake->functionAttributes.emplace_back(which, value);
    return Result::success;
  };
  table.launchKernelEx = launch;
  table.occupancyMaxActiveClusters = countActiveClusters;
  table.tensorMapEncodeTiled = encode;
  table.memoryAllocate = [](DevicePointer *address, size_t) {
    fake->record("memoryAllocate");
    *address = 0x10000;
    return fake->allocateResult;
  };
  table.streamCreate = [](StreamHandle *stream, unsigned) {
    fake->record("streamCreate");
    *stream = handle<StreamHandle>(0x500);
    return Result::success;
  };
  table.streamQuery = [](StreamHandle) { return queryEvent(nullptr); };
  table.eventCreate = [](EventHandle *event, unsigned) {
    fake->record("eventCreate");
    *event = handle<EventHandle>(0x600);
    return Result::success;
  };
  table.eventQuery = queryEvent;
  table.eventElapsedTime = [](float *milliseconds, EventHandle, EventHandle) {
    *milliseconds = 1.5f;
    return Result::success;
  };
  RECORDED(primaryContextRelease);
  RECORDED(moduleUnload);
  RECORDED(memoryFree);
  RECORDED(copyHostToDevice);
  RECORDED(copyDeviceToHost);
  RECORDED(copyDeviceToDeviceAsync);
  RECORDED(setBytes);
  RECORDED(setBytesAsync);
  RECORDED(streamDestroy);
  RECORDED(streamSynchronize);
  RECORDED(eventDestroy);
  RECORDED(eventRecord);
}

void FakeDriver::record(const char *call) {
  if (recording)
    calls.push_back(call);
}

int FakeDriver::count(std::string_view call) const {
  return static_cast<int>(std::count(calls.begin(), calls.end(), call));
}

Artifact gemmArtifact() {
  constexpr int M = 0, N = 1, K = 2;
  Artifact artifact;
  artifact.name = "gemm";
  artifact.target = "sm_90a";
  artifact.ptx = ".version 8.3\n.target sm_90a\n";
  artifact.sizes = {"M", "N", "K"};
  artifact.tensors = {
      {"A", bf16, {{M}, {K}}, true, false, 16, {"gemm.cpp", 11, 5}},
      {"B", bf16, {{N}, {K}}, true, false, 16, {"gemm.cpp", 12, 5}},
      {"D", bf16, {{M}, {N}}, false, true, 16, {"gemm.cpp", 13, 5}},
  };
  artifact.scalars = {{"alpha", f32, {"gemm.cpp", 14, 5}}};
  using Kind = Parameter::Kind;
  artifact.parameters = {
      {Kind::size, M},    {Kind::size, N},
      {Kind::size, K},    {Kind::tensorMap, 0, 0, {0, {128, 64}, 128}},
      {Kind::pointer, 2}, {Kind::stride, 2, 0},
      {Kind::scalar, 0},  {Kind::tensorMap, 0, 0, {1, {96, 32}, 64}},
  };
  artifact.grid = {{{{{M}, {N}}, {128, 96}, true}}, {2, 1}};
  artifact.bounds = {{{{Term::Kind::size, M}}, 1 << 30, {"gemm.cpp", 16, 5}}};
  artifact.threads = 384;
  artifact.sharedBytes = 200000;
  artifact.resources = {168, 0, 0, 0};
  artifact.roles = {{"load", 0, 1, 40}, {"math", 4, 8, 232}};
  artifact.pipelines = {{4, 28672, {"gemm.cpp", 17, 5}}};
  artifact.where = {"gemm.cpp", 10, 3};
  return artifact;
}

std::vector<NamedArgument> gemmArguments(int64_t m, int64_t n, int64_t k) {
  auto at = [](uintptr_t address) { return reinterpret_cast<void *>(address); };
  return {{"A", TensorArgument{at(0x10000000), bf16, {m, k}}},
          {"B", TensorArgument{at(0x20000000), bf16, {n, k}}},
          {"D", TensorArgument{at(0x30000000), bf16, {m, n}}},
          {"alpha", 0.5f}};
}

TensorArgument &tensor(std::vector<NamedArgument> &arguments,
                       std::string_view name) {
  for (NamedArgument &argument : arguments)
    if (argument.name == name)
      return std::get<TensorArgument>(argument.value);
  throw std::logic_error("the test has no such tensor");
}

} // namespace ashlar::test
