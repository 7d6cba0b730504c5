// The library that programs load in place of libcudart.so.12 or .13. Its
// functions have the names and signatures of the CUDA runtime API; each calls
// the driver's, in libcuda.so.1 beside it. ASHLAR_CUDART_MAJOR is 12 or 13.
#pragma once

#include "runtime/sim/cudart/Errors.h"

/// Stands before each function that programs see; all else is hidden.
#define ASHLAR_CUDART extern "C" __attribute__((visibility("default")))

/// Another name of a function: an older version with the same signature, or
/// the form for per-thread default streams, which are all the same here.
#define ASHLAR_CUDART_ALIAS(alias_name, function)                              \
  extern "C" __attribute__((visibility("default"),                             \
                            alias(#function))) decltype(function) alias_name

namespace ashlar::sim::cudart {

/// dim3.
struct Dim3 {
  unsigned x, y, z;
};

/// Makes the device this thread's, as the first call of a program does.
Result start();

/// What each function does: `work` gives a Result or an Error, once the device
/// is there.
template <class Work> Error call(Work work) {
  if (Result result = start(); result != Result::success)
    return record(result);
  return record(work());
}

} // namespace ashlar::sim::cudart
