#include "passes/PeerCopies.h"

#include "compiler/tile/Stages.h"
#include "passes/Meetings.h"
#include "passes/SharedMemory.h"
#include "passes/Ways.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The shared tile that an operation of a role writes, or null.
Value writtenBy(Operation *op) {
  if (auto copy = dyn_cast<tile::CopyToPeerOp>(op))
    return copy.getTarget();
  if (auto write = dyn_cast<tile::WriteOp>(op))
    return write.getTarget();
  if (auto scatter = dyn_cast<tile::ScatterOp>(op);
      scatter && isa<tile::SharedType>(scatter.getTarget().getType()))
    return scatter.getTarget();
  return {};
}

/// Whether a tile is known to be another one, or a part of it. One at an index
/// is another one in each iteration.
bool isWithin(Value tile, Value other) {
  if (tile == other)
    return !isPartAtAnIndex(other);
  auto part = tile.getDefiningOp<tile::PartOp>();
  return part && isWithin(part.getSource(), other);
}

LogicalResult check(tile::CopyToPeerOp copy) {
  auto buffer = tile::bufferOf(copy.getSource());
  bool failed = false;
  auto refuse = [&](Operation *op, StringRef does) {
    failed = true;
    InFlightDiagnostic error =
        op->emitError("this ")
        << does << " that a copy to a peer may still read: call cluster_sync() "
        << "before it";
    error.attachNote(copy.getLoc()) << "copied here";
  };
  const bool toEnd = followWays(copy, [&](Operation *op) {
    Value written = writtenBy(op);
    if (written && (isWithin(written, copy.getSource()) ||
                    isWithin(copy.getSource(), written)))
      refuse(op, "writes a tile");
    auto release = dyn_cast<tile::ReleaseOp>(op);
    if (release && buffer && release.getStage() == buffer.getStage())
      refuse(op, "releases a stage");
    return !failed && !isa<tile::ClusterSyncOp>(op);
  });
  if (toEnd && !failed)
    return copy.emitError("the role may end while this copy to a peer is under "
                          "way: call cluster_sync() behind it, on every way to "
                          "the end");
  return success(!failed);
}

/// Whether an operation needs to know that a copy to a peer has landed at
/// another CTA: it writes the source or releases its stage, or reaches a
/// target.
bool needsLanding(Operation *op, tile::CopyToPeerOp copy) {
  if (auto release = dyn_cast<tile::ReleaseOp>(op)) {
    auto buffer = tile::bufferOf(copy.getSource());
    return buffer && llvm::is_contained(tile::valuesOfStage(buffer.getStage()),
                                        release.getStage());
  }
  Value written = writtenBy(op);
  if (written && shareMemory(written, copy.getSource()))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value tile) {
    return isa<tile::SharedType>(tile.getType()) && tile::peerOf(tile) &&
           shareMemory(tile, copy.getTarget());
  });
}

/// Whether another role may do so.
bool othersNeedLanding(tile::CopyToPeerOp copy) {
  auto accesses = accessesOf(copy.getSource());
  llvm::append_range(accesses, accessesOf(copy.getTarget()));
  return llvm::any_of(accesses, [&](Operation *op) {
    return tile::roleOf(op) != tile::roleOf(copy) && needsLanding(op, copy);
  });
}

} // namespace

LogicalResult checkPeerCopies(tile::KernelOp kernel) {
  bool failed = false;
  kernel.walk([&](tile::CopyToPeerOp copy) { failed |= check(copy).failed(); });
  return failure(failed);
}

SmallVector<tile::ClusterSyncOp> meetingsToRepeat(tile::RoleOp role) {
  llvm::SmallSetVector<Operation *, 4> found;
  role.walk([&](tile::CopyToPeerOp copy) {
    const bool always = othersNeedLanding(copy);
    followWays(copy, [&](Operation *meeting) {
      if (!isa<tile::ClusterSyncOp>(meeting))
        return true;
      bool repeats = always;
      followWays(meeting, [&](Operation *op) {
        repeats = repeats || needsLanding(op, copy);
        return !repeats && !isa<tile::ClusterSyncOp>(op);
      });
      if (repeats)
        found.insert(meeting);
      return false;
    });
  });
  return llvm::map_to_vector(
      found, [](Operation *op) { return cast<tile::ClusterSyncOp>(op); });
}

bool onlyCopiesReachPeers(tile::KernelOp kernel) {
  llvm::SmallPtrSet<Operation *, 4> meeting;
  kernel.walk(
      [&](tile::ClusterSyncOp sync) { meeting.insert(tile::roleOf(sync)); });
  bool some = false, others = false;
  kernel.walk([&](tile::PeerOp peer) {
    some = true;
    others |= !llvm::all_of(accessesOf(peer.getSource()), [&](Operation *op) {
      return isa<tile::CopyToPeerOp>(op) ||
             (isa<tile::MmaOp>(op) && !meeting.contains(tile::roleOf(op)));
    });
  });
  return some && !others;
}

} // namespace ashlar
