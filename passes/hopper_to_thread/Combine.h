// Two values of a thread as one.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_COMBINE_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_COMBINE_H

#include "compiler/hopper/Hopper.h"
#include "passes/hopper_to_thread/PtxBuilder.h"

namespace ashlar {

/// What becomes of a NaN among floats of which the least or largest is taken.
enum class OfNaN { kept, ignored };

mlir::Value combine(PtxBuilder &b, tile::Reduction how, OfNaN ofNaN,
                    mlir::Value x, mlir::Value y);

/// What changes nothing that it is combined with.
mlir::Value neutral(PtxBuilder &b, tile::Reduction how, mlir::Type type);

/// All of them, in four chains that do not wait for one another. Products that
/// are added contract with the sum.
mlir::Value combineAll(PtxBuilder &b, tile::Reduction how, OfNaN ofNaN,
                       mlir::ValueRange values);

/// The instruction that combines a value with memory: of s32, and of f32 where
/// it adds. "red.relaxed.gpu.global.add.u32"
std::string reduceMemory(tile::Reduction how, bool floating,
                         llvm::StringRef space);

} // namespace ashlar

#endif
