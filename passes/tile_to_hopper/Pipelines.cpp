// Stages as barriers and phases.

#include "passes/SharedMemory.h"
#include "passes/tile_to_hopper/Boxes.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

Cursor &KernelLowering::cursor(Value pipeline, bool filling) {
  auto [it, isNew] =
      cursors.try_emplace({pipeline.getAsOpaquePointer(), filling});
  if (isNew) {
    // A fresh empty barrier counts as one whose previous phase, of parity 1,
    // is over: the first round of acquires passes.
    OpBuilder::InsertionGuard guard(builder);
    Operation *lowered = builder.getInsertionBlock()->getParentOp();
    while (!isa<hopper::RoleOp>(lowered))
      lowered = lowered->getParentOp();
    builder.setInsertionPointToStart(
        &cast<hopper::RoleOp>(lowered).getBody().front());
    Arithmetic a{builder, pipeline.getLoc()};
    it->second = {a.constant(0), a.constant(filling ? 1 : 0)};
  }
  return it->second;
}

SmallVector<KernelLowering::CursorKey>
KernelLowering::cursorsMovedIn(Operation *op) {
  SmallVector<CursorKey> moved;
  op->walk([&](Operation *inner) {
    if (isa<tile::ClusterSumOp>(inner))
      moved.push_back({inner->getResult(0), false});
    if (auto loop = dyn_cast<scf::ForOp>(inner); loop && sharesTiles(loop))
      moved.push_back({loop.getStep(), false});
    bool fills = isa<tile::AcquireOp, tile::TryAcquireOp>(inner);
    if (!fills && !isa<tile::WaitOp, tile::TryWaitOp>(inner))
      return;
    CursorKey key{inner->getOperand(0), fills};
    if (!llvm::is_contained(moved, key))
      moved.push_back(key);
  });
  return moved;
}

Value KernelLowering::barrier(Location loc, int64_t offset, Value stage) {
  Arithmetic a{builder, loc};
  Value base = hopper::SharedAddressOp::create(builder, loc, offset);
  return a.add(base, a.mul(stage, target::mbarrierBytes));
}

Cursor KernelLowering::next(Location loc, const Ring &ring, Cursor at) {
  Arithmetic a{builder, loc};
  Value following = a.add(at.stage, 1);
  Value wraps = a.equal(following, ring.stages);
  return {a.select(wraps, a.constant(0), following),
          a.select(wraps, a.exclusiveOr(at.parity, a.constant(1)), at.parity)};
}

void KernelLowering::takeStage(Operation &op, bool filling) {
  Value pipeline = op.getOperand(0);
  Ring &ring = ringOf(pipeline);
  Location loc = named(op, filling ? "acquire" : "wait");
  Cursor &at = cursor(pipeline, filling);
  auto wait = hopper::MbarrierWaitOp::create(
      builder, loc,
      barrier(loc, filling ? ring.emptyOffset : ring.fullOffset, at.stage),
      at.parity, /*generic=*/!filling && ring.filledByCpAsync,
      /*cluster=*/false);
  SmallVector<int64_t> numbers, offsets;
  for (auto [held, number] : mostStages.at(&op)) {
    numbers.push_back(number);
    offsets.push_back(ringOf(held).fullOffset);
  }
  if (!numbers.empty()) {
    wait.setHolds(numbers);
    wait.setRings(offsets);
  }
  map.map(op.getResult(0), at.stage);
  at = next(loc, ring, at);
}

void KernelLowering::tryStage(Operation &op, bool filling) {
  Value pipeline = op.getOperand(0);
  Ring &ring = ringOf(pipeline);
  Location loc = named(op, filling ? "try_acquire" : "try_wait");
  Cursor &at = cursor(pipeline, filling);
  IntegerAttr agree;
  if (role.getWarps() > 1 && role.getInstances() == 1)
    agree = builder.getI64IntegerAttr(roleBarrierId());
  Value ready = hopper::MbarrierTestOp::create(
      builder, loc, builder.getI1Type(),
      barrier(loc, filling ? ring.emptyOffset : ring.fullOffset, at.stage),
      at.parity, agree, UnitAttr::get(builder.getContext()));
  if (filling || !ring.filledByCpAsync)
    ready.getDefiningOp<hopper::MbarrierTestOp>().setGeneric(false);
  map.map(op.getResult(0), ready);
  map.map(op.getResult(1), at.stage);
  Arithmetic a{builder, loc};
  Cursor advanced = next(loc, ring, at);
  at = {a.select(ready, advanced.stage, at.stage),
        a.select(ready, advanced.parity, at.parity)};
}

void KernelLowering::awaitPeers() {
  for (auto &[pipeline, ring] : rings) {
    const bool fills = llvm::any_of(pipeline.getUsers(), [&](Operation *user) {
      return isa<tile::AcquireOp, tile::TryAcquireOp>(user) &&
             tile::roleOf(user) == role;
    });
    if (!fills || ring->writers.size() == 1)
      continue;
    // An instance is ahead of others here, by more rounds than a parity tells.
    if (role.getInstances() > 1) {
      meetsAtEnd = true;
      continue;
    }
    Location loc = named(*role, "end of role");
    Arithmetic a{builder, loc};
    const Cursor at = cursor(pipeline, /*filling=*/true);
    auto loop = scf::ForOp::create(builder, loc, a.constant(0),
                                   a.constant(ring->stages), a.constant(1),
                                   ValueRange{at.stage, at.parity});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    const Cursor here{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
    hopper::MbarrierWaitOp::create(
        builder, loc, barrier(loc, ring->emptyOffset, here.stage), here.parity,
        /*generic=*/false, /*cluster=*/false);
    const Cursor following = next(loc, *ring, here);
    scf::YieldOp::create(builder, loc,
                         ValueRange{following.stage, following.parity});
  }
  role.walk([&](tile::ClusterSumOp sum) { waitForEmptySlots(sum); });
}

void KernelLowering::lower(tile::CommitOp op) {
  Ring &ring = ringOf(op.getPipeline());
  Location loc = named(*op, "commit");
  Value full = barrier(loc, ring.fullOffset, lookup(op.getStage()));
  Filling how = ring.filling(role);
  auto arrive = [&] {
    hopper::MbarrierArriveOp::create(builder, loc, full, Value());
  };
  if (how.everyWarp) {
    auto perWarp = hopper::OncePerWarpOp::create(builder, loc);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&perWarp.getBody().emplaceBlock());
    arrive();
  } else if (how.byTma) {
    once(loc, arrive);
  }
  if (how.byCpAsync)
    hopper::MbarrierArriveAsyncOp::create(builder, loc, full);
  if (how.byThreads)
    arrive();
}

void KernelLowering::lower(tile::ReleaseOp op) {
  Ring &ring = ringOf(op.getPipeline());
  Location loc = named(*op, "release");
  Value stage = lookup(op.getStage());

  // The stage is to be written again only when TMA has read it. Each warp tells
  // of what it has stored by itself.
  if (llvm::any_of(accessesOfStage(op.getStage()),
                   llvm::IsaPred<tile::CopyOutOp>)) {
    waitForStores(loc, 0);
    if (warpTiles.empty())
      roleBarrier(loc);
  }

  auto release =
      hopper::ReleaseOp::create(builder, loc, stage, /*condition=*/Value(),
                                ring.fullOffset, mostStages.newerThan(op));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&release.getBody().emplaceBlock());
  Value empty = barrier(loc, ring.emptyOffset, stage);
  for (auto &delta : ring.writers) {
    bool own = llvm::all_of(delta, [](int64_t step) { return step == 0; });
    Value rank = own ? Value() : cluster.peer(builder, loc, delta);
    hopper::MbarrierArriveOp::create(builder, loc, empty, rank);
  }
}

void KernelLowering::lower(tile::BufferOp op) {
  Ring &ring = ringOf(tile::pipelineOf(op.getStage()));
  Location loc = op.getLoc();
  Arithmetic a{builder, loc};
  Value base = hopper::SharedAddressOp::create(
      builder, loc, ring.offset + ring.tileOffsets[op.getIndex()]);
  Value address = a.add(base, a.mul(lookup(op.getStage()), ring.stageBytes));
  map.map(op.getResult(),
          hopper::ViewOp::create(builder, loc, op.getResult().getType(),
                                 address, lookup(op.getStage())));
}

void KernelLowering::lower(tile::PartOp op) {
  Arithmetic a{builder, op.getLoc()};
  int64_t offset =
      op.getSource().getType().getLayout()->layout.at(op.getOffsets());
  Value address = a.add(addressOf(lookup(op.getSource())), offset);
  map.map(op.getResult(),
          hopper::ViewOp::create(builder, a.loc, op.getResult().getType(),
                                 address, stageOf(lookup(op.getSource()))));
}

void KernelLowering::lower(tile::ViewOp op) {
  Arithmetic a{builder, op.getLoc()};
  Value address = a.add(addressOf(lookup(op.getSource())), offsetOfView(op));
  map.map(op.getResult(),
          hopper::ViewOp::create(builder, a.loc, op.getResult().getType(),
                                 address, stageOf(lookup(op.getSource()))));
}

} // namespace ashlar
