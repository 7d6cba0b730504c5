#include "runtime/sim/cudart/Export.h"

namespace ashlar::sim::cudart {

Result start() {
  ContextHandle context = nullptr;
  if (Result result = cuCtxGetCurrent(&context);
      result != Result::success || context)
    return result;
  if (Result result = cuInit(0); result != Result::success)
    return result;
  if (Result result = cuDevicePrimaryCtxRetain(&context, 0);
      result != Result::success)
    return result;
  return cuCtxSetCurrent(context);
}

} // namespace ashlar::sim::cudart
