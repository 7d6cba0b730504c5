// The driver's functions by name, and versions.
#include "runtime/sim/cudart/Export.h"

using namespace ashlar::sim::cudart;

namespace {

constexpr int runtimeVersion = ASHLAR_CUDART_MAJOR == 12 ? 12080 : 13000;

} // namespace

ASHLAR_CUDART Error cudaGetDriverEntryPointByVersion(const char *symbol,
                                                     void **function,
                                                     unsigned version,
                                                     unsigned long long flags,
                                                     int *status) {
  return call([=] {
    return cuGetProcAddress_v2(symbol, function, static_cast<int>(version),
                               flags, status);
  });
}
ASHLAR_CUDART_ALIAS(cudaGetDriverEntryPointByVersion_ptsz,
                    cudaGetDriverEntryPointByVersion);
ASHLAR_CUDART Error cudaGetDriverEntryPoint(const char *symbol, void **function,
                                            unsigned long long flags,
                                            int *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, runtimeVersion,
                                          flags, status);
}
ASHLAR_CUDART_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

ASHLAR_CUDART Error cudaRuntimeGetVersion(int *version) {
  if (!version)
    return record(Error::invalidValue);
  *version = runtimeVersion;
  return Error::success;
}
ASHLAR_CUDART Error cudaDriverGetVersion(int *version) {
  return record(cuDriverGetVersion(version));
}

// The simulator has nothing to profile.
ASHLAR_CUDART Error cudaProfilerStart() { return Error::success; }
ASHLAR_CUDART Error cudaProfilerStop() { return Error::success; }
