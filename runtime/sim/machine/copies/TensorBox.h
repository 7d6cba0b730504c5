// The box of a tensor that one TMA copy moves (PTX ISA, "Tiled mode").
#pragma once

#include "runtime/sim/machine/copies/TensorMap.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::sim {

/// A stretch of bytes that is contiguous in shared memory and, as far as it
/// exists there, in global memory.
struct CopyRow {
  uint64_t global = 0; // address of its byte 0, whether that exists or not
  uint32_t shared = 0; // where byte 0 lies behind the start of the tile
  uint32_t begin = 0, end = 0; // the bytes that exist in global memory
};

/// What is done with a tile besides copying it.
struct TileLayout {
  uint32_t rowBytes = 0;
  /// From one row to the next: a row that is narrower than the swizzle's span
  /// leaves the rest of the span free.
  uint32_t pitchBytes = 0;
  uint32_t swizzleBytes = 0;
  /// Loads fill and convert elements of this type; u8 where there are none.
  TensorElement element = TensorElement::u8;
  bool fillsNan = false;
};

/// The first coordinates of a box; the elements at `at + k * elementStride`
/// belong to it, which may lie outside of the tensor.
struct TensorBox {
  const TensorMap &map;
  std::array<int32_t, maxTensorRank> at = {};

  /// Elements along a dimension.
  uint32_t count(unsigned dimension) const;
  uint32_t rowBytes() const { return count(0) * map.elementBytes(); }
  uint32_t rowCount() const;
  /// Bytes of the tile's rows, elements outside of the tensor included: what a
  /// load completes on its mbarrier.
  uint64_t bytes() const { return uint64_t(rowCount()) * rowBytes(); }
  TileLayout layout() const;

  /// Its rows in the order in which they lie in shared memory. Elements outside
  /// of the tensor are not loaded; a store clips a row's end to the tensor's
  /// rounded up to 16 bytes, as the hardware does.
  std::vector<CopyRow> rowsToLoad() const { return rows(1); }
  std::vector<CopyRow> rowsToStore() const { return rows(16); }

  /// "128x64 bf16 tile at (0, 64)": outermost dimension first for the tile, as
  /// PTX has them (innermost first) for the coordinates.
  std::string describe() const;

private:
  std::vector<CopyRow> rows(uint32_t endAlignment) const;
};

} // namespace ashlar::sim
