// The function of a kernel.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_FUNCTION_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_FUNCTION_H

#include "passes/hopper_to_thread/ThreadBuilder.h"

namespace ashlar {

/// A function with the kernel's name and parameters, in front of it, and in it
/// what `context` says of a thread.
mlir::LLVM::LLVMFuncOp createFunction(hopper::KernelOp kernel,
                                      ThreadContext &context);

} // namespace ashlar

#endif
