// Where the elements of a fragment lie in a tensor in global memory.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_GLOBALACCESS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_GLOBALACCESS_H

#include "passes/hopper_to_thread/ChosenRows.h"
#include "passes/hopper_to_thread/PtxBuilder.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ashlar {

/// The accesses of a fragment to a tensor in global memory.
struct GlobalAccess {
  PtxBuilder &b;
  llvm::SmallVector<mlir::Value> coordinates, extents, strides;
  mlir::Value pointer;
  mlir::Type scalar;
  llvm::SmallVector<int64_t> shape; ///< of the fragment, as it lies in memory
  size_t leading; ///< tensor dimensions before those of the fragment
  bool nonNegative;
  std::optional<ChosenRows> chosen;

  bool isChosen(size_t i) const {
    return chosen && i + 2 == coordinates.size();
  }

  /// The element coordinates of value v, and whether it lies inside in every
  /// dimension but the last.
  struct Row {
    mlir::Value address, inside;
  };
  std::map<std::vector<int64_t>, Row> rows;

  Row &row(llvm::ArrayRef<mlir::Value> thread,
           const std::vector<int64_t> &offset) {
    auto [it, isNew] = rows.try_emplace(offset);
    if (!isNew)
      return it->second;
    mlir::Value address = b.i64(0), inside;
    for (size_t i = 0; i < coordinates.size(); ++i) {
      mlir::Value at = coordinates[i];
      bool last = i + 1 == coordinates.size();
      if (i >= leading) {
        mlir::Value inTile =
            last ? thread[i - leading]
                 : b.add(thread[i - leading], offset[i - leading]);
        at = b.add(at, isChosen(i) ? chosen->of(b, inTile) : inTile);
      }
      address =
          b.add(address, last ? b.extend(at) : b.mul(b.extend(at), strides[i]));
      if (!last)
        inside = b.both(inside,
                        b.within(at, extents[i], nonNegative && !isChosen(i)));
    }
    it->second = {b.elementAddress(pointer, scalar, address), inside};
    return it->second;
  }

  /// Whether the whole fragment lies inside, but for rows that are chosen.
  mlir::Value interior() {
    mlir::Value result;
    if (!nonNegative) {
      // The sign of one is that of all of them together.
      mlir::Value signs = coordinates.front();
      for (mlir::Value coordinate : llvm::ArrayRef(coordinates).drop_front())
        signs = b.bitOr(signs, coordinate);
      result = b.lessThan(b.i32(-1), signs);
    }
    for (size_t i = 0; i < coordinates.size(); ++i) {
      if (isChosen(i))
        continue;
      int64_t extent = i < leading ? 1 : shape[i - leading];
      result = b.both(
          result, b.lessThan(b.add(coordinates[i], extent - 1), extents[i]));
    }
    return result;
  }

  /// Tests columns of the thread: each by comparisons with how many are left,
  /// and, where they may lie before the tensor, with how many do: two numbers
  /// to keep in a loop, and not one for each column.
  std::function<mlir::Value(int64_t)> columnTest(mlir::Value thread) {
    mlir::Value first = b.add(coordinates.back(), thread), end = extents.back();
    if (nonNegative) {
      mlir::Value left = b.sub(end, first);
      return
          [=, this](int64_t column) { return b.lessThan(b.i32(column), left); };
    }
    mlir::Value left = b.saturatingSub(end, first),
                before = b.saturatingSub(b.i32(0), first);
    return [=, this](int64_t column) {
      return b.both(b.lessThan(b.i32(column), left),
                    b.lessThan(before, b.i32(column + 1)));
    };
  }

  mlir::Value address(Row &row, int64_t column) {
    return column ? b.elementAddress(row.address, scalar, b.i64(column))
                  : row.address;
  }
};

/// Offsets of value v in every dimension but the last.
inline std::vector<int64_t>
rowOf(const std::vector<std::vector<int64_t>> &value, int64_t v) {
  std::vector<int64_t> offset;
  for (size_t d = 0; d + 1 < value.size(); ++d)
    offset.push_back(value[d][v]);
  return offset;
}

} // namespace ashlar

#endif
