// Where a fragment's values lie in a shared tile.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_OFFSETS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_OFFSETS_H

#include "passes/hopper_to_thread/Fragments.h"

#include <set>

namespace ashlar {

/// Byte offsets of a fragment's vectors in a shared tile.
class Offsets {
public:
  Offsets(ThreadBuilder &b, const FragmentType &type,
          const layout::Layout &tile, bool transposed);

  /// Whether each is the sum of a thread's part and a constant.
  bool areSums() const { return isSum; }

  /// What the second of two values lies behind the first, where they are sums.
  int64_t distance(int64_t from, int64_t to) const {
    return ofValue[to] - ofValue[from];
  }

  /// Of a value, in a tile that starts at an address; where offsets are sums,
  /// so many bytes further.
  mlir::Value address(mlir::Value start, const layout::Swizzle &swizzle,
                      int64_t value, mlir::Value further = {});

  /// The values of so many bytes of memory that begin with this one, at a
  /// multiple of as many, where a thread holds all of them in smaller elements.
  llvm::SmallVector<int64_t> runFrom(int64_t value, int64_t bytes);

  /// Of so many words that lie one behind another, from a multiple of all their
  /// bytes on, the values that are the same byte of each, the first of them
  /// this value; nothing where a thread does not hold them.
  llvm::SmallVector<int64_t> acrossWords(int64_t value, int64_t words);

private:
  layout::Layout mode(size_t i) const {
    return tile.mode(transposed ? 1 - i : i);
  }
  const std::set<int64_t> &ofThreads();
  int64_t offset(int64_t thread, int64_t value) const;
  bool checkSums() const;

  ThreadBuilder &b;
  const FragmentType &type;
  const layout::Layout &tile;
  bool transposed;
  Place place;
  llvm::SmallVector<int64_t> ofValue; ///< of the first thread
  std::set<int64_t> ofThread; ///< of the first value; where it is asked for
  bool isSum;
  mlir::Value base;
};

} // namespace ashlar

#endif
