#include "runtime/sim/machine/copies/CopyTile.h"

#include "runtime/sim/machine/copies/Swizzle.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim {

std::vector<CopyTile::Block> CopyTile::blocks() const {
  constexpr uint32_t maxBlocks = 8;
  const auto count = static_cast<uint32_t>(rows.size());
  const uint32_t size = (count + maxBlocks - 1) / maxBlocks;
  std::vector<Block> result;
  for (uint32_t first = 0; first < count; first += size)
    result.push_back({first, std::min(count, first + size)});
  return result;
}

Location CopyTile::at(uint32_t offsetInTile) const {
  return {cta->shared.get(),
          swizzle(offset + offsetInTile, layout.swizzleBytes)};
}

// Rows as wide as the span are only swizzled within themselves, so that a block
// of them is contiguous; narrower ones are moved chunk by chunk.
void CopyTile::write(Block block, const uint8_t *bytes,
                     const Accessor &accessor, const std::string &what) const {
  Cluster &cluster = cta->cluster;
  const uint32_t span = layout.swizzleBytes;
  if (layout.pitchBytes != layout.rowBytes) {
    for (uint32_t r = block.first; r < block.end; ++r)
      for (uint32_t i = 0; i < layout.rowBytes; i += swizzleChunkBytes)
        cluster.write(at(rows[r].shared + i), swizzleChunkBytes, accessor,
                      bytes + packedOffset(r - block.first) + i, what);
    return;
  }
  const auto size =
      static_cast<uint32_t>(packedOffset(block.end - block.first));
  const uint32_t base = offset + rows[block.first].shared;
  std::vector<uint8_t> swizzled;
  if (span != 0) {
    swizzled.resize(size);
    for (uint32_t i = 0; i < size; i += swizzleChunkBytes)
      std::memcpy(swizzled.data() + (swizzle(base + i, span) - base), bytes + i,
                  swizzleChunkBytes);
    bytes = swizzled.data();
  }
  cluster.write({cta->shared.get(), base}, size, accessor, bytes, what);
}

void CopyTile::readWhole(Block block, uint8_t *bytes, const Accessor &accessor,
                         const std::string &what) const {
  const auto size =
      static_cast<uint32_t>(packedOffset(block.end - block.first));
  const uint32_t base = offset + rows[block.first].shared;
  const uint32_t span = layout.swizzleBytes;
  const Location from = {cta->shared.get(), base};
  if (span == 0) {
    cta->cluster.read(from, size, accessor, bytes, what);
    return;
  }
  std::vector<uint8_t> swizzled(size);
  cta->cluster.read(from, size, accessor, swizzled.data(), what);
  for (uint32_t i = 0; i < size; i += swizzleChunkBytes)
    std::memcpy(bytes + i, swizzled.data() + (swizzle(base + i, span) - base),
                swizzleChunkBytes);
}

void CopyTile::read(Block block, uint8_t *bytes, const Accessor &accessor,
                    const std::string &what) const {
  const bool isWhole =
      layout.pitchBytes == layout.rowBytes &&
      std::all_of(rows.begin() + block.first, rows.begin() + block.end,
                  [&](const CopyRow &row) {
                    return row.begin == 0 && row.end == layout.rowBytes;
                  });
  if (isWhole)
    return readWhole(block, bytes, accessor, what);
  for (uint32_t r = block.first; r < block.end; ++r) {
    const CopyRow &row = rows[r];
    uint8_t *out = bytes + packedOffset(r - block.first);
    for (uint32_t i = row.begin; i < row.end;) {
      const uint32_t chunkEnd = (i / swizzleChunkBytes + 1) * swizzleChunkBytes;
      const uint32_t end =
          layout.swizzleBytes ? std::min(row.end, chunkEnd) : row.end;
      cta->cluster.read(at(row.shared + i), end - i, accessor, out + i, what);
      i = end;
    }
  }
}

CopyTile::Block takeBlock(std::vector<CopyTile::Block> &blocks,
                          std::mt19937_64 &random) {
  std::swap(blocks[random() % blocks.size()], blocks.back());
  const CopyTile::Block block = blocks.back();
  blocks.pop_back();
  return block;
}

size_t chooseCount(size_t blocks, std::mt19937_64 &random) {
  return 1 + random() % blocks;
}

} // namespace ashlar::sim
