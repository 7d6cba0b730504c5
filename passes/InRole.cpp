#include "passes/InRole.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ashlar {

using namespace mlir;

Location named(Operation *op, StringRef name) {
  return NameLoc::get(StringAttr::get(op->getContext(), name), op->getLoc());
}

Value instance(Arithmetic a, tile::RoleOp role) {
  if (role.getInstances() == 1)
    return a.constant(0);
  return hopper::SpecialRegisterOp::create(a.builder, a.loc, "instance");
}

Value ofInstance(Arithmetic a, tile::RoleOp role, int64_t offset,
                 int64_t bytes) {
  Value own = a.mul(instance(a, role), bytes);
  return a.add(hopper::SharedAddressOp::create(a.builder, a.loc, offset), own);
}

Value barrierOfStage(Arithmetic a, int64_t offset, Value stage) {
  Value base = hopper::SharedAddressOp::create(a.builder, a.loc, offset);
  return a.add(base, a.mul(stage, target::mbarrierBytes));
}

/// Whether nobody is waited for in it.
static bool goesOn(Operation &op) {
  auto waits = [](Operation *each) {
    const bool known =
        isPure(each) ||
        isa<tile::ClusterReduceOp, tile::WriteOp, tile::ReadOp, tile::LoadOp,
            tile::StoreOp, tile::GatherOp, tile::ScatterOp, tile::ReduceIntoOp,
            tile::ReleaseOp, scf::IfOp>(each);
    return known ? WalkResult::advance() : WalkResult::interrupt();
  };
  return !op.walk(waits).wasInterrupted();
}

Block::iterator neededAt(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : op->getUsers())
    users.insert(op->getBlock()->findAncestorOpInBlock(*user));
  // The body of a role has no terminator.
  return std::find_if(
      std::next(op->getIterator()), op->getBlock()->end(), [&](Operation &at) {
        return users.contains(&at) || at.hasTrait<OpTrait::IsTerminator>() ||
               !goesOn(at);
      });
}

namespace {

template <typename Op>
void inRegion(OpBuilder &builder, Location loc,
              llvm::function_ref<void()> body) {
  auto op = Op::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  body();
}

} // namespace

void byOneThread(OpBuilder &builder, Location loc,
                 llvm::function_ref<void()> body) {
  inRegion<hopper::OnceOp>(builder, loc, body);
}

void byOneThreadPerWarp(OpBuilder &builder, Location loc,
                        llvm::function_ref<void()> body) {
  inRegion<hopper::OncePerWarpOp>(builder, loc, body);
}

void byLanesOfEachWarp(OpBuilder &builder, Location loc, int64_t count,
                       llvm::function_ref<void(Value lane)> body) {
  Value lane = hopper::SpecialRegisterOp::create(builder, loc, "laneid");
  auto op = hopper::OncePerWarpOp::create(builder, loc, count);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  body(lane);
}

bool onlyLoadsOnce(Operation *op) {
  bool loads = false;
  auto isOfLoads = [&](Operation *inner) {
    const bool isByOne = isa<hopper::TmaLoadOp, hopper::MbarrierExpectOp,
                             hopper::MbarrierArriveOp>(inner) &&
                         inner->getParentOfType<hopper::OnceOp>();
    loads |= isByOne && isa<hopper::TmaLoadOp>(inner);
    return isByOne || isMemoryEffectFree(inner) ||
                   isa<hopper::OnceOp, scf::IfOp, scf::ForOp>(inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  };
  return !op->walk(isOfLoads).wasInterrupted() && loads;
}

} // namespace ashlar
