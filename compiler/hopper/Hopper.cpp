#include "compiler/hopper/Hopper.h"

#include "compiler/layout/Reduction.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "compiler/hopper/HopperDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/hopper/HopperTypes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/hopper/HopperOps.cpp.inc"

namespace ashlar::hopper {

void HopperDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/hopper/HopperOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/hopper/HopperTypes.cpp.inc"
      >();
}

bool OnceOp::isAwait() {
  return !getOps<AwaitOp>().empty() &&
         llvm::all_of(getOps(), [](Operation &inner) {
           return isa<AwaitOp>(inner) ||
                  (!inner.getNumRegions() && isMemoryEffectFree(&inner));
         });
}

bool NamedBarrierOp::isOfRole() {
  auto role = (*this)->getParentOfType<RoleOp>();
  return role && !getArrive() &&
         getThreads() == target::warpThreads * role.getWarps();
}

int64_t exchangedBytes(tile::ClusterReduceOp op) {
  const layout::FragmentLayout &layout =
      tile::fragmentOf(op.getResult().getType()).getLayout();
  // More than the elements where several values of a thread are one.
  return layout::holders(layout).cosize() * layout.value.size() *
         tile::elementBytes(
             cast<RankedTensorType>(op.getResult().getType()).getElementType());
}

int64_t exchangeSlotBytes(tile::ClusterReduceOp op) {
  return llvm::alignTo(exchangedBytes(op), exchangeAlignment);
}

int64_t exchangeSlots(tile::ClusterReduceOp op) {
  // What all CTAs combine in one order has a slot for their own.
  return op.isWhole() ? op.parts() : op.parts() - 1;
}

int64_t exchangeBytes(tile::ClusterReduceOp op) {
  return exchangeSlots(op) * exchangeSlotBytes(op);
}

LogicalResult KernelOp::verify() {
  if (getSharedBytes() > uint64_t(target::sharedBytes))
    return emitOpError("has ")
           << int64_t(getSharedBytes()) << " bytes of shared memory; a CTA has "
           << target::sharedBytes;
  int64_t threads = getThreads(), cluster = getClusterSize();
  if (threads % target::warpThreads || threads < target::warpThreads ||
      threads > target::mostThreads)
    return emitOpError("has ") << threads << " threads; a CTA has whole warps, "
                               << target::warpThreads << " to "
                               << target::mostThreads << " threads";
  if (cluster < 1 || cluster > target::portableCluster)
    return emitOpError("has clusters of ")
           << cluster << " CTAs; the portable limit is "
           << target::portableCluster;
  if (!target::fitOneSm(getCtasPerSm(), threads))
    return emitOpError("has ")
           << int64_t(getCtasPerSm()) << " CTAs of " << threads
           << " threads to a multiprocessor, which has room for "
           << target::mostCtas << " CTAs and " << target::smThreads
           << " threads";
  auto roles = getBody().getOps<RoleOp>();
  for (RoleOp role : roles)
    if (role != *roles.begin() && !isa<RoleOp>(role->getPrevNode()))
      return role.emitOpError("stands behind something that is no role; the "
                              "roles of a kernel start together: move them to "
                              "one another");
  auto meetings = [](RoleOp role) {
    return llvm::range_size(role.getBody().getOps<SyncOp>());
  };
  for (RoleOp role : roles)
    if (meetings(role) != meetings(*roles.begin()))
      return role.emitOpError("meets the others ")
             << meetings(role) << " times (hopper.sync) and role '"
             << (*roles.begin()).getName() << "' " << meetings(*roles.begin())
             << " times; a barrier of all threads is met by every role";
  // Each thread does both halves of a cluster's barrier, or neither.
  auto waits = [](Block &block) -> int64_t {
    return llvm::count_if(block.getOps<SyncOp>(),
                          [](SyncOp sync) { return sync.getArrived(); });
  };
  Block &body = getBody().front();
  const int64_t left =
      int64_t(llvm::range_size(body.getOps<ClusterArriveOp>())) - waits(body);
  for (RoleOp role : roles)
    if (waits(role.getBody().front()) != left)
      return role.emitOpError("waits ")
             << waits(role.getBody().front())
             << " times for a cluster (hopper.sync cluster arrived) that each "
                "of its threads arrives at "
             << left
             << " times (hopper.cluster.arrive); let it wait for each arrival";
  return success();
}

LogicalResult RoleOp::verify() {
  int64_t threads = getOperation()->getParentOfType<KernelOp>().getThreads();
  auto most = threads / target::warpThreads;
  if (getFirstWarp() > uint64_t(most) || getWarps() < 1 || getInstances() < 1 ||
      getWarps() > uint64_t(most) || getInstances() > uint64_t(most) ||
      getFirstWarp() + getWarps() * getInstances() > uint64_t(most))
    return emitOpError("'")
           << getName() << "' is " << int64_t(getInstances()) << " times "
           << int64_t(getWarps()) << " warps from " << int64_t(getFirstWarp())
           << " on; its kernel has " << most;
  return success();
}

LogicalResult RoleOp::verifyRegions() {
  return tile::checkFragments(*this, target::warpThreads * getWarps());
}

LogicalResult TensorMapOp::verify() {
  if (getBox().empty() || getBox().size() > target::tmaDimensions)
    return emitOpError("has a box of ")
           << getBox().size() << " dimensions; TMA has 1 to "
           << target::tmaDimensions;
  for (int64_t extent : getBox())
    if (extent < 1 || extent > target::tmaBoxExtent)
      return emitOpError("has a box extent of ")
             << extent << "; TMA moves 1 to " << target::tmaBoxExtent
             << " elements per dimension";
  if (auto steps = getStep()) {
    if (steps->size() != getBox().size())
      return emitOpError("has ") << steps->size() << " steps, and a box of "
                                 << getBox().size() << " dimensions";
    if (steps->back() != 1)
      return emitOpError("has a step of ")
             << steps->back() << " in the last dimension; TMA has 1 there";
    for (auto [step, extent] : llvm::zip(*steps, getBox()))
      if (step < 1 || step > target::tmaMostStep ||
          step * extent > target::tmaBoxExtent)
        return emitOpError("has steps of ")
               << step << " in a box of " << extent << "; TMA has 1 to "
               << target::tmaMostStep << ", over " << target::tmaBoxExtent
               << " elements";
  }
  if (!target::isSwizzleBytes(getSwizzle()))
    return emitOpError("swizzles ")
           << getSwizzle() << " bytes; TMA has 0, 32, 64 and 128";
  return success();
}

LogicalResult SpecialRegisterOp::verify() {
  if (!llvm::is_contained<StringRef>({"ctaid.x", "nctaid.x", "tid.x",
                                      "cluster_ctarank", "instance", "warp",
                                      "laneid"},
                                     getName()))
    return emitOpError("reads unknown register '") << getName() << "'";
  return success();
}

LogicalResult SyncOp::verify() {
  if (getArrived() && !getCluster())
    return emitOpError("is arrived at before; only a cluster's has two halves");
  return success();
}

LogicalResult NamedBarrierOp::verify() {
  if (getId() < 1 || getId() >= target::namedBarriers)
    return emitOpError("uses barrier ")
           << getId() << "; named barriers are 1 to "
           << target::namedBarriers - 1 << ", 0 is the CTA's own";
  if (getThreads() % target::warpThreads || getThreads() < 1 ||
      getThreads() > uint64_t(target::mostThreads))
    return emitOpError("counts ")
           << getThreads() << " threads; a barrier counts whole warps";
  return success();
}

LogicalResult TurnOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role) // not yet
    return success();
  if (role.getWarps() % target::warpgroupWarps || role.getInstances() > 1)
    return emitOpError("is of a role of warpgroups that has one instance");
  const int64_t last =
      int64_t(getId()) + int64_t(role.getWarps()) / target::warpgroupWarps - 1;
  if (getId() < 1 || last >= target::namedBarriers)
    return emitOpError("uses barriers ")
           << getId() << " to " << last << "; named barriers are 1 to "
           << target::namedBarriers - 1;
  return success();
}

LogicalResult ViewOp::verify() {
  if (!getResult().getType().getLayout())
    return emitOpError("views a tile that has no layout");
  return success();
}

LogicalResult MbarrierInitOp::verify() {
  if (getCount() < 1 || getCount() > target::mbarrierMost)
    return emitOpError("counts ")
           << getCount() << " arrivals; a barrier takes 1 to 2^20 - 1";
  return success();
}

LogicalResult MbarrierWaitOp::verify() {
  const size_t numbers = getHolds() ? getHolds()->size() : 0;
  if (numbers != (getRings() ? getRings()->size() : 0))
    return emitOpError("holds ") << numbers << " numbers of stages of "
                                 << (getRings() ? getRings()->size() : 0)
                                 << " rings; each ring has one";
  return success();
}

int64_t MbarrierWaitOp::holdsOf(int64_t ring) {
  for (auto [number, of] : llvm::zip(getHolds().value_or(ArrayRef<int64_t>()),
                                     getRings().value_or(ArrayRef<int64_t>())))
    if (of == ring)
      return number;
  return 0;
}

LogicalResult CopyToPeerOp::verify() {
  // PTX ISA, "cp.async.bulk".
  if (getBytes() >= 1 && getBytes() % target::tmaAlignment == 0)
    return success();
  return emitOpError("copies ")
         << int64_t(getBytes()) << " bytes; the copy engine moves whole "
         << target::tmaAlignment;
}

LogicalResult MbarrierExpectOp::verify() {
  if (getBytes() < 1 || getBytes() > target::mbarrierMost)
    return emitOpError("expects ")
           << getBytes() << " bytes; a barrier takes 1 to 2^20 - 1";
  return success();
}

} // namespace ashlar::hopper
