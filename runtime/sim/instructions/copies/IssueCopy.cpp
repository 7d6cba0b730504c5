#include "runtime/sim/instructions/copies/IssueCopy.h"

#include "runtime/sim/instructions/copies/CopyOperands.h"
#include "runtime/sim/machine/copies/BulkGroups.h"
#include "runtime/sim/machine/copies/MbarrierCopy.h"

#include <algorithm>
#include <bit>

namespace ashlar::sim {

namespace {

constexpr uint32_t bulkUnitBytes = 16;
constexpr uint32_t offsetMask = (1u << sharedRankShift) - 1;

/// Where the rows lie: the location of the first that exists.
struct Rows {
  Location location;
  uint64_t address = 0;
};

Rows locateRows(Warp &warp, unsigned lane, const CopyIssue &issue,
                const CopyRequest &request) {
  auto row =
      std::find_if(request.rows.begin(), request.rows.end(),
                   [](const CopyRow &each) { return each.begin != each.end; });
  if (row == request.rows.end())
    return {};
  const uint64_t address = row->global + row->begin;
  const Location location = issue.locate(request.space, address);
  if (!location.block)
    warp.stop(Finding::outOfBounds,
              "the " + request.what + " accesses " + hexadecimal(address) +
                  ", which is in no allocation." +
                  elementSentence(warp.cluster, address),
              "copies", static_cast<int>(lane));
  return {location, address};
}

CopyTile tileIn(Cta &cta, const CopyRequest &request) {
  return {request.rows, request.layout, &cta, request.tile & offsetMask};
}

void issueTo(Cta &destination, Warp &warp, unsigned lane,
             const CopyRequest &request, uint32_t mbarrierOffset) {
  CopyIssue issue(warp, lane, request.what);
  const Rows rows = locateRows(warp, lane, issue, request);
  const uint32_t mbarrier =
      destination.rank << sharedRankShift | mbarrierOffset;
  warp.cluster.issue(std::make_shared<MbarrierCopy>(
      std::move(issue), rows.location, rows.address,
      tileIn(destination, request), mbarrier, request.reduction));
}

} // namespace

void setBulkRows(CopyRequest &request, uint64_t address, uint64_t sizeBytes) {
  uint32_t parts = 8;
  while (sizeBytes / bulkUnitBytes % parts != 0)
    --parts;
  if (sizeBytes == 0)
    parts = 0;
  const auto rowBytes =
      parts ? static_cast<uint32_t>(sizeBytes / parts) : uint32_t(0);
  request.layout = {rowBytes, rowBytes, 0, TensorElement::u8, false};
  for (uint32_t i = 0; i < parts; ++i)
    request.rows.push_back(
        {address + uint64_t(i) * rowBytes, i * rowBytes, 0, rowBytes});
}

void issueMbarrierCopy(Warp &warp, unsigned lane, const CopyRequest &request,
                       uint32_t mbarrier, std::optional<uint16_t> mask) {
  Cluster &cluster = warp.cluster;
  const uint32_t mbarrierOffset = mbarrier & offsetMask;
  const int thread = static_cast<int>(lane);
  if (!mask) {
    Cta *destination = cluster.ctaOfShared(request.tile);
    if (!destination)
      warp.stop(Finding::outOfBounds,
                "the destination of the " + request.what + " is in CTA rank " +
                    std::to_string(request.tile >> sharedRankShift) +
                    " of a cluster of " + std::to_string(cluster.ctas.size()),
                "copies", thread);
    if (cluster.ctaOfShared(mbarrier) != destination)
      warp.stop(Finding::mbarrierMisuse,
                "the mbarrier of the " + request.what +
                    " is not in the CTA that it copies to: a copy signals an "
                    "mbarrier beside its destination",
                "copies", thread);
    issueTo(*destination, warp, lane, request, mbarrierOffset);
    return;
  }
  if (*mask == 0)
    warp.report(Finding::other,
                "the multicast mask of the " + request.what +
                    " is zero: it is copied to no CTA",
                "copies", thread);
  for (uint32_t rest = *mask; rest; rest &= rest - 1) {
    const auto rank = static_cast<uint32_t>(std::countr_zero(rest));
    if (rank >= cluster.ctas.size())
      warp.stop(Finding::outOfBounds,
                "bit " + std::to_string(rank) +
                    " is set in the multicast mask of the " + request.what +
                    "; the cluster has " + std::to_string(cluster.ctas.size()) +
                    " CTAs",
                "copies", thread);
    issueTo(*cluster.ctas[rank], warp, lane, request, mbarrierOffset);
  }
}

void issueGroupCopy(Warp &warp, LaneMask lanes, const CopyRequest &request) {
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  if (warp.cluster.ctaOfShared(request.tile) != &warp.cta)
    warp.stop(Finding::outOfBounds,
              "the source of the " + request.what +
                  " is in another CTA's shared memory; it must be in the own",
              "copies", static_cast<int>(lane));
  CopyIssue issue(warp, lane, request.what);
  const Rows rows = locateRows(warp, lane, issue, request);
  BulkGroups &groups = BulkGroups::of(warp);
  groups.issue(lane, lanes,
               std::make_shared<GroupCopy>(
                   std::move(issue), tileIn(warp.cta, request), rows.location,
                   rows.address, groups.agents(lane), request.reduction));
}

} // namespace ashlar::sim
