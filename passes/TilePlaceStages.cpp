// tile-place-stages: each stage is taken at a place in its ring, a stage's
// number and the parity of its phase, which loops and branches carry.

#include "passes/CarriedValues.h"
#include "passes/Cluster.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/stages/HeldStages.h"
#include "passes/stages/Ring.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEPLACESTAGES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// A place in a ring: which stage is next, and the parity of its phase.
struct Cursor {
  Value stage, parity;
};

int64_t stagesOf(Value pipeline) {
  return cast<tile::PipelineType>(pipeline.getType()).getStages();
}

Cursor next(Arithmetic a, Value pipeline, Cursor at) {
  auto turned = [&] { return a.exclusiveOr(at.parity, a.constant(1)); };
  if (stagesOf(pipeline) == 1)
    return {at.stage, turned()};
  Value following = a.add(at.stage, 1);
  Value wraps = a.equal(following, stagesOf(pipeline));
  return {a.select(wraps, a.constant(0), following),
          a.select(wraps, turned(), at.parity)};
}

/// Takes the next stage at a place; returns the one behind it.
template <typename Op> Cursor place(Op take, Cursor at) {
  take.getPlaceMutable().assign({at.stage, at.parity});
  OpBuilder builder(take->getBlock(), std::next(take->getIterator()));
  Arithmetic a{builder, take.getLoc()};
  const Cursor advanced = next(a, take.getPipeline(), at);
  if constexpr (std::is_same_v<Op, tile::TryAcquireOp> ||
                std::is_same_v<Op, tile::TryWaitOp>)
    return {a.select(take.getReady(), advanced.stage, at.stage),
            a.select(take.getReady(), advanced.parity, at.parity)};
  else
    return advanced;
}

Cursor skip(tile::SkipOp op, Cursor at) {
  OpBuilder builder(op);
  Arithmetic a{builder, op.getLoc()};
  const int64_t length = stagesOf(op.getPipeline());
  Value reached = a.add(at.stage, op.getCount());
  Value rounds = a.div(reached, length);
  return {a.rem(reached, length), a.exclusiveOr(at.parity, a.rem(rounds, 2))};
}

Cursor move(Operation *op, Cursor at) {
  return llvm::TypeSwitch<Operation *, Cursor>(op)
      .Case<tile::AcquireOp, tile::WaitOp, tile::TryAcquireOp, tile::TryWaitOp>(
          [&](auto take) { return place(take, at); })
      .Case<tile::SkipOp>([&](auto op) {
        const Cursor behind = skip(op, at);
        op.erase();
        return behind;
      });
}

/// On which side of which ring an operation moves the role's place.
std::optional<SideOfPipeline> sideMovedBy(Operation *op) {
  auto skip = dyn_cast<tile::SkipOp>(op);
  if (!skip && !acquires(op) && !waits(op))
    return std::nullopt;
  const bool filling = skip ? skip.getFilling() : acquires(op);
  return SideOfPipeline{op->getOperand(0),
                        filling ? Side::filling : Side::draining};
}

/// At the end of a role: no CTA leaves while a peer may still write to it or
/// arrive at its barriers. All have when its stages are empty. A barrier would
/// have to release to the cluster, which is a fence of the whole GPU.
void awaitPeers(tile::RoleOp role, Value pipeline, const Ring &ring,
                Cursor at) {
  OpBuilder builder = OpBuilder::atBlockEnd(&role.getBody().front());
  Location loc = named(role, "end of role");
  Arithmetic a{builder, loc};
  auto loop =
      scf::ForOp::create(builder, loc, a.constant(0), a.constant(ring.stages),
                         a.constant(1), ValueRange{at.stage, at.parity});
  builder.setInsertionPointToStart(loop.getBody());
  const Cursor here{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  hopper::MbarrierWaitOp::create(
      builder, loc, barrierOfStage(a, ring.emptyOffset, here.stage),
      here.parity, /*generic=*/false, /*cluster=*/false);
  const Cursor following = next(a, pipeline, here);
  scf::YieldOp::create(builder, loc,
                       ValueRange{following.stage, following.parity});
}

void placeStages(tile::RoleOp role, const Rings &rings) {
  llvm::MapVector<SideOfPipeline, unsigned> numbers;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto side = sideMovedBy(op))
      numbers.insert({*side, 2 * numbers.size()});
  });
  Block &body = role.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  SmallVector<Value> values;
  for (auto [place, number] : numbers) {
    // A fresh empty barrier counts as one whose previous phase, of parity 1,
    // is over: the first round of acquires passes.
    Arithmetic a{builder, place.first.getLoc()};
    values.push_back(a.constant(0));
    values.push_back(a.constant(place.second == Side::filling ? 1 : 0));
  }
  CarriedValues(
      [&](Operation *op) -> CarriedValues::Numbers {
        auto side = sideMovedBy(op);
        if (!side)
          return {};
        const unsigned number = numbers.lookup(*side);
        return {number, number + 1};
      },
      [&](Operation *op, CarriedValues::Values values) {
        const unsigned number = numbers.lookup(*sideMovedBy(op));
        const Cursor behind = move(op, {values[number], values[number + 1]});
        values[number] = behind.stage;
        values[number + 1] = behind.parity;
      })
      .follow(body, values);
  for (auto [place, number] : numbers) {
    auto [pipeline, side] = place;
    const Ring &ring = rings.of(pipeline);
    // Of several instances, some are ahead of others, by more rounds than a
    // parity tells.
    if (side == Side::filling && ring.isWrittenByPeers() &&
        role.getInstances() == 1)
      awaitPeers(role, pipeline, ring, {values[number], values[number + 1]});
  }
}

struct TilePlaceStages : impl::TilePlaceStagesBase<TilePlaceStages> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandPlan(kernel)))
      return signalPassFailure();
    const Cluster cluster(kernel);
    const Rings rings(kernel, cluster);
    for (auto role : kernel.getBody().getOps<tile::RoleOp>())
      placeStages(role, rings);
  }
};

} // namespace
} // namespace ashlar
