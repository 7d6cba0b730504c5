// Functions of floating-point values, by the instructions of sm_90a.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_MATH_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_MATH_H

#include "passes/hopper_to_thread/PtxBuilder.h"

namespace ashlar {

/// Whether the operation does f16 and bf16, and two of them to a register.
bool takesPairs(mlir::Operation &op);

/// The operation on floats of one type, or on pairs where it takes them. With
/// the flag `afn` it is the chip's approximation. Null where this is no
/// function of floats that the level has.
mlir::Value lowerMath(PtxBuilder &b, mlir::Operation &op,
                      llvm::ArrayRef<mlir::Value> operands);

} // namespace ashlar

#endif
