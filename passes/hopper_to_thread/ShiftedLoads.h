// Fragments from rows that begin anywhere between 16 bytes of global memory.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_SHIFTEDLOADS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_SHIFTEDLOADS_H

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

/// Whether a thread loads whole words of 16 bytes around its values and shifts
/// them.
bool isByShifting(hopper::LoadOp op, const FragmentType &type);

/// Values of a thread that are 16 bytes of a row.
struct WordOfRow {
  mlir::Value address,
      inside;     ///< of the first, and whether there is such a row
  int64_t column; ///< of it, behind the thread's first
};

/// These as words of 32 bits, four of each; zeros outside of the tensor.
/// `column`: of the thread's first.
llvm::SmallVector<mlir::Value> loadShifted(ThreadBuilder &b, hopper::LoadOp op,
                                           Operands<hopper::LoadOp> in,
                                           llvm::ArrayRef<int64_t> shape,
                                           mlir::Value column,
                                           llvm::ArrayRef<WordOfRow> words);

} // namespace ashlar

#endif
