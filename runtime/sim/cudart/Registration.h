// The kernels and variables of a program, by the addresses that stand for them
// on the host. A fat binary is loaded when one of its kernels or variables is
// first used.
#pragma once

#include "runtime/sim/cudart/Errors.h"

namespace ashlar::sim::cudart {

/// The kernel behind a host function, or behind a cudaKernel_t.
Error findFunction(const void *hostFunction, FunctionHandle &function);

struct DeviceVariable {
  DevicePointer address = 0;
  size_t sizeBytes = 0;
};

/// The variable behind a host variable.
Error findVariable(const void *hostVariable, DeviceVariable &variable);

/// What is loaded is gone (cudaDeviceReset), and will be loaded again.
void forgetModules();

} // namespace ashlar::sim::cudart
