// tile-expand-cluster-syncs: where a role meets itself in the other CTAs of the
// cluster, each warp arrives at an mbarrier of every CTA, and waits for its
// own.
//
// There are two, which take turns. A CTA goes on when all have arrived at its
// own: it may arrive for the next meeting while arrivals of this one are on
// their way to others, but not for the next but one.
//
// To order what threads have stored and loaded takes a fence of the whole GPU.
// A kernel in which nothing else reaches what peers do than copies to peers,
// and wgmma of roles that do not meet, goes without. The bytes of a copy are
// added before its warp arrives at the same barrier all the same: the lanes of
// the warp meet in between.
//
// A copy to a peer completes on the barrier there for the next meeting: it adds
// its bytes before it arrives, so the phase waits for them, and cannot be
// another one, as all have come to the meeting before. Where a CTA needs to
// know that copies to others have landed they meet once more.

#include "compiler/target/Target.h"
#include "passes/CarriedValues.h"
#include "passes/Cluster.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/PeerCopies.h"
#include "passes/Preconditions.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEEXPANDCLUSTERSYNCS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t barriersEach = 2;

/// Those of a role. They are numbered: of four, for two barriers and the
/// parities of their phases.
struct Meetings {
  tile::RoleOp role;
  const Cluster &cluster;
  int64_t first;      ///< byte of the barriers of the role's first instance
  bool ordersThreads; ///< of the CTAs, and not their copies alone

  /// The barrier of the meeting of this number.
  Value barrier(Arithmetic a, Value number) const {
    return a.add(
        ofInstance(a, role, first, barriersEach * target::mbarrierBytes),
        a.mul(a.rem(number, barriersEach), target::mbarrierBytes));
  }
  Value expand(tile::ClusterSyncOp op, Value number) const;
  void expand(tile::CopyToPeerOp op, Value number) const;
};

/// Meets, and returns the number of the next meeting.
Value Meetings::expand(tile::ClusterSyncOp op, Value number) const {
  OpBuilder builder(op);
  const Location loc = named(op, "cluster_sync");
  Arithmetic a{builder, loc};
  Value barrier = this->barrier(a, number);
  byLanesOfEachWarp(builder, loc, cluster.size(), [&](Value lane) {
    hopper::MbarrierArriveOp::create(builder, loc, barrier, lane,
                                     ordersThreads);
  });
  hopper::MbarrierWaitOp::create(builder, loc, barrier,
                                 a.div(number, barriersEach),
                                 /*generic=*/false, ordersThreads);
  Value next = a.rem(a.add(number, 1), 2 * barriersEach);
  op.erase();
  return next;
}

void Meetings::expand(tile::CopyToPeerOp op, Value number) const {
  OpBuilder builder(op);
  Arithmetic a{builder, named(op, "copy")};
  op.getBarrierMutable().assign(
      hopper::PeerAddressOp::create(builder, a.loc, barrier(a, number),
                                    tile::peerOf(op.getTarget()).getRank()));
}

LogicalResult expandAll(tile::RoleOp role, const Cluster &cluster,
                        bool ordersThreads) {
  for (tile::ClusterSyncOp sync : meetingsToRepeat(role))
    OpBuilder(sync).clone(*sync);
  SmallVector<tile::ClusterSyncOp> syncs;
  role.walk([&](tile::ClusterSyncOp sync) { syncs.push_back(sync); });
  if (syncs.empty())
    return success();
  for (tile::ClusterSyncOp sync : syncs)
    if (!sync.getBarriers())
      return sync.emitError("has no barriers; run tile-plan-memory first");
  const int64_t first = *syncs.front().getBarriers();
  OpBuilder builder(role);
  for (int64_t i = 0; i < barriersEach * int64_t(role.getInstances()); ++i)
    tile::MbarrierOp::create(builder, syncs.front().getLoc(),
                             first + target::mbarrierBytes * i,
                             role.getWarps() * cluster.size());
  Block &body = role.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> number{Arithmetic{builder, role.getLoc()}.constant(0)};
  const Meetings meetings{role, cluster, first, ordersThreads};
  CarriedValues(
      [](Operation *op) {
        return isa<tile::ClusterSyncOp, tile::CopyToPeerOp>(op)
                   ? CarriedValues::Numbers{0}
                   : CarriedValues::Numbers();
      },
      [&](Operation *op, CarriedValues::Values values) {
        if (auto copy = dyn_cast<tile::CopyToPeerOp>(op))
          meetings.expand(copy, values[0]);
        else
          values[0] = meetings.expand(cast<tile::ClusterSyncOp>(op), values[0]);
      })
      .follow(body, number);
  return success();
}

struct TileExpandClusterSyncs
    : impl::TileExpandClusterSyncsBase<TileExpandClusterSyncs> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandPlan(kernel)))
      return signalPassFailure();
    const Cluster cluster(kernel);
    const bool ordersThreads = !onlyCopiesReachPeers(kernel);
    for (auto role : kernel.getBody().getOps<tile::RoleOp>())
      if (failed(expandAll(role, cluster, ordersThreads)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
