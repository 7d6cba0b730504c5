#include "runtime/Driver.h"
#include "runtime/Text.h"

#include <dlfcn.h>

namespace ashlar {
namespace {

struct CudaDriver {
  DriverTable table = {};
  std::string whyNot;

  CudaDriver();
};

// The suffixes are those that cuda.h puts behind the plain names: the function
// without one has the signature of CUDA 3 or of a different graph API. Only
// cuEventElapsedTime stays as it was, its _v2 came late (12.8).
CudaDriver::CudaDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    whyNot = concat("there is no CUDA driver: ",
                    reason ? reason : "libcuda.so.1 did not open");
    return;
  }
  auto resolve = [&](const char *symbol, auto &slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(
        dlsym(library, symbol));
    if (!slot && whyNot.empty())
      whyNot = concat("the CUDA driver has no ", symbol,
                      ": install one for CUDA 12.0 or later");
  };
  // Not in every driver.
  table.functionGetParameter =
      reinterpret_cast<decltype(table.functionGetParameter)>(
          dlsym(library, "cuFuncGetParamInfo"));
  resolve("cuInit", table.init);
  resolve("cuGetErrorName", table.getErrorName);
  resolve("cuGetErrorString", table.getErrorString);
  resolve("cuDeviceGetCount", table.deviceGetCount);
  resolve("cuDeviceGet", table.deviceGet);
  resolve("cuDeviceGetName", table.deviceGetName);
  resolve("cuDeviceGetAttribute", table.deviceGetAttribute);
  resolve("cuDevicePrimaryCtxRetain", table.primaryContextRetain);
  resolve("cuDevicePrimaryCtxRelease_v2", table.primaryContextRelease);
  resolve("cuCtxSetCurrent", table.contextSetCurrent);
  resolve("cuDeviceCanAccessPeer", table.deviceCanAccessPeer);
  resolve("cuCtxEnablePeerAccess", table.contextEnablePeerAccess);
  resolve("cuModuleLoadDataEx", table.moduleLoadDataEx);
  resolve("cuModuleUnload", table.moduleUnload);
  resolve("cuModuleGetFunction", table.moduleGetFunction);
  resolve("cuFuncSetAttribute", table.functionSetAttribute);
  resolve("cuFuncGetAttribute", table.functionGetAttribute);
  resolve("cuLaunchKernelEx", table.launchKernelEx);
  resolve("cuOccupancyMaxActiveClusters", table.occupancyMaxActiveClusters);
  resolve("cuTensorMapEncodeTiled", table.tensorMapEncodeTiled);
  resolve("cuMemAlloc_v2", table.memoryAllocate);
  resolve("cuMemFree_v2", table.memoryFree);
  resolve("cuMemcpyHtoD_v2", table.copyHostToDevice);
  resolve("cuMemcpyDtoH_v2", table.copyDeviceToHost);
  resolve("cuMemcpyHtoDAsync_v2", table.copyHostToDeviceAsync);
  resolve("cuMemcpyDtoHAsync_v2", table.copyDeviceToHostAsync);
  resolve("cuMemcpyDtoDAsync_v2", table.copyDeviceToDeviceAsync);
  resolve("cuMemsetD8_v2", table.setBytes);
  resolve("cuMemsetD8Async", table.setBytesAsync);
  resolve("cuStreamCreate", table.streamCreate);
  resolve("cuStreamDestroy_v2", table.streamDestroy);
  resolve("cuStreamSynchronize", table.streamSynchronize);
  resolve("cuStreamQuery", table.streamQuery);
  resolve("cuEventCreate", table.eventCreate);
  resolve("cuEventDestroy_v2", table.eventDestroy);
  resolve("cuEventRecord", table.eventRecord);
  resolve("cuEventQuery", table.eventQuery);
  resolve("cuEventElapsedTime", table.eventElapsedTime);
  resolve("cuStreamBeginCapture_v2", table.streamBeginCapture);
  resolve("cuStreamEndCapture", table.streamEndCapture);
  resolve("cuGraphInstantiateWithFlags", table.graphInstantiate);
  resolve("cuGraphLaunch", table.graphLaunch);
  resolve("cuGraphExecDestroy", table.graphExecDestroy);
  resolve("cuGraphDestroy", table.graphDestroy);
}

} // namespace

const DriverTable *loadCudaDriver(std::string &whyNot) {
  static const CudaDriver cuda;
  whyNot = cuda.whyNot;
  return whyNot.empty() ? &cuda.table : nullptr;
}

std::string describe(const DriverTable &driver, driver::Result result) {
  const char *name = nullptr, *text = nullptr;
  if (driver.getErrorName(result, &name) != driver::Result::success || !name)
    return concat("driver error ", static_cast<int>(result));
  if (driver.getErrorString(result, &text) != driver::Result::success || !text)
    return name;
  return concat(name, ": ", text);
}

} // namespace ashlar
