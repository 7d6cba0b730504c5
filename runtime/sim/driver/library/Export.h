// The library that programs load in place of libcuda.so.1. Its functions have
// the names and signatures of the CUDA driver API (CUDA 12 and 13); what they
// do is in runtime/sim/driver/Calls.h.
#pragma once

#include "runtime/sim/driver/Calls.h"

/// Stands before each function that programs see; all else is hidden.
#define ASHLAR_CUDA extern "C" __attribute__((visibility("default")))

/// Another name of a function: an older version with the same signature, or
/// the form for per-thread default streams, which are all the same here.
#define ASHLAR_CUDA_ALIAS(alias_name, function)                                \
  extern "C" __attribute__((visibility("default"),                             \
                            alias(#function))) decltype(function) alias_name

namespace ashlar::sim::library {

using namespace ashlar::driver;

/// CUDA 13.0.
inline constexpr int driverVersion = 13000;

/// An address that leads to memory of the host.
inline void *hostPointer(DevicePointer address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

} // namespace ashlar::sim::library
