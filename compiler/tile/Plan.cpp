#include "compiler/tile/Plan.h"

#include "compiler/target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ashlar::tile {

namespace {

template <typename Op> size_t numberOf(Op op) {
  auto all =
      op->template getParentOfType<KernelOp>().getBody().template getOps<Op>();
  return std::distance(all.begin(), llvm::find(all, op));
}

PlanAttr planAround(Operation *op) {
  return *op->getParentOfType<KernelOp>().getPlan();
}

/// How many instances of a role use a tile, each with its own.
int64_t instancesOf(AllocOp alloc) {
  int64_t most = 1;
  for (Operation *user : alloc.getResult().getUsers())
    if (RoleOp role = roleOf(user))
      most = std::max(most, int64_t(role.getInstances()));
  return most;
}

/// Whether a plan has an entry for each operation of its kernel, in memory and
/// warps that nobody else has.
class PlanCheck {
public:
  explicit PlanCheck(KernelOp kernel)
      : kernel(kernel), plan(*kernel.getPlan()) {}

  LogicalResult run() {
    int64_t threads = plan.getThreads(), bytes = plan.getSharedBytes();
    if (threads < target::warpThreads || threads > target::mostThreads ||
        threads % target::warpThreads)
      return refuse(kernel) << threads << " threads; a CTA has whole warps, "
                            << target::warpThreads << " to "
                            << target::mostThreads << " threads";
    if (bytes < 0 || bytes > target::sharedBytes)
      return refuse(kernel) << bytes << " bytes of shared memory; a CTA has "
                            << target::sharedBytes;
    if (failed(checkRoles()) || failed(checkTiles()) || failed(checkRings()) ||
        failed(checkClusterReductions()))
      return failure();
    llvm::sort(taken);
    for (size_t i = 1; i < taken.size(); ++i)
      if (taken[i].begin < taken[i - 1].end)
        return refuse(kernel)
               << "byte " << taken[i].begin << " of shared memory twice";
    return success();
  }

private:
  struct Range {
    int64_t begin, end;
    bool operator<(const Range &other) const { return begin < other.begin; }
  };

  static InFlightDiagnostic refuse(Operation *op) {
    return op->emitOpError("has a plan that gives ");
  }

  LogicalResult checkCount(StringRef what, size_t planned, size_t count) {
    if (planned == count)
      return success();
    return refuse(kernel) << "places to " << planned << " " << what
                          << "; the kernel has " << count;
  }

  /// `count` times `bytes`, one behind another.
  LogicalResult take(Operation *op, int64_t begin, int64_t count, int64_t bytes,
                     int64_t alignment) {
    if (begin < 0 || bytes < 0 || begin > plan.getSharedBytes() ||
        (bytes && count > (plan.getSharedBytes() - begin) / bytes))
      return refuse(op) << "it bytes from " << begin << " on, beyond the "
                        << plan.getSharedBytes() << " of the kernel";
    if (begin % alignment)
      return refuse(op) << "it byte " << begin << ", no multiple of "
                        << alignment;
    if (bytes)
      taken.push_back({begin, begin + count * bytes});
    return success();
  }

  LogicalResult takeBarriers(Operation *op, int64_t begin, int64_t count) {
    return take(op, begin, count, target::mbarrierBytes, target::mbarrierBytes);
  }

  LogicalResult checkRoles() {
    SmallVector<RoleOp> roles(kernel.getBody().getOps<RoleOp>());
    if (failed(checkCount("roles", plan.getRoles().size(), roles.size())))
      return failure();
    const int64_t warps = plan.getThreads() / target::warpThreads;
    SmallVector<bool> isTaken(warps, false);
    for (auto [role, entry] : llvm::zip(roles, plan.getRoles())) {
      int64_t first = entry.getFirstWarp(),
              own = role.getWarps() * role.getInstances();
      if (first < 0 || own > warps || first > warps - own)
        return refuse(role) << "it " << own << " warps from " << first
                            << " on; the kernel has " << warps;
      for (int64_t warp = first; warp < first + own; ++warp) {
        if (isTaken[warp])
          return refuse(role) << "it warp " << warp << ", another role's";
        isTaken[warp] = true;
      }
      const int64_t instances = role.getInstances();
      if (entry.getOrderBarriers().has_value() != (instances > 1))
        return refuse(role) << (instances > 1 ? "it no" : "it")
                            << " mbarriers to keep an order by; it has "
                            << instances << " instances";
      if (entry.getOrderBarriers() &&
          failed(takeBarriers(role, *entry.getOrderBarriers(), instances)))
        return failure();
    }
    return success();
  }

  LogicalResult checkTiles() {
    SmallVector<AllocOp> allocs(kernel.getBody().getOps<AllocOp>());
    if (failed(checkCount("tiles", plan.getTiles().size(), allocs.size())))
      return failure();
    for (auto [alloc, offset] : llvm::zip(allocs, plan.getTiles()))
      if (failed(take(alloc, offset, instancesOf(alloc),
                      alloc.getResult().getType().sizeBytes(),
                      /*alignment=*/1)))
        return failure();
    return success();
  }

  LogicalResult checkRings() {
    SmallVector<PipelineOp> rings(kernel.getBody().getOps<PipelineOp>());
    if (failed(checkCount("rings", plan.getRings().size(), rings.size())))
      return failure();
    for (auto [ring, entry] : llvm::zip(rings, plan.getRings())) {
      PipelineType type = ring.getResult().getType();
      if (entry.getTileOffsets().size() != type.getTiles().size())
        return refuse(ring)
               << "places to " << entry.getTileOffsets().size()
               << " tiles of a stage that has " << type.getTiles().size();
      int64_t end = 0;
      for (auto [tile, offset] :
           llvm::zip(type.getTiles(), entry.getTileOffsets())) {
        int64_t bytes = cast<SharedType>(tile).sizeBytes();
        if (offset < end || bytes > entry.getStageBytes() - offset)
          return refuse(ring)
                 << "a tile of " << bytes << " bytes from " << offset
                 << " on in a stage of " << entry.getStageBytes();
        end = offset + bytes;
      }
      if (failed(take(ring, entry.getOffset(), type.getStages(),
                      entry.getStageBytes(), /*alignment=*/1)) ||
          failed(takeBarriers(ring, entry.getBarriers(), 2 * type.getStages())))
        return failure();
    }
    return success();
  }

  LogicalResult checkClusterReductions() {
    SmallVector<ClusterReduceOp> reductions = clusterReductionsOf(kernel);
    ArrayRef<ClusterPlanAttr> entries = plan.getClusterReductions();
    if (failed(checkCount("cluster reductions", entries.size(),
                          reductions.size())))
      return failure();
    for (auto [reduction, entry] : llvm::zip(reductions, entries))
      if (failed(
              take(reduction, entry.getSlots(), 1, 1, target::tmaAlignment)) ||
          failed(takeBarriers(reduction, entry.getBarriers(),
                              2 * roleOf(reduction).getInstances())))
        return failure();
    return success();
  }

  KernelOp kernel;
  PlanAttr plan;
  SmallVector<Range> taken;
};

} // namespace

int64_t offsetOf(AllocOp alloc) {
  return planAround(alloc).getTiles()[numberOf(alloc)];
}

RingPlanAttr planOf(PipelineOp pipeline) {
  return planAround(pipeline).getRings()[numberOf(pipeline)];
}

RolePlanAttr planOf(RoleOp role) {
  return planAround(role).getRoles()[numberOf(role)];
}

ClusterPlanAttr planOf(ClusterReduceOp op) {
  SmallVector<ClusterReduceOp> all =
      clusterReductionsOf(op->getParentOfType<KernelOp>());
  return planAround(op)
      .getClusterReductions()[std::distance(all.begin(), llvm::find(all, op))];
}

SmallVector<ClusterReduceOp> clusterReductionsOf(KernelOp kernel) {
  SmallVector<ClusterReduceOp> all;
  kernel.walk([&](ClusterReduceOp op) { all.push_back(op); });
  return all;
}

LogicalResult KernelOp::verifyRegions() {
  return getPlan() ? PlanCheck(*this).run() : success();
}

} // namespace ashlar::tile
