// Which values of a role may be one accumulator: the same registers at
// different times.
#ifndef ASHLAR_PASSES_ACCUMULATORS_SHAREDREGISTERS_H
#define ASHLAR_PASSES_ACCUMULATORS_SHAREDREGISTERS_H

#include "compiler/hopper/Hopper.h"
#include "llvm/ADT/MapVector.h"

namespace ashlar {

/// Results of mma, and what loops and branches pass on of them, in sets of
/// which no two are alive at the same time. Values that an mma takes, or that
/// control flow joins, are in one set where they can be: between those of two
/// sets a copy is needed.
class SharedRegisters {
public:
  explicit SharedRegisters(hopper::RoleOp role);

  /// The value that stands for all of its set; null where a value is in none.
  mlir::Value setOf(mlir::Value value) const;
  bool isShared(mlir::Value a, mlir::Value b) const {
    return setOf(a) && setOf(a) == setOf(b);
  }
  /// One value of each set.
  llvm::SmallVector<mlir::Value> sets() const;

private:
  /// Takes out of the sets what control flow passes on also from elsewhere, but
  /// for zeros, and no mma adds to: it would be written to an mma's registers
  /// only to be read.
  void keepValues(llvm::ArrayRef<mlir::Value> values);
  void tryJoin(mlir::Value a, mlir::Value b);

  /// Of the value that stands for a set, all of it.
  llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Value>> members;
  llvm::DenseMap<mlir::Value, mlir::Value> leader;
};

/// Whether a value is used behind an operation: further on, or in the next
/// iteration of a loop that the value comes from outside of.
bool isUsedAfter(mlir::Value value, mlir::Operation *op);

} // namespace ashlar

#endif
