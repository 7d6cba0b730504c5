// Values that change as a role's program goes on, through its loops and
// branches.
#ifndef ASHLAR_PASSES_CARRIEDVALUES_H
#define ASHLAR_PASSES_CARRIEDVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

namespace ashlar {

/// Follows numbered values through a program: where an operation in a loop or a
/// branch changes one, the loop or the branch carries it.
class CarriedValues {
public:
  using Numbers = llvm::SmallVector<unsigned>;
  using Values = llvm::MutableArrayRef<mlir::Value>;

  /// `changes`: the numbers of the values that an operation changes by itself.
  /// `step`: called at each operation that changes any, in the order of the
  /// program; changes them. It may erase the operation.
  CarriedValues(std::function<Numbers(mlir::Operation *)> changes,
                std::function<void(mlir::Operation *, Values)> step)
      : changes(std::move(changes)), step(std::move(step)) {}

  /// `values` before the block, and when it returns behind it.
  void follow(mlir::Block &block, Values values);

private:
  Numbers changedIn(mlir::Operation *op);
  void follow(mlir::scf::ForOp loop, Values values);
  void follow(mlir::scf::IfOp branch, Values values);

  std::function<Numbers(mlir::Operation *)> changes;
  std::function<void(mlir::Operation *, Values)> step;
};

} // namespace ashlar

#endif
