// What is known of an index before the kernel runs: between which numbers it
// lies, and what divides it.
//
// Indices do not overflow: they are integers of 64 bits (tile-widen-indices),
// and no product of extents is larger. MLIR's range analysis has to assume that
// they wrap, and knows no divisors.
#ifndef ASHLAR_PASSES_INDEXFACTS_H
#define ASHLAR_PASSES_INDEXFACTS_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

namespace ashlar {

struct IndexFact {
  /// From `low` to `high`; at first, and of what is never computed, nothing.
  int64_t low = std::numeric_limits<int64_t>::max();
  int64_t high = std::numeric_limits<int64_t>::min();
  /// The largest power of two up to 2^20 that divides it; 0 for what is a
  /// multiple of everything.
  int64_t divisor = 0;

  bool operator==(const IndexFact &) const = default;
};

/// Facts of indices and of all that they are computed from: the best is assumed
/// of each, and weakened until each follows from the others. So what a loop
/// carries keeps a fact that its first value has and the loop's body preserves.
class IndexFacts {
public:
  /// `believesPromises`: what an author promises by `multiple_of` is a fact.
  explicit IndexFacts(mlir::ValueRange indices, bool believesPromises = true);

  const IndexFact &of(mlir::Value index) const {
    return entries.find(index)->second.fact;
  }

private:
  struct Entry {
    llvm::SmallVector<mlir::Value> sources; ///< what it is computed from
    IndexFact fact = {};
    llvm::SmallVector<Entry *> users = {}; ///< what is computed from it
    int weakened = 0;                      ///< so many times
    bool isDue = true; ///< a source has changed since it was followed
  };

  bool weaken(mlir::Value value, Entry &entry) const;
  IndexFact follow(mlir::Value value,
                   llvm::ArrayRef<mlir::Value> sources) const;

  const bool believesPromises;
  llvm::MapVector<mlir::Value, Entry> entries;
};

} // namespace ashlar

#endif
