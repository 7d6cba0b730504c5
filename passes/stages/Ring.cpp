#include "passes/stages/Ring.h"
#include "compiler/tile/Plan.h"
#include "passes/Coordinates.h"
#include "passes/SharedMemory.h"
#include "passes/stages/HeldStages.h"

#include <numeric>
#include <set>

namespace ashlar {

using namespace mlir;

int64_t pieceBytes(tile::CopyOp copy) {
  tile::SharedType type = copy.getTarget().getType();
  const ValueRange coordinates = copy.getCoordinates();
  return std::gcd(rowAlignment(copy.getSource(), coordinates,
                               IndexFacts(coordinates.back())),
                  type.getShape().back() * type.elementBytes());
}

CopyEngine engineOf(tile::CopyOp copy) {
  const int64_t alignment = pieceBytes(copy);
  if (alignment >= 16 && !copy.getRows())
    return CopyEngine::tma;
  return alignment >= 4 ? CopyEngine::cpAsync : CopyEngine::threads;
}

bool isByTma(tile::CopyOutOp copy) {
  auto tensor = copy.getTarget().getDefiningOp<tile::TensorOp>();
  return tensor.getAlignment() >= target::tmaAlignment;
}

namespace {

/// Whether a shared tile is part of a stage of the pipeline.
bool belongsTo(Value shared, Value pipeline) {
  auto buffer = tile::bufferOf(shared);
  return buffer && tile::pipelineOf(buffer.getStage()) == pipeline;
}

Filling fillingBy(tile::RoleOp role, Value pipeline) {
  Filling result;
  role.walk([&](Operation *op) {
    if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      if (!belongsTo(copy.getTarget(), pipeline))
        return;
      CopyEngine engine = engineOf(copy);
      result.byTma |= engine == CopyEngine::tma;
      result.byCpAsync |= engine == CopyEngine::cpAsync;
      result.copiedByThreads |= engine == CopyEngine::threads;
    }
    if (auto write = dyn_cast<tile::WriteOp>(op))
      result.byThreads |= belongsTo(write.getTarget(), pipeline);
  });
  result.byThreads |= result.copiedByThreads;
  // A role that commits without writing still has to arrive.
  if (!result.byTma && !result.byCpAsync && !result.byThreads)
    result.byThreads = true;
  const bool drains = llvm::any_of(pipeline.getUsers(), [&](Operation *user) {
    return waits(user) && tile::roleOf(user) == role;
  });
  result.everyWarp = result.byTma && !result.byCpAsync && !result.byThreads &&
                     !drains && role.getWarps() > 1;
  return result;
}

using Deltas = std::set<std::vector<int64_t>>;

/// The CTAs that a copy to a stage of the pipeline writes into.
Deltas writtenBy(tile::CopyOp copy, Value pipeline, const Cluster &cluster) {
  if (!copy.getMulticast() || engineOf(copy) != CopyEngine::tma ||
      !belongsTo(copy.getTarget(), pipeline))
    return {};
  const auto deltas = cluster.deltas(cluster.sharedDimensions(copy));
  return {deltas.begin(), deltas.end()};
}

/// Whether what is committed comes from, and goes to, all of these CTAs. Copies
/// count in the commit's own block: they are made whenever it is.
bool isSharedByAll(tile::CommitOp commit, const Deltas &all,
                   const Cluster &cluster) {
  Deltas found;
  for (auto copy : commit->getBlock()->getOps<tile::CopyOp>()) {
    auto buffer = tile::bufferOf(copy.getTarget());
    if (buffer && buffer.getStage() == commit.getStage())
      found.merge(
          writtenBy(copy, tile::pipelineOf(commit.getStage()), cluster));
  }
  return llvm::all_of(all, [&](const auto &delta) {
    return found.contains(delta) ||
           llvm::all_of(delta, [](int64_t step) { return step == 0; });
  });
}

/// With all CTAs that can be reached through others.
Deltas closed(Deltas deltas, const Cluster &cluster) {
  for (size_t before = 0; before != deltas.size();) {
    before = deltas.size();
    const std::vector all(deltas.begin(), deltas.end());
    for (const auto &first : all)
      for (std::vector<int64_t> sum : all) {
        for (auto [step, further, extent] :
             llvm::zip(sum, first, cluster.extents()))
          step = (step + further) % extent;
        deltas.insert(sum);
      }
  }
  return deltas;
}

} // namespace

Ring::Ring(tile::PipelineOp op, const Cluster &cluster) {
  stages = op.getResult().getType().getStages();
  tile::RingPlanAttr plan = tile::planOf(op);
  offset = plan.getOffset();
  stageBytes = plan.getStageBytes();
  tileOffsets = llvm::to_vector(plan.getTileOffsets());
  fullOffset = plan.getBarriers();
  emptyOffset = fullOffset + target::mbarrierBytes * stages;

  Deltas distinct;
  for (auto &own : cluster.deltas({}))
    distinct.insert(own);
  llvm::SmallPtrSet<Operation *, 4> producers, consumers;
  for (Operation *user : op.getResult().getUsers()) {
    if (isa<tile::CommitOp>(user))
      producers.insert(tile::roleOf(user));
    if (isa<tile::ReleaseOp>(user))
      consumers.insert(tile::roleOf(user));
  }
  for (Operation *producer : producers) {
    auto role = cast<tile::RoleOp>(producer);
    Filling how = fillingBy(role, op.getResult());
    for (Operation *user : op.getResult().getUsers())
      if (isa<tile::CommitOp>(user) && tile::roleOf(user) == producer)
        fillings[user] = how;
    int64_t threads = target::warpThreads * role.getWarps();
    fullCount += how.everyWarp ? role.getWarps() : how.byTma ? 1 : 0;
    fullCount += how.byCpAsync ? threads : 0;
    fullCount += how.byThreads ? threads : 0;
    fencedByReaders |= how.byCpAsync || how.copiedByThreads;
    role.walk([&](tile::CopyOp copy) {
      distinct.merge(writtenBy(copy, op.getResult(), cluster));
    });
  }
  // A CTA that waits for no peer's data may release a stage again before others
  // have once, unless it waits for the releases of all of them.
  if (llvm::any_of(op.getResult().getUsers(), [&](Operation *user) {
        auto commit = dyn_cast<tile::CommitOp>(user);
        return commit && !isSharedByAll(commit, distinct, cluster);
      }))
    distinct = closed(std::move(distinct), cluster);
  awaitedBy.assign(distinct.begin(), distinct.end());
  for (Operation *consumer : consumers)
    emptyCount += cast<tile::RoleOp>(consumer).getWarps() * awaitedBy.size();
}

} // namespace ashlar
