// tile-plan-memory: every buffer and barrier has its offset in shared memory,
// every role its warps; both budgets hold, or the refusal says by how much.

#include "compiler/hopper/Hopper.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "compiler/tile/Stages.h"
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
    for (Value taken : taker->getResults())
      for (Value stage : tile::valuesOfStage(taken))
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

/// A tile outside the pipelines with its copies, or a ring.
struct Block {
  int64_t alignment, bytes, begin = 0;
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
           << "' is run by several groups of warps, each with its own: pass "
              "data between them through a pipeline";
  }
  return 1;
}

/// What a plan is made of.
struct Plan {
  int64_t threads = 0, sharedBytes = 0;
  SmallVector<int64_t> tiles;
  SmallVector<tile::RingPlanAttr> rings;
  SmallVector<tile::ClusterPlanAttr> clusterReductions;
  SmallVector<int64_t> firstWarps;
  SmallVector<std::optional<int64_t>> orderBarriers;

  int64_t take(int64_t alignment, int64_t bytes) {
    int64_t begin = llvm::alignTo(sharedBytes, alignment);
    sharedBytes = begin + bytes;
    return begin;
  }
  int64_t takeBarriers(int64_t count) {
    return take(target::mbarrierBytes, count * target::mbarrierBytes);
  }
  /// Those of the largest alignment first, whose sizes are multiples of it, so
  /// that nothing is left between them.
  void place(MutableArrayRef<Block> blocks) {
    SmallVector<Block *> ordered =
        llvm::to_vector(llvm::make_pointer_range(blocks));
    llvm::stable_sort(ordered, [](const Block *a, const Block *b) {
      return a->alignment > b->alignment;
    });
    for (Block *block : ordered)
      block->begin = take(block->alignment, block->bytes);
  }
};

/// What the CTAs of a cluster send one another for a cluster_reduce, and the
/// barriers at which they meet, or by which the instances of a role keep their
/// order.
void planExchanges(tile::KernelOp kernel, Plan &plan) {
  SmallVector<tile::ClusterReduceOp> reductions =
      tile::clusterReductionsOf(kernel);
  auto instancesOf = [](tile::ClusterReduceOp op) {
    return int64_t(tile::roleOf(op).getInstances());
  };
  SmallVector<int64_t> slots;
  for (tile::ClusterReduceOp op : reductions)
    slots.push_back(plan.take(hopper::exchangeAlignment,
                              hopper::exchangeBytes(op) * instancesOf(op)));
  for (auto [op, at] : llvm::zip(reductions, slots))
    plan.clusterReductions.push_back(tile::ClusterPlanAttr::get(
        kernel.getContext(), at, plan.takeBarriers(2 * instancesOf(op))));
  // Two by turns: who is ahead by one meeting arrives at the other.
  for (auto role : kernel.getBody().getOps<tile::RoleOp>()) {
    std::optional<int64_t> barriers;
    role.walk([&](tile::ClusterSyncOp sync) {
      if (!barriers)
        barriers = plan.takeBarriers(2 * role.getInstances());
      sync.setBarriers(barriers);
    });
  }
  for (auto role : kernel.getBody().getOps<tile::RoleOp>())
    if (role.getInstances() == 1)
      plan.orderBarriers.push_back(std::nullopt);
    else
      plan.orderBarriers.push_back(plan.takeBarriers(role.getInstances()));
}

LogicalResult planShared(tile::KernelOp kernel, Plan &plan) {
  tile::AllocOp largestTile;
  tile::PipelineOp largest;
  int64_t largestTileBytes = 0, largestBytes = 0, largestStage = 0;

  SmallVector<Block> blocks;
  for (auto alloc : kernel.getBody().getOps<tile::AllocOp>()) {
    int64_t alignment = alignmentOf(alloc.getResult());
    auto copies = copiesOf(alloc);
    if (failed(copies))
      return failure();
    int64_t tileBytes =
        *copies *
        llvm::alignTo(alloc.getResult().getType().sizeBytes(), alignment);
    blocks.push_back({alignment, tileBytes});
    if (tileBytes > largestTileBytes) {
      largestTile = alloc;
      largestTileBytes = tileBytes;
    }
  }
  SmallVector<tile::PipelineOp> rings(
      kernel.getBody().getOps<tile::PipelineOp>());
  const size_t tileCount = blocks.size();
  SmallVector<StagePlan> stages;
  for (tile::PipelineOp pipeline : rings) {
    const StagePlan &stage = stages.emplace_back(pipeline);
    int64_t ringBytes =
        pipeline.getResult().getType().getStages() * stage.bytes;
    blocks.push_back({stage.alignment, ringBytes});
    if (ringBytes > largestBytes) {
      largest = pipeline;
      largestBytes = ringBytes;
      largestStage = stage.bytes;
    }
  }
  plan.place(blocks);
  for (const Block &tile : ArrayRef(blocks).take_front(tileCount))
    plan.tiles.push_back(tile.begin);
  for (auto [pipeline, stage, block] :
       llvm::zip(rings, stages, ArrayRef(blocks).drop_front(tileCount)))
    plan.rings.push_back(tile::RingPlanAttr::get(
        kernel.getContext(), block.begin, stage.bytes, stage.tileOffsets,
        plan.takeBarriers(2 * pipeline.getResult().getType().getStages())));
  planExchanges(kernel, plan);
  const int64_t bytes = plan.sharedBytes, ctas = kernel.getCtasPerSm();
  const int64_t limit = target::sharedBytesOfEach(ctas);
  if (bytes <= limit)
    return success();

  int64_t over = bytes - limit;
  auto refuse = [&](Operation *at) -> InFlightDiagnostic {
    InFlightDiagnostic error = at->emitError("kernel '");
    error << kernel.getSymName() << "' needs " << bytes
          << " bytes of shared memory, " << over << " over the limit of "
          << limit;
    if (ctas > 1)
      error << " of each of " << ctas << " CTAs per SM";
    error << ": ";
    return error;
  };
  if (largest) {
    int64_t stages = largest.getResult().getType().getStages();
    int64_t perStage = largestStage + 2 * target::mbarrierBytes;
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
LogicalResult planWarps(tile::KernelOp kernel, Plan &plan) {
  SmallVector<tile::RoleOp> roles(kernel.getBody().getOps<tile::RoleOp>());
  bool budgets = llvm::any_of(roles, [](auto r) { return r.getRegisters(); });
  for (auto role : roles)
    if (budgets && !role.getRegisters())
      return role.emitError("role '")
             << role.getName()
             << "' has no register budget while another role has one: give "
                "registers(n) to all of them or to none";

  int64_t warp = 0;
  llvm::DenseMap<Operation *, int64_t> firstWarps;
  for (auto role : roles)
    if (role.getWarps() % warpgroupWarps == 0) {
      firstWarps[role] = warp;
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
      firstWarps[role] = warp;
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
  plan.threads = warp * target::warpThreads;
  const int64_t ctas = kernel.getCtasPerSm();
  if (!target::fitOneSm(ctas, plan.threads))
    return kernel.emitError("kernel '")
           << kernel.getSymName() << "' has " << plan.threads
           << " threads with all its roles, and an SM has room for "
           << target::smThreads << ", not for " << ctas << " such CTAs: use "
           << "ctas_per_sm(" << target::smThreads / plan.threads << ")";
  for (auto role : roles)
    plan.firstWarps.push_back(firstWarps[role]);
  if (!budgets)
    return success();

  int64_t threads = warp * target::warpThreads;
  int64_t entry = target::entryRegisters(threads, ctas);
  SmallVector<int64_t> budgetOfGroup(warp / warpgroupWarps, 0);
  for (auto role : roles)
    for (int64_t w = 0; w < int64_t(role.getWarps() * role.getInstances()); ++w)
      budgetOfGroup[(firstWarps[role] + w) / warpgroupWarps] =
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

tile::PlanAttr attributeOf(const Plan &plan, MLIRContext *context) {
  SmallVector<tile::RolePlanAttr> roles;
  for (auto [warp, barriers] : llvm::zip(plan.firstWarps, plan.orderBarriers))
    roles.push_back(tile::RolePlanAttr::get(context, warp, barriers));
  return tile::PlanAttr::get(context, plan.threads, plan.sharedBytes,
                             plan.tiles, plan.rings, roles,
                             plan.clusterReductions);
}

LogicalResult demandRole(tile::KernelOp kernel) {
  if (!kernel.getBody().getOps<tile::RoleOp>().empty())
    return success();
  return kernel.emitError("kernel '")
         << kernel.getSymName()
         << "' has no role, so nothing would run: add one";
}

struct TilePlanMemory : impl::TilePlanMemoryBase<TilePlanMemory> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    Plan plan;
    if (failed(demandRole(kernel)) || failed(demandLayouts(kernel)) ||
        failed(planShared(kernel, plan)) || failed(planWarps(kernel, plan)))
      return signalPassFailure();
    kernel.setPlanAttr(attributeOf(plan, &getContext()));
  }
};

} // namespace
} // namespace ashlar
