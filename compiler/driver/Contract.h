// What a launch must know of a kernel, read off its IR.
#ifndef ASHLAR_COMPILER_DRIVER_CONTRACT_H
#define ASHLAR_COMPILER_DRIVER_CONTRACT_H

#include "ashlar/artifact.h"
#include "compiler/hopper/Hopper.h"

namespace ashlar::compiler {

/// Where an operation stands in the author's source.
SourceLine sourceLine(mlir::Location location);

/// Sizes, tensors, scalars, grid, roles and pipelines, from a planned kernel.
void readContract(tile::KernelOp kernel, Artifact &artifact);

/// The ABI, from the kernel's parameter operations, and whether the kernel
/// waits by itself for the launches before it.
void readParameters(hopper::KernelOp kernel, Artifact &artifact);

} // namespace ashlar::compiler

#endif
