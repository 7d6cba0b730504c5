// tile-to-hopper: each operation is lowered by a pattern of its own. Pipelines
// are rings of mbarriers, copies are TMA or cp.async.

#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/SharedMemory.h"
#include "passes/tile_to_hopper/Lowering.h"
#include "llvm/Support/MathExtras.h"

namespace ashlar {

#define GEN_PASS_DEF_TILETOHOPPER
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

template <typename Op> bool contains(tile::RoleOp role) {
  return role.walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Refuses what the passes before should have expanded, and what no pass knows.
LogicalResult demandExpanded(tile::KernelOp kernel) {
  auto refuse = [](Operation *op, StringRef pass) {
    return op->emitError("is left of the tile level; run ") << pass << " first";
  };
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    if (isa<tile::AcquireOp, tile::WaitOp, tile::TryAcquireOp, tile::TryWaitOp>(
            op) &&
        op->getNumOperands() == 1)
      return refuse(op, "tile-place-stages");
    if (isa<tile::SkipOp>(op))
      return refuse(op, "tile-place-stages");
    if (isa<tile::ClusterReduceOp>(op))
      return refuse(op, "tile-expand-cluster-reductions");
    auto toPeer = dyn_cast<tile::CopyToPeerOp>(op);
    if (isa<tile::ClusterSyncOp>(op) || (toPeer && !toPeer.getBarrier()))
      return refuse(op, "tile-expand-cluster-syncs");
    if (isa<tile::ReduceOp, tile::ScanOp, tile::RelayOp>(op))
      return refuse(op, "tile-exchange");
    if (isa<tile::ScheduleRangeOp, tile::ScheduleCoordinatesOp>(op))
      return refuse(op, "tile-expand-schedules");
    if (isa<tile::SyncOp, tile::ArriveOp>(op))
      return refuse(op, "tile-order-accesses");
    if (!isa<tile::TileDialect, hopper::HopperDialect, arith::ArithDialect,
             math::MathDialect>(op->getDialect()) &&
        !isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
      return op->emitError("operation '")
             << op->getName() << "' has no meaning in a role";
    return success();
  });
  return failure(walked.wasInterrupted());
}

/// Lowers one kernel.
class Conversion {
public:
  Conversion(tile::KernelOp source, const Movements &movements)
      : source(source), cluster(source), rings(source, cluster),
        movements(movements), builder(source) {}

  LogicalResult run();

private:
  void carryNumbers();
  SmallVector<Value> allCoordinates();
  void setUp();
  void initialiseBarriers();
  void lower(tile::RoleOp role);
  void viewTiles(tile::RoleOp role);
  bool hasBarriers();
  bool meetsAtStart();
  bool meetsAtEnd();

  tile::KernelOp source;
  const Cluster cluster;
  const Rings rings;
  const Movements &movements;
  OpBuilder builder;
  bool reachesPeers = false; ///< tiles of other CTAs
};

LogicalResult Conversion::run() {
  auto target = hopper::KernelOp::create(
      builder, source.getLoc(), source.getSymName(),
      source.getPlan()->getThreads(), source.getPlan()->getSharedBytes(),
      cluster.size(), source.getCtasPerSm(), source.getProgrammaticLaunch());
  Block &body = target.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&body);
  const Parameters parameters(source, builder);
  llvm::DenseMap<Operation *, Value> pipelines;
  source.walk([&](tile::PeerOp) { reachesPeers = true; });
  source.walk([&](tile::BufferOp buffer) {
    pipelines[buffer] = tile::pipelineOf(buffer.getStage());
  });
  carryNumbers();
  const IndexFacts facts(allCoordinates());
  const Context context{cluster,    rings, movements,
                        parameters, facts, pipelines};
  auto roles = llvm::to_vector(source.getBody().getOps<tile::RoleOp>());
  // Roles start together; what is computed between them may be used by any.
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           roles.front()->getIterator(), roles.back()->getIterator())))
    if (!isa<tile::RoleOp>(op))
      op.moveBefore(roles.front());
  builder.setInsertionPoint(roles.front());
  setUp();
  for (tile::RoleOp role : roles)
    lower(role);
  if (meetsAtEnd()) {
    builder.setInsertionPointToEnd(&source.getBody().front());
    hopper::SyncOp::create(builder, source.getLoc(), /*cluster=*/true,
                           /*arrived=*/false);
  }
  for (tile::RoleOp role : roles)
    role.erase();
  body.getOperations().splice(body.end(),
                              source.getBody().front().getOperations());

  Patterns patterns(context, source.getContext());
  addDeclarations(patterns);
  addPipelines(patterns);
  addCopies(patterns);
  addStores(patterns);
  addGlobalMemory(patterns);
  addFragments(patterns);
  ConversionTarget legal(*source.getContext());
  legal.addLegalDialect<hopper::HopperDialect, arith::ArithDialect,
                        math::MathDialect, scf::SCFDialect>();
  legal.addIllegalDialect<tile::TileDialect>();
  legal.addIllegalOp<UnrealizedConversionCastOp>();
  if (failed(applyPartialConversion(target, legal, patterns.take())))
    return failure();
  prefetchTensorMaps(target);
  source.erase();
  return success();
}

/// Coordinates, and whatever else operations count with.
SmallVector<Value> Conversion::allCoordinates() {
  SmallVector<Value> all;
  source.walk([&](Operation *op) {
    if (isa<tile::TileDialect>(op->getDialect()))
      llvm::copy_if(op->getOperands(), std::back_inserter(all),
                    [](Value operand) { return operand.getType().isIndex(); });
  });
  return all;
}

/// Loops and branches carry the number of a stage.
void Conversion::carryNumbers() {
  auto isStage = [](Value value) {
    return isa<tile::StageType>(value.getType());
  };
  auto cast = [&](Type type, Value value) -> Value {
    return UnrealizedConversionCastOp::create(builder, value.getLoc(), type,
                                              value)
        .getResult(0);
  };
  auto become = [&](Value carried) {
    Type stage = carried.getType();
    carried.setType(builder.getIndexType());
    builder.setInsertionPointAfterValue(carried);
    Value seen = cast(stage, carried);
    carried.replaceAllUsesExcept(seen, seen.getDefiningOp());
  };
  OpBuilder::InsertionGuard guard(builder);
  source.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
      for (OpOperand &operand : op->getOpOperands())
        if (isStage(operand.get())) {
          builder.setInsertionPoint(op);
          operand.set(cast(builder.getIndexType(), operand.get()));
        }
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          if (isStage(argument))
            become(argument);
      for (Value result : op->getResults())
        if (isStage(result))
          become(result);
    }
  });
}

bool Conversion::hasBarriers() {
  return !rings.empty() || !source.getBody().getOps<tile::MbarrierOp>().empty();
}

/// Whether a role may begin only when the CTA, or the cluster, has: mbarriers
/// are initialised, and a peer's memory is there.
bool Conversion::meetsAtStart() { return hasBarriers() || reachesPeers; }

/// What all threads do before the roles.
void Conversion::setUp() {
  if (hasBarriers())
    initialiseBarriers();
  if (meetsAtStart() && cluster.size() > 1)
    hopper::ClusterArriveOp::create(builder, source.getLoc());
}

void Conversion::initialiseBarriers() {
  byOneThread(builder, source.getLoc(), [&] {
    auto init = [&](Location loc, int64_t offset, int64_t count) {
      Value address = hopper::SharedAddressOp::create(builder, loc, offset);
      hopper::MbarrierInitOp::create(builder, loc, address, count);
    };
    for (auto barrier : source.getBody().getOps<tile::MbarrierOp>())
      init(barrier.getLoc(), barrier.getOffset(), barrier.getCount());
    for (auto &[pipeline, ring] : rings)
      for (int64_t stage = 0; stage < ring.stages; ++stage) {
        const int64_t bytes = target::mbarrierBytes * stage;
        init(pipeline.getLoc(), ring.fullOffset + bytes, ring.fullCount);
        init(pipeline.getLoc(), ring.emptyOffset + bytes, ring.emptyCount);
      }
    hopper::MbarrierFenceOp::create(builder, source.getLoc());
  });
}

void Conversion::lower(tile::RoleOp role) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(role);
  auto lowered = hopper::RoleOp::create(
      builder, role.getLoc(), role.getName(), tile::planOf(role).getFirstWarp(),
      role.getWarps(), role.getInstances(), role.getRegisters());
  builder.setInsertionPointToStart(&role.getBody().front());
  const bool inCluster = cluster.size() > 1;
  if (meetsAtStart())
    hopper::SyncOp::create(builder, source.getLoc(), /*cluster=*/inCluster,
                           /*arrived=*/inCluster);
  if (source.getProgrammaticLaunch() && !contains<tile::WaitLaunchOp>(role))
    hopper::GridWaitOp::create(builder, role.getLoc());
  viewTiles(role);
  lowered.getBody().takeBody(role.getBody());
}

/// The tiles outside of pipelines that a role uses, at their addresses.
void Conversion::viewTiles(tile::RoleOp role) {
  for (auto alloc : source.getBody().getOps<tile::AllocOp>()) {
    auto isUse = [&](OpOperand &use) {
      return role->isProperAncestor(use.getOwner());
    };
    if (llvm::none_of(alloc.getResult().getUses(), isUse))
      continue;
    tile::SharedType type = alloc.getResult().getType();
    Value address = ofInstance(
        {builder, alloc.getLoc()}, role, tile::offsetOf(alloc),
        llvm::alignTo(type.sizeBytes(), alignmentOf(alloc.getResult())));
    Value view = hopper::ViewOp::create(builder, alloc.getLoc(), type, address);
    alloc.getResult().replaceUsesWithIf(view, isUse);
  }
}

/// Whether the cluster has to meet before any CTA leaves: where one reaches the
/// memory of another; and where instances of a role fill stages of peers, no
/// role can wait for those to be empty.
bool Conversion::meetsAtEnd() {
  return reachesPeers || llvm::any_of(rings, [](auto &entry) {
           auto &[pipeline, ring] = entry;
           return ring.isWrittenByPeers() &&
                  llvm::any_of(pipeline.getUsers(), [](Operation *user) {
                    auto role = user->getParentOfType<hopper::RoleOp>();
                    return isa<tile::AcquireOp, tile::TryAcquireOp>(user) &&
                           role.getInstances() > 1;
                  });
         });
}

struct TileToHopper : impl::TileToHopperBase<TileToHopper> {
  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<tile::KernelOp>());
    for (tile::KernelOp kernel : kernels) {
      if (failed(demandPlan(kernel)) || failed(demandLayouts(kernel)) ||
          failed(demandExpanded(kernel)))
        return signalPassFailure();
      auto movements = Movements::of(kernel, Cluster(kernel));
      if (failed(movements) || failed(Conversion(kernel, *movements).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace ashlar
