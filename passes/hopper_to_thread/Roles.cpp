#include "passes/hopper_to_thread/Roles.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

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

/// Goes on inside of a branch; what it returns is the other side.
OpBuilder::InsertPoint enterIf(PtxBuilder &b, Value condition) {
  auto branch = scf::IfOp::create(b, b.loc, condition, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  return {branch.elseBlock(), branch.elseBlock()->begin()};
}

void moveBody(PtxBuilder &b, hopper::RoleOp role) {
  b.getInsertionBlock()->getOperations().splice(
      b.getInsertionPoint(), role.getBody().front().getOperations());
}

} // namespace

void Meeting::write(PtxBuilder &b) const {
  if (!ofCluster) {
    b.ptx("bar.sync 0;");
    return;
  }
  if (!arrived)
    b.ptx("barrier.cluster.arrive.release.aligned;");
  b.ptx("barrier.cluster.wait.acquire.aligned;");
}

RolePrograms::RolePrograms(hopper::KernelOp kernel)
    : threads(kernel.getThreads()),
      entryRegisters(target::entryRegisters(threads, kernel.getCtasPerSm())),
      groups(groupRoles(kernel)) {
  auto roles = kernel.getBody().getOps<hopper::RoleOp>();
  if (roles.empty())
    return;
  for (auto sync : (*roles.begin()).getBody().getOps<hopper::SyncOp>())
    meetings.emplace_back(sync);
  for (RoleGroup &group : groups) {
    hopper::RoleOp front = group.roles.front();
    group.isOneRole =
        group.roles.size() == 1 &&
        (front.getWarps() * front.getInstances() % target::warpgroupWarps ==
             0 ||
         !group.registers);
    // Nobody waits for this role until others have given up their registers.
    Block &body = front.getBody().front();
    auto first = llvm::find_if_not(body, [](Operation &op) {
      return op.hasTrait<OpTrait::ConstantLike>() ||
             isa<hopper::AccumulatorOp>(op);
    });
    if (!group.isOneRole || first == body.end())
      continue;
    if (auto sync = dyn_cast<hopper::SyncOp>(*first)) {
      group.meetsFirst.emplace(sync);
      sync.erase();
    }
  }
}

void RolePrograms::write(PtxBuilder &b, Value warp) {
  OpBuilder::InsertionGuard guard(b);
  b.loc = groups.back().roles.front().getLoc();
  OpBuilder::InsertPoint withoutRole;
  // Warps of the last group's warpgroup are part of it when they must set its
  // registers.
  if (!groups.back().registers &&
      groups.back().endWarp * target::warpThreads < threads)
    withoutRole = enterIf(b, b.lessThan(warp, b.i32(groups.back().endWarp)));
  // The last warps, which mostly load, come first: next to the code before the
  // roles, so that the first load does not wait for instructions.
  for (RoleGroup &group : llvm::reverse(groups)) {
    b.loc = group.roles.front().getLoc();
    OpBuilder::InsertPoint others;
    if (group.firstWarp > groups.front().firstWarp)
      others = enterIf(b, b.lessThan(b.i32(group.firstWarp - 1), warp));
    write(b, warp, group);
    if (others.isSet())
      b.restoreInsertionPoint(others);
  }
  if (withoutRole.isSet()) {
    b.restoreInsertionPoint(withoutRole);
    writeWithoutRole(b);
  }
  for (RoleGroup &group : groups)
    for (hopper::RoleOp role : group.roles)
      role.erase();
}

void RolePrograms::write(PtxBuilder &b, Value warp, const RoleGroup &group) {
  // Others may wait for registers before they meet this role.
  const bool givesUp = group.registers && group.registers < entryRegisters;
  auto meet = [&] {
    if (group.meetsFirst)
      group.meetsFirst->write(b);
  };
  if (!givesUp)
    meet();
  if (group.registers && group.registers != entryRegisters)
    b.ptx(("setmaxnreg." + std::string(givesUp ? "dec" : "inc") +
           ".sync.aligned.u32 " + std::to_string(group.registers) + ";"));
  if (givesUp)
    meet();
  if (group.isOneRole)
    return moveBody(b, group.roles.front());
  for (hopper::RoleOp role : group.roles) {
    b.loc = role.getLoc();
    Value inside = b.both(b.lessThan(b.i32(role.getFirstWarp() - 1), warp),
                          b.lessThan(warp, b.i32(endWarp(role))));
    OpBuilder::InsertPoint others = enterIf(b, inside);
    moveBody(b, role);
    b.restoreInsertionPoint(others);
  }
  writeWithoutRole(b);
}

/// Warps without a role only meet the others where these meet.
void RolePrograms::writeWithoutRole(PtxBuilder &b) {
  for (const Meeting &meeting : meetings)
    meeting.write(b);
}

} // namespace ashlar
