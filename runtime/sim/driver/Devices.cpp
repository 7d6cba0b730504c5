// The one device, and its context.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/State.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ashlar::sim::calls {
namespace {

/// CUdevice_attribute of an H200. What concerns textures, surfaces, other
/// processes and managed memory is 0: the simulator has none of these.
const std::map<int, int> attributes = {
    {1, maxThreads},      // threads per block
    {2, 1024},            // block x
    {3, 1024},            // block y
    {4, 64},              // block z
    {5, 2147483647},      // grid x
    {6, 65535},           // grid y
    {7, 65535},           // grid z
    {8, 49152},           // shared memory per block, not opted in
    {9, 65536},           // constant memory
    {10, warpLanes},      //
    {11, 2147483647},     // greatest pitch
    {12, registersPerSm}, // per block
    {13, 1980000},        // clock in kHz
    {14, 512},            // texture alignment
    {15, 1},              // copies overlap with kernels
    {19, 1},              // maps host memory
    {30, 512},            // surface alignment
    {31, 1},              // concurrent kernels
    {36, 3201000},        // memory clock in kHz
    {37, 6144},           // memory bus in bits
    {38, 62914560},       // L2
    {39, 2048},           // threads per SM
    {40, 3},              // copy engines
    {41, 1},              // unified addressing
    {51, 32},             // texture pitch alignment
    {75, 9},              // compute capability
    {76, 0},              //
    {78, 1},              // stream priorities
    {79, 1},              // L1 caches global memory
    {80, 1},              // L1 caches local memory
    {81, 233472},         // shared memory per SM
    {82, registersPerSm}, //
    {87, 2},              // f32 is twice as fast as f64
    {90, 1},              // compute preemption
    {95, 1},              // cooperative launch
    {97, maxSharedBytes}, // shared memory per block, opted in
    {106, 32},            // blocks per SM
    {111, 1024},          // reserved shared memory per block
    {115, 1},             // memory pools: cuMemAllocAsync
    {120, 1},             // cluster launch
    {126, 4},             // memory synchronisation domains
    {127, 1},             // tensor maps
};
constexpr int lastAttribute = 147; // of CUDA 13.0

constexpr size_t memoryBytes = size_t(141) << 30;

/// The context is an object that nothing is behind.
char contextObject;
ContextHandle context() {
  return reinterpret_cast<ContextHandle>(&contextObject);
}
thread_local uint32_t currentDepth = 0;

Result checkDevice(DeviceOrdinal device) {
  if (!state().initialised)
    return Result::notInitialized;
  return device == 0 ? Result::success : Result::invalidDevice;
}

} // namespace

Result init(unsigned flags) {
  if (flags)
    return refuse(Result::invalidValue, "the flags of cuInit must be 0");
  std::lock_guard lock(state().lock);
  state().initialised = true;
  return Result::success;
}

Result deviceGetCount(int *count) {
  if (!count)
    return Result::invalidValue;
  if (!state().initialised)
    return Result::notInitialized;
  *count = 1;
  return Result::success;
}

Result deviceGet(DeviceOrdinal *device, int ordinal) {
  if (!device)
    return Result::invalidValue;
  *device = ordinal;
  return checkDevice(ordinal);
}

Result deviceGetName(char *name, int length, DeviceOrdinal device) {
  if (!name || length < 1)
    return Result::invalidValue;
  constexpr std::string_view text = "Ashlar simulator (sm_90a)";
  const size_t count = std::min<size_t>(text.size(), length - 1);
  text.copy(name, count);
  name[count] = '\0';
  return checkDevice(device);
}

Result deviceGetAttribute(int *value, DeviceAttribute attribute,
                          DeviceOrdinal device) {
  const int id = static_cast<int>(attribute);
  if (!value || id < 1 || id > lastAttribute)
    return Result::invalidValue;
  auto found = attributes.find(id);
  *value = found == attributes.end() ? 0 : found->second;
  if (attribute == DeviceAttribute::multiprocessorCount)
    *value = static_cast<int>(smCount);
  return checkDevice(device);
}

Result deviceTotalMemory(size_t *bytes, DeviceOrdinal device) {
  if (!bytes)
    return Result::invalidValue;
  *bytes = memoryBytes;
  return checkDevice(device);
}

Result primaryContextRetain(ContextHandle *handle, DeviceOrdinal device) {
  if (!handle)
    return Result::invalidValue;
  if (Result result = checkDevice(device); result != Result::success)
    return result;
  std::lock_guard lock(state().lock);
  ++state().primaryContextUsers;
  *handle = context();
  return Result::success;
}

Result primaryContextRelease(DeviceOrdinal device) {
  if (Result result = checkDevice(device); result != Result::success)
    return result;
  std::lock_guard lock(state().lock);
  if (state().primaryContextUsers == 0)
    return invalidContext;
  --state().primaryContextUsers;
  return Result::success;
}

Result contextSetCurrent(ContextHandle handle) {
  if (handle && handle != context())
    return invalidContext;
  if (currentDepth)
    --currentDepth;
  if (handle)
    ++currentDepth;
  return Result::success;
}

Result contextGetCurrent(ContextHandle *handle) {
  if (!handle)
    return Result::invalidValue;
  *handle = currentDepth ? context() : nullptr;
  return Result::success;
}

Result contextPush(ContextHandle handle) {
  if (handle != context())
    return invalidContext;
  ++currentDepth;
  return Result::success;
}

Result contextPop(ContextHandle *handle) {
  if (!currentDepth)
    return invalidContext;
  if (handle)
    *handle = context();
  --currentDepth;
  return Result::success;
}

Result contextSynchronize() {
  std::lock_guard lock(state().lock);
  return state().health();
}

} // namespace ashlar::sim::calls
