// LLVM's dialect to PTX text, in this process.
#ifndef ASHLAR_COMPILER_DRIVER_EMITPTX_H
#define ASHLAR_COMPILER_DRIVER_EMITPTX_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace ashlar::compiler {

struct PtxText {
  std::string llvm; ///< the LLVM IR before its passes, if asked for
  std::string ptx;
};

/// Throws `Error` when LLVM cannot select an instruction; a fatal error inside
/// the back end does not end the process.
PtxText emitPtx(mlir::ModuleOp module, bool keepLlvm);

} // namespace ashlar::compiler

#endif
