// tile-plan-memory: every buffer and barrier has its offset in shared memory,
// every role its warps; both budgets hold, or the refusal says by how much.

#include "compiler/hopper/Hopper.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/SharedMemory.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace ashlar {

#define GEN_PASS_DEF_TILEPLANMEMORY
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

using target::warpgroupWarps;

/// What a tile of each stage needs, whatever a role sees in its place.
int64_t alignmentOfTile(tile::PipelineOp pipeline, int64_t index) {
  int64_t alignment = alignmentOf(pipeline.getResult().getType().tile(index));
  for (Operation *taker : pipeline.getResult().getUsers())
    for (Value stage : taker->getResults())
      for (Operation *user : stage.getUsers())
        if (auto buffer = dyn_cast<tile::BufferOp>(user))
          if (int64_t(buffer.getIndex()) == index)
            alignment = std::max(alignment, alignmentOf(buffer.getResult()));
  return alignment;
}

/// Where the tiles of a stage lie in it, and how far the next stage is.
struct StagePlan {
  SmallVector<int64_t> tileOffsets;
  int64_t alignment = target::mbarrierBytes, bytes = 0;

  explicit StagePlan(tile::PipelineOp pipeline) {
    for (auto [i, type] :
         llvm::enumerate(pipeline.getResult().getType().getTiles())) {
      int64_t tileAlignment = alignmentOfTile(pipeline, i);
      bytes = llvm::alignTo(bytes, tileAlignment);
      tileOffsets.push_back(bytes);
      bytes += cast<tile::SharedType>(type).sizeBytes();
      alignment = std::max(alignment, tileAlignment);
    }
    bytes = llvm::alignTo(bytes, alignment);
  }
};

/// How often a tile outside the pipelines exists: once for each instance of the
/// one role that uses it.
FailureOr<int64_t> copiesOf(tile::AllocOp alloc) {
  llvm::SmallSetVector<Operation *, 4> roles;
  for (Operation *user : alloc.getResult().getUsers())
    roles.insert(tile::roleOf(user));
  for (Operation *op : roles) {
    auto role = cast<tile::RoleOp>(op);
    if (role.getInstances() == 1)
      continue;
    if (roles.size() == 1)
      return int64_t(role.getInstances());
    auto other = cast<tile::RoleOp>(roles[op == roles[0] ? 1 : 0]);
    return alloc.emitError("role '")
           << role.getName() << "' and role '" << other.getName()
           << "' share this tile, and '" << role.getName()
           << "' is run by several warpgroups, each with its own: pass data "
              "between them through a pipeline";
  }
  return 1;
}

/// What the CTAs of a cluster send one another for a cluster_sum, and the
/// barriers over which the instances of a role pass on their turn.
int64_t planExchanges(tile::KernelOp kernel, int64_t bytes) {
  kernel.walk([&](tile::ClusterSumOp sum) {
    bytes = llvm::alignTo(bytes, hopper::exchangeAlignment);
    sum.setOffset(bytes);
    bytes +=
        hopper::exchangeBytes(sum) * int64_t(tile::roleOf(sum).getInstances());
  });
  kernel.walk([&](tile::ClusterSumOp sum) {
    bytes = llvm::alignTo(bytes, target::mbarrierBytes);
    sum.setBarrierOffset(bytes);
    bytes +=
        2 * target::mbarrierBytes * int64_t(tile::roleOf(sum).getInstances());
  });
  for (auto role : kernel.getBody().getOps<tile::RoleOp>()) {
    if (role.getInstances() == 1)
      continue;
    bytes = llvm::alignTo(bytes, target::mbarrierBytes);
    role.setTurnOffset(bytes);
    bytes += target::mbarrierBytes * int64_t(role.getInstances());
  }
  return bytes;
}

LogicalResult planShared(tile::KernelOp kernel) {
  OpBuilder builder(kernel);
  int64_t bytes = 0;
  tile::AllocOp largestTile;
  tile::PipelineOp largest;
  int64_t largestTileBytes = 0, largestBytes = 0;

  for (auto alloc : kernel.getBody().getOps<tile::AllocOp>()) {
    bytes = llvm::alignTo(bytes, alignmentOf(alloc.getResult()));
    alloc.setOffset(bytes);
    auto copies = copiesOf(alloc);
    if (failed(copies))
      return failure();
    int64_t tileBytes =
        *copies * llvm::alignTo(alloc.getResult().getType().sizeBytes(),
                                alignmentOf(alloc.getResult()));
    bytes += tileBytes;
    if (tileBytes > largestTileBytes) {
      largestTile = alloc;
      largestTileBytes = tileBytes;
    }
  }
  for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>()) {
    tile::PipelineType type = pipeline.getResult().getType();
    StagePlan plan(pipeline);
    bytes = llvm::alignTo(bytes, plan.alignment);
    pipeline.setOffset(bytes);
    pipeline.setStageBytes(plan.bytes);
    pipeline.setTileOffsets(plan.tileOffsets);
    bytes += type.getStages() * plan.bytes;
    if (type.getStages() * plan.bytes > largestBytes) {
      largest = pipeline;
      largestBytes = type.getStages() * plan.bytes;
    }
  }
  bytes = llvm::alignTo(bytes, target::mbarrierBytes);
  for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>()) {
    pipeline.setBarrierOffset(bytes);
    bytes +=
        2 * pipeline.getResult().getType().getStages() * target::mbarrierBytes;
  }
  bytes = planExchanges(kernel, bytes);
  kernel.setSharedBytes(bytes);
  if (bytes <= target::sharedBytes)
    return success();

  int64_t over = bytes - target::sharedBytes;
  auto refuse = [&](Operation *at) -> InFlightDiagnostic {
    return at->emitError("kernel '")
           << kernel.getSymName() << "' needs " << bytes
           << " bytes of shared memory, " << over << " over the limit of "
           << target::sharedBytes << ": ";
  };
  if (largest) {
    int64_t stages = largest.getResult().getType().getStages();
    int64_t perStage = *largest.getStageBytes() + 2 * target::mbarrierBytes;
    int64_t fitting = stages - llvm::divideCeil(uint64_t(over), perStage);
    if (fitting >= 1)
      return refuse(largest)
             << "of this pipeline's stages of " << perStage << " bytes, "
             << fitting << " would fit instead of " << stages;
    if (largestBytes >= largestTileBytes)
      return refuse(largest)
             << "not even one of this pipeline's stages of " << perStage
             << " bytes would fit; use smaller tiles";
  }
  return refuse(largestTile) << "this tile takes " << largestTileBytes
                             << " of them; use smaller shared tiles";
}

/// Warpgroup roles come first, each on a warpgroup boundary, as wgmma and
/// setmaxnreg need; then the other roles, those of one register budget
/// together.
LogicalResult planWarps(tile::KernelOp kernel) {
  SmallVector<tile::RoleOp> roles(kernel.getBody().getOps<tile::RoleOp>());
  if (roles.empty())
    return kernel.emitError("kernel '")
           << kernel.getSymName()
           << "' has no role, so nothing would run: add one";
  bool budgets = llvm::any_of(roles, [](auto r) { return r.getRegisters(); });
  for (auto role : roles)
    if (budgets && !role.getRegisters())
      return role.emitError("role '")
             << role.getName()
             << "' has no register budget while another role has one: give "
                "registers(n) to all of them or to none";

  int64_t warp = 0;
  for (auto role : roles)
    if (role.getWarps() % warpgroupWarps == 0) {
      role.setFirstWarp(warp);
      warp += role.getWarps() * role.getInstances();
    }
  std::map<int64_t, SmallVector<tile::RoleOp>> byBudget;
  for (auto role : roles)
    if (role.getWarps() % warpgroupWarps)
      byBudget[role.getRegisters()].push_back(role);
  for (auto &[budget, group] : byBudget) {
    if (budgets)
      warp = llvm::alignTo(warp, warpgroupWarps);
    for (tile::RoleOp role : group) {
      role.setFirstWarp(warp);
      warp += role.getWarps() * role.getInstances();
    }
  }
  if (budgets)
    warp = llvm::alignTo(warp, warpgroupWarps);
  if (warp > target::mostWarps)
    return kernel.emitError("kernel '")
           << kernel.getSymName() << "' has " << warp
           << " warps with all its roles; a CTA has at most "
           << target::mostWarps << ": give a role fewer";
  kernel.setThreads(warp * target::warpThreads);
  if (!budgets)
    return success();

  int64_t threads = warp * target::warpThreads;
  int64_t entry = target::entryRegisters(threads);
  SmallVector<int64_t> budgetOfGroup(warp / warpgroupWarps, 0);
  for (auto role : roles)
    for (int64_t w = 0; w < int64_t(role.getWarps() * role.getInstances()); ++w)
      budgetOfGroup[(*role.getFirstWarp() + w) / warpgroupWarps] =
          role.getRegisters();
  int64_t total = 0;
  for (int64_t budget : budgetOfGroup)
    total += budget * target::warpgroupThreads;
  if (total <= entry * threads)
    return success();
  InFlightDiagnostic error =
      kernel.emitError("the register budgets of kernel '")
      << kernel.getSymName() << "' add up to " << total << ", "
      << total - entry * threads << " over the " << entry * threads
      << " that its " << threads << " threads start with (" << entry
      << " each):";
  for (auto role : roles)
    error << " '" << role.getName() << "' asks for " << role.getRegisters()
          << " in each of "
          << llvm::alignTo(role.getWarps() * role.getInstances(),
                           warpgroupWarps) *
                 target::warpThreads
          << " threads;";
  return error << " lower one of them";
}

struct TilePlanMemory : impl::TilePlanMemoryBase<TilePlanMemory> {
  void runOnOperation() override {
    if (failed(demandLayouts(getOperation())) ||
        failed(planShared(getOperation())) || failed(planWarps(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
