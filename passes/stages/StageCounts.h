// How many stages of each pipeline are full or taken at a point of a role, as
// far as is known: that it never takes more than can come.
#ifndef ASHLAR_PASSES_STAGES_STAGECOUNTS_H
#define ASHLAR_PASSES_STAGES_STAGECOUNTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/stages/Traffic.h"

namespace ashlar {

class StageCounts {
public:
  /// Counts what an operation takes, and refuses what the role waits for in
  /// vain, where it holds `held` stages that it has taken so.
  mlir::LogicalResult take(mlir::Operation &op, int64_t held, Traffic &traffic);
  /// Counts a stage that is committed or released.
  void close(mlir::Value pipeline, bool commits);
  /// From the counts before a loop and those behind one iteration makes those
  /// behind it; refuses one that acquires more stages than there are.
  mlir::LogicalResult repeat(mlir::scf::ForOp loop, const StageCounts &inside,
                             Traffic &traffic);
  /// What is known where two ways meet.
  void meet(const StageCounts &a, const StageCounts &b);

private:
  struct Count {
    static constexpr int64_t unbounded = int64_t(1) << 40;
    int64_t fullAtMost = 0;   ///< stages committed and not yet waited for
    int64_t takenAtLeast = 0; ///< stages acquired and not yet released

    /// Any number may have been released: what was acquired beside it is small.
    bool isAnyReleased() const { return takenAtLeast < -unbounded / 2; }
  };

  llvm::MapVector<mlir::Value, Count> counts; ///< of pipelines
};

} // namespace ashlar

#endif
