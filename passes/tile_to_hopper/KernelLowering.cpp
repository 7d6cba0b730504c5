#include "passes/tile_to_hopper/KernelLowering.h"
#include "compiler/tile/Plan.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/SharedMemory.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace ashlar {

using namespace mlir;

namespace {

template <typename Op> bool contains(tile::RoleOp role) {
  return role.walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace

KernelLowering::KernelLowering(tile::KernelOp kernel, OpBuilder &builder)
    : source(kernel), builder(builder), cluster(kernel), mostStages(kernel) {}

LogicalResult KernelLowering::run() {
  target = hopper::KernelOp::create(
      builder, source.getLoc(), source.getSymName(),
      source.getPlan()->getThreads(), source.getPlan()->getSharedBytes(),
      cluster.size(), source.getProgrammaticLaunch());
  target.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&target.getBody().front());
  for (auto pipeline : source.getBody().getOps<tile::PipelineOp>())
    rings[pipeline.getResult()] = std::make_unique<Ring>(pipeline, cluster);
  if (failed(lowerParameters()))
    return failure();
  lowerSetUp();
  for (auto barrier : source.getBody().getOps<tile::BarrierOp>())
    barrierIds[barrier.getResult()] = nextBarrier++;
  for (auto role : source.getBody().getOps<tile::RoleOp>())
    if (failed(lowerRole(role)))
      return failure();
  if (nextBarrier > target::namedBarriers)
    return source.emitError("kernel '")
           << source.getSymName() << "' needs " << nextBarrier - 1
           << " named barriers with those of its roles; a CTA has "
           << target::namedBarriers - 1 << ": let roles share some";
  prefetchTensorMaps();
  if (meetsAtEnd)
    hopper::SyncOp::create(builder, source.getLoc(), /*cluster=*/true,
                           /*arrived=*/false);
  return success();
}

void KernelLowering::lowerSetUp() {
  Location loc = source.getLoc();
  SmallVector<tile::ClusterSumOp> sums;
  source.walk([&](tile::ClusterSumOp sum) { sums.push_back(sum); });
  SmallVector<tile::RoleOp> taking;
  for (auto role : source.getBody().getOps<tile::RoleOp>())
    if (role.getInstances() > 1)
      taking.push_back(role);
  hasBarriers = !rings.empty() || !sums.empty() || !taking.empty();
  if (hasBarriers) {
    auto init = hopper::OnceOp::create(builder, loc);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&init.getBody().emplaceBlock());
    for (tile::ClusterSumOp sum : sums)
      initExchange(sum);
    for (tile::RoleOp role : taking)
      initTurns(role);

    for (auto &[pipeline, ring] : rings)
      for (int64_t stage = 0; stage < ring->stages; ++stage) {
        Location at = pipeline.getLoc();
        for (auto [offset, count] :
             {std::pair(ring->fullOffset, ring->fullCount),
              std::pair(ring->emptyOffset, ring->emptyCount)}) {
          Value address =
              hopper::SharedAddressOp::create(builder, at, offset + 8 * stage);
          hopper::MbarrierInitOp::create(builder, at, address, count);
        }
      }
    hopper::MbarrierFenceOp::create(builder, loc);
  }
  if (hasBarriers && cluster.size() > 1)
    hopper::ClusterArriveOp::create(builder, loc);
}

void KernelLowering::prefetchTensorMaps() {
  OpBuilder::InsertionGuard guard(builder);
  auto maps = target.getBody().getOps<hopper::TensorMapOp>();
  if (maps.empty())
    return;
  Operation *after = nullptr;
  for (auto map : maps)
    after = map;
  builder.setInsertionPointAfter(after);
  auto once = hopper::OnceOp::create(builder, source.getLoc());
  builder.setInsertionPointToStart(&once.getBody().emplaceBlock());
  for (auto map : maps)
    hopper::TensorMapPrefetchOp::create(builder, map.getLoc(), map);
}

LogicalResult KernelLowering::lowerRole(tile::RoleOp op) {
  role = op;
  cursors.clear();
  currentRoleBarrier = 0;
  if (role.getInstances() > 1 && failed(checkTurns()))
    return failure();
  auto lowered = hopper::RoleOp::create(
      builder, op.getLoc(), op.getName(), tile::planOf(op).getFirstWarp(),
      op.getWarps(), op.getInstances(), op.getRegisters());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&lowered.getBody().emplaceBlock());
  const bool inCluster = cluster.size() > 1;
  if (hasBarriers)
    hopper::SyncOp::create(builder, source.getLoc(), /*cluster=*/inCluster,
                           /*arrived=*/inCluster);
  if (source.getProgrammaticLaunch() && !contains<tile::WaitLaunchOp>(op))
    hopper::GridWaitOp::create(builder, op.getLoc());
  viewSharedTiles();
  findWarpTiles();
  if (failed(lowerBlock(op.getBody().front())))
    return failure();
  awaitPeers();
  if (copiesOut(op))
    waitForStores(op.getLoc(), 0);
  if (contains<tile::CopyOp>(op))
    startEarly(lowered.getBody().front());
  return success();
}

void KernelLowering::viewSharedTiles() {
  for (auto alloc : source.getBody().getOps<tile::AllocOp>()) {
    if (llvm::none_of(alloc.getResult().getUsers(), [&](Operation *user) {
          return tile::roleOf(user) == role;
        }))
      continue;
    tile::SharedType type = alloc.getResult().getType();
    Value address = ofInstance(
        alloc.getLoc(), tile::offsetOf(alloc),
        llvm::alignTo(type.sizeBytes(), alignmentOf(alloc.getResult())));
    map.map(alloc.getResult(),
            hopper::ViewOp::create(builder, alloc.getLoc(), type, address));
  }
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<scf::ForOp>([&](auto loop) { return lowerFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { return lowerIf(branch); })
      .Case<tile::AcquireOp>([&](auto) {
        takeStage(op, /*filling=*/true);
        return success();
      })
      .Case<tile::WaitOp>([&](auto) {
        takeStage(op, /*filling=*/false);
        return success();
      })
      .Case<tile::TryAcquireOp>([&](auto) {
        tryStage(op, /*filling=*/true);
        return success();
      })
      .Case<tile::TryWaitOp>([&](auto) {
        tryStage(op, /*filling=*/false);
        return success();
      })
      .Case<tile::CopyOp, tile::CopyOutOp, tile::PrefetchOp,
            tile::ClusterSumOp>([&](auto op) { return lower(op); })
      .Case<tile::WaitLaunchOp>([&](auto) {
        hopper::GridWaitOp::create(builder, op.getLoc());
        return success();
      })
      .Case<tile::AllowLaunchOp>([&](auto) {
        hopper::GridReleaseOp::create(builder, op.getLoc());
        return success();
      })
      .Case<tile::CommitOp, tile::ReleaseOp, tile::BufferOp, tile::PartOp,
            tile::ViewOp, tile::ReadOp, tile::WriteOp, tile::LoadOp,
            tile::StoreOp, tile::ReduceIntoOp, tile::InsideOp, tile::SignalOp,
            tile::AwaitOp, tile::MmaOp, tile::ScheduleRangeOp,
            tile::ScheduleCoordinatesOp>([&](auto op) {
        lower(op);
        return success();
      })
      .Case<tile::SyncOp, tile::ArriveOp>([&](auto barrier) {
        // What this role has handed to TMA must be read before others may
        // write it.
        if (copiesOut(role))
          waitForStores(op.getLoc(), 0);
        int64_t threads = 0;
        llvm::SmallPtrSet<Operation *, 4> roles;
        for (Operation *user : barrier.getBarrier().getUsers())
          if (auto user_role = tile::roleOf(user))
            if (roles.insert(user_role).second)
              threads += 32 * user_role.getWarps() * user_role.getInstances();
        hopper::NamedBarrierOp::create(builder, named(op, "barrier"),
                                       barrierIds[barrier.getBarrier()],
                                       threads, isa<tile::ArriveOp>(op),
                                       /*per_instance=*/false);
        return success();
      })
      .Case<tile::MultipleOfOp>([&](auto promise) {
        map.map(promise.getResult(), lookup(promise.getIndex()));
        return success();
      })
      .Case<tile::SplatOp>([&](auto splat) {
        map.map(splat.getResult(),
                hopper::SplatOp::create(builder, op.getLoc(),
                                        splat.getResult().getType(),
                                        lookup(splat.getValue())));
        return success();
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        map.map(broadcast.getResult(),
                hopper::BroadcastOp::create(
                    builder, op.getLoc(), broadcast.getResult().getType(),
                    lookup(broadcast.getValue()), broadcast.getDimensions()));
        return success();
      })
      .Case<tile::SliceOp>([&](auto slice) {
        map.map(slice.getResult(),
                hopper::SliceOp::create(
                    builder, op.getLoc(), slice.getResult().getType(),
                    lookup(slice.getValue()), slice.getOffsets()));
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (!isa<arith::ArithDialect, math::MathDialect>(other->getDialect()))
          return other->emitError("operation '")
                 << other->getName() << "' has no meaning in a role";
        builder.clone(*other, map);
        return success();
      });
}

SmallVector<Value> KernelLowering::lookup(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return map.lookup(v); });
}

Location KernelLowering::named(Operation &op, StringRef name) {
  return NameLoc::get(builder.getStringAttr(name), op.getLoc());
}

int64_t KernelLowering::roleBarrierId() {
  if (!currentRoleBarrier) {
    currentRoleBarrier = nextBarrier;
    nextBarrier += role.getInstances();
  }
  return currentRoleBarrier;
}

void KernelLowering::roleBarrier(Location loc) {
  hopper::NamedBarrierOp::create(builder, loc, roleBarrierId(),
                                 32 * role.getWarps(), /*arrive=*/false,
                                 /*per_instance=*/role.getInstances() > 1);
}

Value KernelLowering::special(Location loc, StringRef name) {
  return hopper::SpecialRegisterOp::create(builder, loc, name);
}

Value KernelLowering::instance(Location loc) {
  return role.getInstances() > 1 ? special(loc, "instance")
                                 : Arithmetic{builder, loc}.constant(0);
}

Value KernelLowering::ofInstance(Location loc, int64_t offset, int64_t bytes) {
  Arithmetic a{builder, loc};
  Value own = a.mul(instance(loc), bytes);
  return a.add(hopper::SharedAddressOp::create(builder, loc, offset), own);
}

bool KernelLowering::copiesOut(tile::RoleOp op) {
  return contains<tile::CopyOutOp>(op);
}

void KernelLowering::once(Location loc, llvm::function_ref<void()> body) {
  Block *block = builder.getInsertionBlock();
  hopper::OnceOp op;
  for (Operation &before : llvm::reverse(*block)) {
    op = dyn_cast<hopper::OnceOp>(before);
    if (op || !isPure(&before))
      break;
  }
  if (op)
    op->moveBefore(block, block->end());
  else {
    op = hopper::OnceOp::create(builder, loc);
    op.getBody().emplaceBlock();
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  body();
}

} // namespace ashlar
