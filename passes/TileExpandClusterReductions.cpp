// tile-expand-cluster-reductions: what is combined over the CTAs of a cluster
// is sends, waits and additions; each CTA sends every other one its part, or
// all it has, and combines what it receives.

#include "compiler/layout/Reduction.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "passes/CarriedValues.h"
#include "passes/Cluster.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/stages/Turns.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEEXPANDCLUSTERREDUCTIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// One of them: its memory, and its two mbarriers in each instance of its role,
/// for slots that are full and slots that are empty.
class ClusterReduction {
public:
  ClusterReduction(tile::ClusterReduceOp op, const Cluster &cluster)
      : op(op), role(tile::roleOf(op)), cluster(cluster),
        plan(tile::planOf(op)), loc(named(op, "cluster_reduce")),
        parts(op.parts()), slotCount(hopper::exchangeSlots(op)) {}

  tile::ClusterReduceOp op;
  tile::RoleOp role;

  void declareBarriers() {
    OpBuilder builder(role);
    for (int64_t i = 0; i < int64_t(role.getInstances()); ++i) {
      const int64_t full = plan.getBarriers() + 2 * target::mbarrierBytes * i;
      tile::MbarrierOp::create(builder, op.getLoc(), full, 1);
      tile::MbarrierOp::create(builder, op.getLoc(),
                               full + target::mbarrierBytes,
                               parts * role.getWarps());
    }
  }

  /// Until the receivers have read what was sent before: `parity` is that of
  /// the next round.
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
  /// Where one round takes place.
  struct Round {
    Arithmetic a;
    Value slots, full, own, parity; ///< own: coordinate along the dimension
  };
  Value fullBarrier(Arithmetic a) {
    return ofInstance(a, role, plan.getBarriers(), 2 * target::mbarrierBytes);
  }
  /// The part of the fragment that a CTA gets.
  Value partOf(OpBuilder &builder, int64_t number);
  /// The rank of the CTA whose coordinate along the dimension is `to`.
  Value rankOf(const Round &round, Value to);
  /// To a slot of the CTA whose coordinate along the dimension is `to`; by so
  /// many threads, each to its own.
  void send(const Round &round, Value value, Value to, Value slot,
            int64_t threads = 1);
  Value receive(const Round &round, int64_t slot);
  /// Each sends to all, itself included; returns what they are together. It
  /// waits for that where it is needed: what is exchanged next is sent before.
  Value exchangeWhole(const Round &round);
  /// Each sends the others their parts; returns its own, combined.
  Value exchangeParts(const Round &round);
  void waitForFullSlots(const Round &round) {
    hopper::MbarrierWaitOp::create(round.a.builder, loc, round.full,
                                   round.parity, /*generic=*/false,
                                   /*cluster=*/true);
  }
  Value combine(Arithmetic a, Value x, Value y);

  const Cluster &cluster;
  tile::ClusterPlanAttr plan;
  Location loc;
  int64_t parts, slotCount;
};

Value ClusterReduction::combine(Arithmetic a, Value x, Value y) {
  const bool integers = getElementTypeOrSelf(x.getType()).isInteger();
  auto make = [&]<class OfIntegers, class OfFloats>() -> Value {
    if (integers)
      return OfIntegers::create(a.builder, loc, x, y);
    return OfFloats::create(a.builder, loc, x, y);
  };
  switch (op.getReduction()) {
  case tile::Reduction::add:
    return make.operator()<arith::AddIOp, arith::AddFOp>();
  case tile::Reduction::min:
    return make.operator()<arith::MinSIOp, arith::MinimumFOp>();
  case tile::Reduction::max:
    break;
  }
  return make.operator()<arith::MaxSIOp, arith::MaximumFOp>();
}

Value ClusterReduction::partOf(OpBuilder &builder, int64_t number) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int64_t> offsets(type.getRank(), 0);
  offsets.back() = number * type.getShape().back();
  return hopper::SliceOp::create(builder, loc, type, op.getValue(), offsets);
}

Value ClusterReduction::rankOf(const Round &round, Value to) {
  const Arithmetic &a = round.a;
  Value ownRank =
      hopper::SpecialRegisterOp::create(a.builder, loc, "cluster_ctarank");
  int64_t stride = 1;
  for (int64_t i = 0; i < int64_t(op.getDimension()); ++i)
    stride *= cluster.extents()[i];
  return a.add(a.sub(ownRank, a.mul(round.own, stride)), a.mul(to, stride));
}

void ClusterReduction::send(const Round &round, Value value, Value to,
                            Value slot, int64_t threads) {
  const Arithmetic &a = round.a;
  Value address =
      a.add(round.slots, a.mul(slot, hopper::exchangeSlotBytes(op)));
  hopper::ExchangeSendOp::create(a.builder, loc, value, address,
                                 rankOf(round, to), round.full, threads);
}

Value ClusterReduction::receive(const Round &round, int64_t slot) {
  return hopper::ExchangeReceiveOp::create(
      round.a.builder, loc, op.getResult().getType(),
      round.a.add(round.slots, slot * hopper::exchangeSlotBytes(op)));
}

Value ClusterReduction::exchangeWhole(const Round &round) {
  const Arithmetic &a = round.a;
  const layout::FragmentLayout &fragment =
      tile::fragmentOf(op.getValue().getType()).getLayout();
  // Where all threads hold the same there is one for each CTA.
  if (layout::holders(fragment).cosize() == 1) {
    Value lane = hopper::SpecialRegisterOp::create(a.builder, loc, "laneid");
    send(round, op.getValue(), a.rem(lane, parts), round.own, parts);
  } else {
    for (int64_t number = 0; number < parts; ++number)
      send(round, op.getValue(), a.constant(number), round.own);
  }
  round.a.builder.setInsertionPoint(op->getBlock(), neededAt(op));
  waitForFullSlots(round);
  Value all = receive(round, 0);
  for (int64_t number = 1; number < parts; ++number)
    all = combine(round.a, all, receive(round, number));
  return all;
}

Value ClusterReduction::exchangeParts(const Round &round) {
  const Arithmetic &a = round.a;
  OpBuilder &builder = a.builder;
  const Type type = op.getResult().getType();
  // The slot of a sender is its distance behind the receiver, less one.
  Value mine = partOf(builder, 0);
  for (int64_t number = 0; number < parts; ++number) {
    auto branch =
        scf::IfOp::create(builder, loc, TypeRange(type),
                          a.equal(round.own, number), /*addThenBlock=*/true,
                          /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, partOf(builder, number));
    builder.setInsertionPointToStart(branch.elseBlock());
    send(round, partOf(builder, number), a.constant(number),
         a.rem(a.add(round.own, 2 * parts - number - 1), parts));
    scf::YieldOp::create(builder, loc, mine);
    mine = branch.getResult(0);
  }
  waitForFullSlots(round);
  for (int64_t slot = 0; slot < slotCount; ++slot)
    mine = combine(a, mine, receive(round, slot));
  return mine;
}

Value ClusterReduction::expand(Value parity) {
  OpBuilder builder(op);
  Arithmetic a{builder, loc};
  Value slots = ofInstance(a, role, plan.getSlots(), hopper::exchangeBytes(op));
  Value full = fullBarrier(a);
  Value empty = a.add(full, target::mbarrierBytes);
  Value own = cluster.coordinates(builder, loc)[op.getDimension()];
  waitForEmptySlots(builder, parity);
  byOneThread(builder, loc, [&] {
    hopper::MbarrierExpectOp::create(builder, loc, full,
                                     slotCount * hopper::exchangedBytes(op));
    hopper::MbarrierArriveOp::create(builder, loc, full, Value());
  });
  const Round round{a, slots, full, own, parity};
  Value result = op.isWhole() ? exchangeWhole(round) : exchangeParts(round);
  OpBuilder here(op);
  const Arithmetic ofParity{here, loc};
  Value next = ofParity.exclusiveOr(parity, ofParity.constant(1));
  byLanesOfEachWarp(builder, loc, parts, [&](Value lane) {
    hopper::MbarrierArriveOp::create(builder, loc, empty, rankOf(round, lane));
  });
  op->replaceAllUsesWith(ValueRange(result));
  op.erase();
  return next;
}

void expandAll(tile::RoleOp role,
               MutableArrayRef<ClusterReduction> reductions) {
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  SmallVector<Value> parities;
  for (ClusterReduction &each : reductions)
    parities.push_back(Arithmetic{builder, each.op.getLoc()}.constant(0));
  auto numberOf = [&](Operation *op) {
    return llvm::find_if(
               reductions,
               [&](ClusterReduction &each) { return each.op == op; }) -
           reductions.begin();
  };
  CarriedValues(
      [&](Operation *op) -> CarriedValues::Numbers {
        if (!isa<tile::ClusterReduceOp>(op))
          return {};
        return {unsigned(numberOf(op))};
      },
      [&](Operation *op, CarriedValues::Values values) {
        const size_t number = numberOf(op);
        values[number] = reductions[number].expand(values[number]);
      })
      .follow(role.getBody().front(), parities);
  // No CTA leaves before its peers have read what it sent.
  builder.setInsertionPointToEnd(&role.getBody().front());
  for (auto [each, parity] : llvm::zip(reductions, parities))
    each.waitForEmptySlots(builder, parity);
}

struct TileExpandClusterReductions
    : impl::TileExpandClusterReductionsBase<TileExpandClusterReductions> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandPlan(kernel)) || failed(demandLayouts(kernel)))
      return signalPassFailure();
    const Cluster cluster(kernel);
    llvm::MapVector<Operation *, std::vector<ClusterReduction>> reductions;
    for (tile::ClusterReduceOp op : tile::clusterReductionsOf(kernel)) {
      if (isInTurns(op)) {
        refuseInTurns(op)
            << "the groups of warps can't add over a cluster in it: add behind "
               "it, or in a range without in_turns";
        return signalPassFailure();
      }
      reductions[tile::roleOf(op)].emplace_back(op, cluster);
    }
    for (auto &[role, ofRole] : reductions) {
      for (ClusterReduction &each : ofRole)
        each.declareBarriers();
      expandAll(cast<tile::RoleOp>(role), ofRole);
    }
    tile::PlanAttr plan = *kernel.getPlan();
    kernel.setPlanAttr(tile::PlanAttr::get(
        kernel.getContext(), plan.getThreads(), plan.getSharedBytes(),
        plan.getTiles(), plan.getRings(), plan.getRoles(), {}));
  }
};

} // namespace
} // namespace ashlar
