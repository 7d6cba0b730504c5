// What passes write into a role: places in shared memory, names of what they
// make of an operation.
#ifndef ASHLAR_PASSES_INROLE_H
#define ASHLAR_PASSES_INROLE_H

#include "compiler/hopper/Hopper.h"
#include "passes/Arithmetic.h"

namespace ashlar {

/// The location of an operation, and what it is called there: comments in the
/// PTX say so.
mlir::Location named(mlir::Operation *op, llvm::StringRef name);

/// The number of this instance of a role.
mlir::Value instance(Arithmetic arithmetic, tile::RoleOp role);

/// An address in the part of shared memory of this instance, of `bytes` each.
mlir::Value ofInstance(Arithmetic arithmetic, tile::RoleOp role, int64_t offset,
                       int64_t bytes);

/// The address of a stage's mbarrier; that of the first is at `offset`.
mlir::Value barrierOfStage(Arithmetic arithmetic, int64_t offset,
                           mlir::Value stage);

/// Where the result of an operation is needed at the latest: at its first use,
/// or before that at something that may wait for other CTAs or roles, who may
/// wait for what this one does next. What is in between goes on meanwhile.
mlir::Block::iterator neededAt(mlir::Operation *op);

/// Runs `body` with the builder in a region that one thread of the role runs,
/// or one of each warp.
void byOneThread(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::function_ref<void()> body);
void byOneThreadPerWarp(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::function_ref<void()> body);

/// The same by the first `count` lanes of each warp, at most all of them.
void byLanesOfEachWarp(mlir::OpBuilder &builder, mlir::Location loc,
                       int64_t count,
                       llvm::function_ref<void(mlir::Value lane)> body);

/// Whether all that happens in an operation, but arithmetic, is that one thread
/// loads by TMA, and maybe says so.
bool onlyLoadsOnce(mlir::Operation *op);

} // namespace ashlar

#endif
