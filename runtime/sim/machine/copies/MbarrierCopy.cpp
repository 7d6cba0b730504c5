#include "runtime/sim/machine/copies/MbarrierCopy.h"

#include "runtime/sim/machine/Traffic.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"
#include "runtime/sim/machine/copies/TileElements.h"

namespace ashlar::sim {

MbarrierCopy::MbarrierCopy(CopyIssue issuedBy, Location source,
                           uint64_t sourceAddress, CopyTile destination,
                           uint32_t mbarrier,
                           std::optional<CopyReduction> reduction)
    : issue(std::move(issuedBy)), source(source), sourceAddress(sourceAddress),
      tile(std::move(destination)), mbarrier(mbarrier), reduction(reduction),
      reads(issue.doing("reads")), writes(issue.doing("writes")),
      blocks(tile.blocks()) {
  Traffic *traffic = tile.cta->cluster.traffic.get();
  if (traffic && source.block &&
      source.block->kind == MemoryBlock::Kind::global)
    traffic->copiedIn += tile.bytes();
}

bool MbarrierCopy::proceed(Cluster &cluster, std::mt19937_64 &random) {
  if (tile.rows.empty()) { // of no bytes
    issue.landed();
    return true;
  }
  const bool sourceIsGone = source.block &&
                            source.block->kind == MemoryBlock::Kind::shared &&
                            issue.isGone(issue.cta);
  if (sourceIsGone || issue.isGone(*tile.cta)) {
    issue.landed();
    return true;
  }
  Mbarrier &barrier =
      useMbarrier(cluster, mbarrier, issue.as({}, 0), "signals it by a copy");
  Accessor accessor = issue.as(barrier.agent, barrier.phase + 1);
  if (!blocks.empty())
    for (size_t i = chooseCount(blocks.size(), random); i > 0; --i)
      move(takeBlock(blocks, random), accessor);
  if (!blocks.empty())
    return false;
  completeTransactions(barrier, accessor, static_cast<int64_t>(tile.bytes()));
  cluster.noteProgress();
  issue.landed();
  return true;
}

void MbarrierCopy::readRow(const CopyRow &row, const Accessor &accessor,
                           uint8_t *out) {
  const TileLayout &layout = tile.layout;
  if (row.begin == row.end) {
    fillElements(out, layout.rowBytes, layout);
    return;
  }
  fillElements(out, row.begin, layout);
  fillElements(out + row.end, layout.rowBytes - row.end, layout);
  const Location from = {source.block, source.offset + row.global + row.begin -
                                           sourceAddress};
  tile.cta->cluster.read(from, row.end - row.begin, accessor, out + row.begin,
                         reads);
  convertElements(out + row.begin, row.end - row.begin, layout.element);
}

void MbarrierCopy::move(CopyTile::Block block, const Accessor &accessor) {
  std::vector<uint8_t> bytes(tile.packedOffset(block.end - block.first));
  for (uint32_t r = block.first; r < block.end; ++r) {
    const CopyRow &row = tile.rows[r];
    readRow(row, accessor, bytes.data() + tile.packedOffset(r - block.first));
  }
  if (!reduction) {
    tile.write(block, bytes.data(), accessor, writes);
    return;
  }
  // The reductions are relaxed atomic operations at cluster scope (PTX ISA,
  // cp.reduce.async.bulk).
  Accessor atomic = accessor;
  atomic.scope = Scope::cluster;
  tile.cta->cluster.modify(
      {tile.cta->shared.get(), tile.offset + tile.rows[block.first].shared},
      bytes.size(), atomic,
      [&](uint8_t *target) {
        reduction->apply(target, bytes.data(), bytes.size());
      },
      writes);
}

} // namespace ashlar::sim
