// Launches: <<<>>>, cudaLaunch*.
#include "runtime/sim/cudart/Export.h"
#include "runtime/sim/cudart/LaunchConfig.h"
#include "runtime/sim/cudart/Registration.h"

#include <cstring>
#include <vector>

using namespace ashlar::sim::cudart;

namespace {

/// What stands between <<< and >>>, until the kernel's stub takes it.
struct Configuration {
  Dim3 grid, block;
  size_t sharedBytes;
  StreamHandle stream;
};
thread_local std::vector<Configuration> configurations;

Error launch(const RuntimeLaunchConfig &config, const void *hostFunction,
             void **parameters) {
  return call([&] {
    FunctionHandle function = nullptr;
    if (Error error = findFunction(hostFunction, function);
        error != Error::success)
      return error;
    LaunchConfig forDriver;
    if (Error error = convert(config, forDriver); error != Error::success)
      return error;
    const Result result =
        cuLaunchKernelEx(&forDriver, function, parameters, nullptr);
    if (result == Result::invalidValue)
      return refuse(Error::invalidConfiguration, describe(Error::invalidValue));
    return record(result);
  });
}

} // namespace

ASHLAR_CUDART unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block,
                                                   size_t sharedBytes,
                                                   StreamHandle stream) {
  configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}

ASHLAR_CUDART Error __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block,
                                               size_t *sharedBytes,
                                               void *stream) {
  if (configurations.empty())
    return record(Error::missingConfiguration);
  const Configuration &top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *sharedBytes = top.sharedBytes;
  std::memcpy(stream, &top.stream, sizeof(top.stream));
  configurations.pop_back();
  return Error::success;
}

ASHLAR_CUDART Error cudaLaunchKernel(const void *function, Dim3 grid,
                                     Dim3 block, void **parameters,
                                     size_t sharedBytes, StreamHandle stream) {
  return launch({grid, block, sharedBytes, stream, nullptr, 0}, function,
                parameters);
}
ASHLAR_CUDART_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
ASHLAR_CUDART_ALIAS(__cudaLaunchKernel, cudaLaunchKernel);
ASHLAR_CUDART_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel);

ASHLAR_CUDART Error cudaLaunchKernelExC(const RuntimeLaunchConfig *config,
                                        const void *function,
                                        void **parameters) {
  if (!config)
    return record(Error::invalidValue);
  return launch(*config, function, parameters);
}
ASHLAR_CUDART_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

ASHLAR_CUDART Error cudaLaunchCooperativeKernel(const void *function, Dim3 grid,
                                                Dim3 block, void **parameters,
                                                size_t sharedBytes,
                                                StreamHandle stream) {
  LaunchAttribute cooperative = {};
  cooperative.id = static_cast<ashlar::driver::LaunchAttributeId>(2);
  const int yes = 1;
  std::memcpy(cooperative.bytes, &yes, sizeof(yes));
  return launch({grid, block, sharedBytes, stream, &cooperative, 1}, function,
                parameters);
}
ASHLAR_CUDART_ALIAS(cudaLaunchCooperativeKernel_ptsz,
                    cudaLaunchCooperativeKernel);

ASHLAR_CUDART Error cudaLaunchHostFunc(StreamHandle stream,
                                       void (*function)(void *), void *data) {
  return call([=] { return cuLaunchHostFunc(stream, function, data); });
}
ASHLAR_CUDART_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);
