// Roles are branches on the warp's number.

#include "compiler/target/Target.h"
#include "passes/hopper_to_thread/ThreadLowering.h"

namespace ashlar {

using namespace mlir;

namespace {

int64_t endWarp(hopper::RoleOp role) {
  return role.getFirstWarp() + role.getWarps() * role.getInstances();
}

SmallVector<RoleGroup> groupRoles(hopper::KernelOp kernel) {
  SmallVector<RoleGroup> groups;
  SmallVector<hopper::RoleOp> roles(kernel.getBody().getOps<hopper::RoleOp>());
  llvm::stable_sort(roles, [](hopper::RoleOp a, hopper::RoleOp b) {
    return a.getFirstWarp() < b.getFirstWarp();
  });
  for (hopper::RoleOp role : roles) {
    int64_t first = role.getFirstWarp(), end = endWarp(role);
    // A whole warpgroup sets its registers, warps without a role included.
    if (role.getRegisters())
      end = llvm::alignTo(end, 4);
    if (!groups.empty() && first % 4 != 0) {
      groups.back().roles.push_back(role);
      groups.back().endWarp = end;
    } else {
      groups.push_back({first, end, int64_t(role.getRegisters()), {role}});
    }
  }
  return groups;
}

} // namespace

OpBuilder::InsertPoint ThreadLowering::enterIf(Value condition) {
  auto branch = scf::IfOp::create(b, b.loc, condition, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  return {branch.elseBlock(), branch.elseBlock()->begin()};
}

LogicalResult ThreadLowering::lowerRoles() {
  SmallVector<RoleGroup> groups = groupRoles(kernel);
  OpBuilder::InsertionGuard guard(b);
  b.loc = groups.back().roles.front().getLoc();
  OpBuilder::InsertPoint withoutRole;
  // Warps of the last group's warpgroup are part of it when they must set its
  // registers.
  if (!groups.back().registers &&
      groups.back().endWarp * 32 < int64_t(kernel.getThreads()))
    withoutRole = enterIf(b.lessThan(warp(), b.i32(groups.back().endWarp)));
  // The last warps, which mostly load, come first: next to the code before the
  // roles, so that the first load does not wait for instructions.
  for (RoleGroup &group : llvm::reverse(groups)) {
    b.loc = group.roles.front().getLoc();
    OpBuilder::InsertPoint others;
    if (group.firstWarp > groups.front().firstWarp)
      others = enterIf(b.lessThan(b.i32(group.firstWarp - 1), warp()));
    if (failed(lowerGroup(group)))
      return failure();
    if (others.isSet())
      b.restoreInsertionPoint(others);
  }
  if (withoutRole.isSet()) {
    b.restoreInsertionPoint(withoutRole);
    lowerWithoutRole();
  }
  return success();
}

LogicalResult ThreadLowering::lowerGroup(const RoleGroup &group) {
  hopper::RoleOp front = group.roles.front();
  const bool isOneRole =
      group.roles.size() == 1 &&
      (front.getWarps() * front.getInstances() % 4 == 0 || !group.registers);
  // Nobody waits for this role until others have given up their registers.
  Block &body = front.getBody().front();
  auto first = llvm::find_if_not(body, [](Operation &op) {
    return op.hasTrait<OpTrait::ConstantLike>() ||
           isa<hopper::AccumulatorOp>(op);
  });
  if (isOneRole && first != body.end())
    if (auto sync = dyn_cast<hopper::SyncOp>(*first)) {
      lowerSync(sync);
      covered.insert(sync);
    }
  int64_t entry = target::entryRegisters(kernel.getThreads());
  if (group.registers && group.registers != entry)
    b.ptx(("setmaxnreg." +
           std::string(group.registers > entry ? "inc" : "dec") +
           ".sync.aligned.u32 " + std::to_string(group.registers) + ";"));
  if (isOneRole)
    return lowerRole(front);
  for (hopper::RoleOp op : group.roles) {
    b.loc = op.getLoc();
    Value inside = b.both(b.lessThan(b.i32(op.getFirstWarp() - 1), warp()),
                          b.lessThan(warp(), b.i32(endWarp(op))));
    OpBuilder::InsertPoint others = enterIf(inside);
    if (failed(lowerRole(op)))
      return failure();
    b.restoreInsertionPoint(others);
  }
  lowerWithoutRole();
  return success();
}

void ThreadLowering::lowerWithoutRole() {
  auto roles = kernel.getBody().getOps<hopper::RoleOp>();
  for (auto sync : (*roles.begin()).getBody().getOps<hopper::SyncOp>())
    lowerSync(sync);
}

LogicalResult ThreadLowering::lowerRole(hopper::RoleOp op) {
  role = op;
  LogicalResult result = lowerBlock(op.getBody().front());
  role = {};
  return result;
}

} // namespace ashlar
