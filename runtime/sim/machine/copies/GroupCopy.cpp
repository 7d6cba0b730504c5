#include "runtime/sim/machine/copies/GroupCopy.h"

#include "runtime/sim/machine/Traffic.h"

namespace ashlar::sim {

GroupCopy::GroupCopy(CopyIssue issuedBy, CopyTile source, Location target,
                     uint64_t targetAddress, Agents agents,
                     std::optional<CopyReduction> reduction)
    : issue(std::move(issuedBy)), tile(std::move(source)), target(target),
      targetAddress(targetAddress), agents(agents), reduction(reduction),
      readsIt(issue.doing("reads")), writesIt(issue.doing("writes")),
      bytes(tile.bytes()), unread(tile.blocks()) {
  if (Traffic *traffic = tile.cta->cluster.traffic.get())
    traffic->copiedOut += tile.bytes();
}

bool GroupCopy::proceed(Cluster &cluster, std::mt19937_64 &random) {
  const bool readsNext =
      !unread.empty() && (unwritten.empty() || random() % 2 == 0);
  if (readsNext && issue.isGone(*tile.cta))
    unread.clear();
  if (readsNext && !unread.empty())
    for (size_t i = chooseCount(unread.size(), random); i > 0; --i)
      read(takeBlock(unread, random));
  else if (!unwritten.empty())
    for (size_t i = chooseCount(unwritten.size(), random); i > 0; --i)
      write(takeBlock(unwritten, random));
  if (!unread.empty() || !unwritten.empty())
    return false;
  cluster.noteProgress();
  issue.landed();
  return true;
}

void GroupCopy::finishReads(std::mt19937_64 &random) {
  while (!unread.empty())
    read(takeBlock(unread, random));
}

void GroupCopy::read(CopyTile::Block block) {
  tile.read(block, bytes.data() + tile.packedOffset(block.first),
            issue.as(agents.reads, agents.epoch), readsIt);
  unwritten.push_back(block);
}

void GroupCopy::write(CopyTile::Block block) {
  Cluster &cluster = tile.cta->cluster;
  Accessor accessor = issue.as(agents.writes, agents.epoch);
  // The reductions are relaxed atomic operations at GPU scope (PTX ISA,
  // cp.reduce.async.bulk).
  if (reduction)
    accessor.scope = Scope::gpu;
  for (uint32_t r = block.first; r < block.end; ++r) {
    const CopyRow &row = tile.rows[r];
    if (row.begin == row.end)
      continue;
    const uint8_t *from = bytes.data() + tile.packedOffset(r) + row.begin;
    const uint32_t size = row.end - row.begin;
    const Location to = {target.block, target.offset + row.global + row.begin -
                                           targetAddress};
    if (reduction)
      cluster.modify(
          to, size, accessor,
          [&](uint8_t *old) { reduction->apply(old, from, size); }, writesIt);
    else
      cluster.write(to, size, accessor, from, writesIt);
  }
}

} // namespace ashlar::sim
