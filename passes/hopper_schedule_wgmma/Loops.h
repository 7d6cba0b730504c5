// Loops in which a wgmma group stays in flight from one iteration to the next.
#ifndef ASHLAR_PASSES_HOPPERSCHEDULEWGMMA_LOOPS_H
#define ASHLAR_PASSES_HOPPERSCHEDULEWGMMA_LOOPS_H

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace ashlar {

/// The arrivals of a release at the builder's place, for another stage than its
/// own if one is given.
void emitArrivals(mlir::OpBuilder &builder, hopper::ReleaseOp release,
                  mlir::Value stage = {});

/// Waits until `pending` groups are left; what the wait gives is to be used in
/// the place of the accumulators.
llvm::SmallVector<mlir::Value> waitFor(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       mlir::ValueRange accumulators,
                                       int64_t pending);

/// Commits, waits, and puts what the wait gives in the place of the
/// accumulators for all later uses.
void commitAndWait(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::ValueRange accumulators, int64_t pending);

/// Puts an `if` in the place of the loop's results: the initial values where it
/// has no iteration, else what the first block is to yield. It asks what the
/// loop asks, so that LLVM enters the loop without asking again: on a way
/// around the loop to its wait, ptxas would serialise every wgmma (C7515).
mlir::scf::IfOp guard(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// Registers in each thread of a role that hold a fragment of 32-bit elements.
int64_t registersEach(mlir::Operation *inRole, mlir::Type fragment);

/// Whether other threads may write, from here on, what wgmma in flight reads,
/// or this one does.
bool tellsOthers(mlir::Operation *op);

/// Whether an operation that is neither wgmma nor release may stand in a loop
/// with a group in flight. The stages of a pipeline are safe behind their
/// barriers; what the threads write themselves, or tell each other, is not.
bool leavesGroupsAlone(mlir::Operation &op);

/// A loop whose wgmma results only travel to its next iteration.
class AccumulatingLoop {
public:
  static std::optional<AccumulatingLoop> match(mlir::scf::ForOp loop);
  /// Returns what stands in its place.
  mlir::scf::IfOp schedule();

private:
  explicit AccumulatingLoop(mlir::scf::ForOp loop) : loop(loop) {}
  hopper::OncePerWarpOp takeAhead();
  bool beginsWithManyZeros();
  mlir::IRMapping peelFirst();
  void overwriteZeros();
  void carryStages(const mlir::IRMapping &first);
  mlir::Operation *lastWgmma();
  llvm::SmallVector<mlir::Value> accumulators();

  mlir::scf::ForOp loop;
  /// The one that is yielded, per accumulator, and its number among the loop's
  /// results.
  llvm::SmallVector<hopper::WgmmaOp> last;
  llvm::SmallVector<unsigned> carriedAt;
  llvm::SmallVector<hopper::ReleaseOp> releases;
};

/// A loop that adds products that begin at zero to a sum: as many registers as
/// the sum has are in flight, as many more are added, so that the tensor cores
/// need not wait for the additions.
class AddingLoop {
public:
  static std::optional<AddingLoop> match(mlir::scf::ForOp loop);
  void schedule();

private:
  /// An iteration whose group is in flight: its product, the stages that it
  /// reads, and what the loop carries on besides the sum.
  struct InFlight {
    mlir::Value product;
    llvm::SmallVector<mlir::Value> stages, carried;
  };
  explicit AddingLoop(mlir::scf::ForOp loop) : loop(loop) {}
  bool hasRegisters();
  InFlight issue(mlir::OpBuilder &builder, mlir::Value number,
                 mlir::ValueRange carried);
  mlir::Value add(mlir::OpBuilder &builder, mlir::Value sum,
                  const InFlight &iteration, int64_t pending);
  void addRest(mlir::OpBuilder &builder, mlir::Value sum,
               const InFlight &before, mlir::Value count, mlir::Value last);

  mlir::scf::ForOp loop;
  hopper::WgmmaOp wgmma;
  mlir::arith::AddFOp addition;
  unsigned sumAt = 0; ///< the sum's number among the loop's results
  llvm::SmallVector<hopper::ReleaseOp> releases;
};

} // namespace ashlar

#endif
