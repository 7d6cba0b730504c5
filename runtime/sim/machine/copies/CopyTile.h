// The tile in shared memory that a copy fills or empties, block by block.
#pragma once

#include "runtime/sim/machine/copies/CopyIssue.h"
#include "runtime/sim/machine/copies/TensorBox.h"

#include <random>
#include <vector>

namespace ashlar::sim {

/// Rows of a copy that lie one after the other in shared memory, in the memory
/// of one CTA from `offset` of its window on.
struct CopyTile {
  std::vector<CopyRow> rows;
  TileLayout layout;
  Cta *cta = nullptr;
  uint32_t offset = 0;

  uint64_t bytes() const { return uint64_t(rows.size()) * layout.rowBytes; }

  /// Rows [first, end): what a copy moves at once.
  struct Block {
    uint32_t first = 0, end = 0;
  };
  /// The blocks, at most 8.
  std::vector<Block> blocks() const;

  /// Where the bytes of a row lie among the bytes of all rows, without gaps.
  size_t packedOffset(uint32_t row) const {
    return size_t(row) * layout.rowBytes;
  }
  /// Writes the block's bytes, which are given row after row.
  void write(Block block, const uint8_t *bytes, const Accessor &accessor,
             const std::string &what) const;
  /// Reads what of the block's rows exists in global memory.
  void read(Block block, uint8_t *bytes, const Accessor &accessor,
            const std::string &what) const;

private:
  void readWhole(Block block, uint8_t *bytes, const Accessor &accessor,
                 const std::string &what) const;
  Location at(uint32_t offsetInTile) const;
};

/// Takes one of the blocks, chosen at random.
CopyTile::Block takeBlock(std::vector<CopyTile::Block> &blocks,
                          std::mt19937_64 &random);
/// How many of so many blocks go next.
size_t chooseCount(size_t blocks, std::mt19937_64 &random);

} // namespace ashlar::sim
