// hopper-schedule-wgmma: wgmma groups overlap as far as the data allows, and
// each release waits for exactly the group that read its stage.
//
// In a loop that only accumulates, or only adds up products, one group stays in
// flight: an iteration issues its own, then waits for the one before, and
// releases the stage that one has read. Everywhere else a group is waited for
// before the first use of its accumulator and before the first release behind
// it.

#include "passes/Passes.h"
#include "passes/hopper_schedule_wgmma/Loops.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERSCHEDULEWGMMA
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Waits before the first use, in program order.
void scheduleBlock(Block &block) {
  SmallVector<Value> inFlight;
  auto drain = [&](Operation *at) {
    if (inFlight.empty())
      return;
    OpBuilder builder(at);
    commitAndWait(builder, inFlight.back().getLoc(), inFlight, 0);
    inFlight.clear();
  };

  Operation *next = nullptr;
  for (Operation *at = block.empty() ? nullptr : &block.front(); at;
       at = next) {
    Operation &op = *at;
    next = op.getNextNode();
    if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op)) {
      auto it = llvm::find(inFlight, wgmma.getAccumulator());
      wgmma.setFence(it == inFlight.end());
      if (it != inFlight.end())
        *it = wgmma.getResult();
      else
        inFlight.push_back(wgmma.getResult());
      continue;
    }
    if (isa<hopper::WgmmaCommitOp, hopper::WgmmaWaitOp>(op))
      continue;
    bool uses = llvm::any_of(op.getOperands(), [&](Value operand) {
      return llvm::is_contained(inFlight, operand);
    });
    auto release = dyn_cast<hopper::ReleaseOp>(op);
    if (uses || release || op.getNumRegions() || tellsOthers(&op) ||
        op.hasTrait<OpTrait::IsTerminator>())
      drain(&op);
    if (release) {
      OpBuilder builder(&op);
      emitArrivals(builder, release);
      release.erase();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (auto accumulating = AccumulatingLoop::match(loop)) {
        next = accumulating->schedule()->getNextNode();
        continue;
      }
      if (auto adding = AddingLoop::match(loop)) {
        adding->schedule();
        continue;
      }
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        scheduleBlock(inner);
  }
  if (!inFlight.empty()) {
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    commitAndWait(builder, inFlight.back().getLoc(), inFlight, 0);
  }
}

struct HopperScheduleWgmma
    : impl::HopperScheduleWgmmaBase<HopperScheduleWgmma> {
  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<hopper::RoleOp>())
      scheduleBlock(role.getBody().front());
  }
};

} // namespace
} // namespace ashlar
