// tile-expand-cluster-sums: a sum over the CTAs of a cluster is sends, waits
// and additions; each CTA sends every other one its part, and adds what it
// receives.

#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "passes/CarriedValues.h"
#include "passes/Cluster.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEEXPANDCLUSTERSUMS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// One sum: its memory, and its two mbarriers in each instance of its role, for
/// slots that are full and slots that are empty.
class Sum {
public:
  Sum(tile::ClusterSumOp op, const Cluster &cluster)
      : op(op), role(tile::roleOf(op)), cluster(cluster),
        plan(tile::planOf(op)), loc(named(op, "cluster_sum")),
        parts(cluster.extents()[op.getDimension()]) {}

  tile::ClusterSumOp op;
  tile::RoleOp role;

  void declareBarriers() {
    OpBuilder builder(role);
    for (int64_t i = 0; i < int64_t(role.getInstances()); ++i) {
      const int64_t full = plan.getBarriers() + 2 * target::mbarrierBytes * i;
      tile::MbarrierOp::create(builder, op.getLoc(), full, 1);
      tile::MbarrierOp::create(builder, op.getLoc(),
                               full + target::mbarrierBytes,
                               (parts - 1) * role.getWarps());
    }
  }

  /// Until the peers have read what was sent before: `parity` is that of the
  /// next round.
  void waitForEmptySlots(OpBuilder &builder, Value parity) {
    Arithmetic a{builder, loc};
    Value empty = a.add(fullBarrier(a), target::mbarrierBytes);
    hopper::MbarrierWaitOp::create(builder, loc, empty,
                                   a.exclusiveOr(parity, a.constant(1)),
                                   /*generic=*/false, /*cluster=*/true);
  }

  /// Returns the parity of the next round.
  Value expand(Value parity);

private:
  Value fullBarrier(Arithmetic a) {
    return ofInstance(a, role, plan.getBarriers(), 2 * target::mbarrierBytes);
  }

  const Cluster &cluster;
  tile::SumPlanAttr plan;
  Location loc;
  int64_t parts;
};

Value Sum::expand(Value parity) {
  OpBuilder builder(op);
  Arithmetic a{builder, loc};
  const int64_t dimension = op.getDimension();
  const int64_t slotBytes = hopper::exchangeSlotBytes(op);
  Value slots = ofInstance(a, role, plan.getSlots(), hopper::exchangeBytes(op));
  Value full = fullBarrier(a);
  Value empty = a.add(full, target::mbarrierBytes);
  Value own = cluster.coordinates(builder, loc)[dimension];
  auto partType = cast<RankedTensorType>(op.getResult().getType());
  auto part = [&](int64_t number) -> Value {
    SmallVector<int64_t> offsets(partType.getRank(), 0);
    offsets.back() = number * partType.getShape().back();
    return hopper::SliceOp::create(builder, loc, partType, op.getValue(),
                                   offsets);
  };
  auto isOwn = [&](int64_t number) { return a.equal(own, number); };

  waitForEmptySlots(builder, parity);
  byOneThread(builder, loc, [&] {
    hopper::MbarrierExpectOp::create(builder, loc, full,
                                     (parts - 1) * slotBytes);
    hopper::MbarrierArriveOp::create(builder, loc, full, Value());
  });

  // The slot of a sender is its distance behind the receiver, less one.
  Value mine = part(0);
  for (int64_t number = 0; number < parts; ++number) {
    auto branch = scf::IfOp::create(builder, loc, TypeRange(partType),
                                    isOwn(number), /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, part(number));
    builder.setInsertionPointToStart(branch.elseBlock());
    Value distance = a.rem(a.add(own, 2 * parts - number - 1), parts);
    Value address = a.add(slots, a.mul(distance, slotBytes));
    Value ownRank =
        hopper::SpecialRegisterOp::create(builder, loc, "cluster_ctarank");
    int64_t stride = 1;
    for (int64_t i = 0; i < dimension; ++i)
      stride *= cluster.extents()[i];
    Value rank = a.add(a.sub(ownRank, a.mul(own, stride)), number * stride);
    hopper::ExchangeSendOp::create(builder, loc, part(number), address, rank,
                                   full);
    scf::YieldOp::create(builder, loc, mine);
    mine = branch.getResult(0);
  }

  hopper::MbarrierWaitOp::create(builder, loc, full, parity,
                                 /*generic=*/false, /*cluster=*/true);
  const bool integers = partType.getElementType().isInteger();
  for (int64_t slot = 0; slot + 1 < parts; ++slot) {
    Value other = hopper::ExchangeReceiveOp::create(
        builder, loc, partType, a.add(slots, slot * slotBytes));
    mine = integers ? Value(arith::AddIOp::create(builder, loc, mine, other))
                    : Value(arith::AddFOp::create(builder, loc, mine, other));
  }
  Value next = a.exclusiveOr(parity, a.constant(1));
  byOneThreadPerWarp(builder, loc, [&] {
    for (int64_t distance = 1; distance < parts; ++distance) {
      SmallVector<int64_t> delta(cluster.extents().size(), 0);
      delta[dimension] = distance;
      hopper::MbarrierArriveOp::create(builder, loc, empty,
                                       cluster.peer(builder, loc, delta));
    }
  });
  op->replaceAllUsesWith(ValueRange(mine));
  op.erase();
  return next;
}

void expandSums(tile::RoleOp role, MutableArrayRef<Sum> sums) {
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  SmallVector<Value> parities;
  for (Sum &sum : sums)
    parities.push_back(Arithmetic{builder, sum.op.getLoc()}.constant(0));
  auto numberOf = [&](Operation *op) {
    return llvm::find_if(sums, [&](Sum &sum) { return sum.op == op; }) -
           sums.begin();
  };
  CarriedValues(
      [&](Operation *op) -> CarriedValues::Numbers {
        if (!isa<tile::ClusterSumOp>(op))
          return {};
        return {unsigned(numberOf(op))};
      },
      [&](Operation *op, CarriedValues::Values values) {
        const size_t number = numberOf(op);
        values[number] = sums[number].expand(values[number]);
      })
      .follow(role.getBody().front(), parities);
  // No CTA leaves before its peers have read what it sent.
  builder.setInsertionPointToEnd(&role.getBody().front());
  for (auto [sum, parity] : llvm::zip(sums, parities))
    sum.waitForEmptySlots(builder, parity);
}

struct TileExpandClusterSums
    : impl::TileExpandClusterSumsBase<TileExpandClusterSums> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandPlan(kernel)) || failed(demandLayouts(kernel)))
      return signalPassFailure();
    const Cluster cluster(kernel);
    llvm::MapVector<Operation *, std::vector<Sum>> sums;
    for (tile::ClusterSumOp op : tile::sumsOf(kernel))
      sums[tile::roleOf(op)].emplace_back(op, cluster);
    for (auto &[role, ofRole] : sums) {
      for (Sum &sum : ofRole)
        sum.declareBarriers();
      expandSums(cast<tile::RoleOp>(role), ofRole);
    }
    tile::PlanAttr plan = *kernel.getPlan();
    kernel.setPlanAttr(tile::PlanAttr::get(
        kernel.getContext(), plan.getThreads(), plan.getSharedBytes(),
        plan.getTiles(), plan.getRings(), plan.getRoles(), {}));
  }
};

} // namespace
} // namespace ashlar
