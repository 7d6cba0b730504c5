// From a module of tile kernels to an artifact that can be launched.
#ifndef ASHLAR_COMPILER_DRIVER_DRIVER_H
#define ASHLAR_COMPILER_DRIVER_DRIVER_H

#include "ashlar/compilation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace ashlar::compiler {

/// Every dialect that a level uses, and their translation to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers this project's passes and the upstream ones of the lowering.
void registerPasses();

/// The lowering from `tile` to LLVM's dialect, in order.
void buildTilePlan(mlir::OpPassManager &passes, const CompileOptions &options);
void buildTileToHopper(mlir::OpPassManager &passes);
void buildHopperToThread(mlir::OpPassManager &passes, bool comments);
void buildThreadToLlvm(mlir::OpPassManager &passes, bool sourceLines);

/// Compiles the one kernel of a module. The module is lowered in place. Throws
/// `Error` at the author's line when a pass refuses the program or a tool
/// behind it fails.
Compilation compile(mlir::ModuleOp module, const CompileOptions &options);

} // namespace ashlar::compiler

#endif
