// Errors of the runtime. The driver's results have the same numbers and mean
// the same.
#pragma once

#include "runtime/sim/cudart/Driver.h"

#include <string>

namespace ashlar::sim::cudart {

/// cudaError_t, as far as it is not one of the driver's results.
enum class Error : int {
  success = 0,
  invalidValue = 1,
  invalidConfiguration = 9,
  invalidSymbol = 13,
  invalidHostPointer = 16,
  invalidMemcpyDirection = 21,
  missingConfiguration = 52,
  invalidDeviceFunction = 98,
  invalidResourceHandle = 400,
  notReady = 600,
  launchFailure = 719,
  notSupported = 801,
};

/// Keeps what is not a success for cudaGetLastError in this thread.
Error record(Error error);
/// The same; the driver has the reason.
Error record(Result result);

/// Keeps the reason for cudaGetErrorString in this thread, and returns the
/// error.
Error refuse(Error error, const std::string &reason);

/// What cudaGetErrorString says.
std::string describe(Error error);

} // namespace ashlar::sim::cudart
