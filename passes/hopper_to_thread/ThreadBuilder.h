// Builds the program of one thread of a kernel: what is known of the thread,
// and where it stands in its role.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_THREADBUILDER_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_THREADBUILDER_H

#include "compiler/hopper/Hopper.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/hopper_to_thread/PtxBuilder.h"

namespace ashlar {

/// What the function begins with.
struct ThreadContext {
  bool comments = false; ///< in the PTX, of each operation
  int64_t registers = 0; ///< that each thread starts with
  mlir::Value shared;    ///< the address of the kernel's shared memory
  mlir::Value thread;    ///< in the CTA
  mlir::Value warp;      ///< in the CTA, the same value for a whole warp
  /// The names of accumulators' registers, but for the numbers.
  llvm::SmallDenseMap<mlir::Value, std::string> accumulators;
  /// How many of these registers the threads of a role have.
  llvm::SmallDenseMap<mlir::Operation *, int64_t> accumulated;
  /// The function's arguments, by the operations that declare them.
  llvm::SmallDenseMap<mlir::Operation *, mlir::Value> parameters;
  /// Whether an operation was refused.
  mutable bool refused = false;
};

class ThreadBuilder : public PtxBuilder {
public:
  /// At an operation.
  ThreadBuilder(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                const ThreadContext &context)
      : PtxBuilder(rewriter, op->getLoc(), context.comments),
        rewriter(rewriter), context(context),
        role(op->getParentOfType<hopper::RoleOp>()) {}

  mlir::ConversionPatternRewriter &rewriter;
  const ThreadContext &context;
  hopper::RoleOp role; ///< of the operation; null outside of roles

  /// That each thread of the role has.
  int64_t registers() {
    return role.getRegisters() ? role.getRegisters() : context.registers;
  }
  /// Those that no accumulator has.
  int64_t otherRegisters() {
    return registers() - context.accumulated.lookup(role);
  }
  mlir::Value instance();     ///< of the role
  mlir::Value warpOfRole();   ///< in the instance of the role
  mlir::Value threadOfRole(); ///< in the instance of the role
  mlir::Value laneOfWarp();
  mlir::Value warpgroupOfRole();
  mlir::Value elect(); ///< i1: true in one thread of the warp

  /// `bar.sync` or `bar.arrive`; each instance of the role may have a barrier,
  /// from `id` on.
  void namedBarrier(llvm::StringRef how, int64_t id, int64_t threads,
                    bool isPerInstance);

  /// Moves the one block of a region to a branch on a condition.
  void runIf(mlir::Value condition, mlir::Region &region);
};

} // namespace ashlar

#endif
