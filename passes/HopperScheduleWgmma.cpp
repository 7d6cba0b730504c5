// hopper-schedule-wgmma: each wgmma is a group, groups overlap as far as the
// data allows, and a release comes behind the group that read its stage.
//
// The analysis of what is in flight says where an operation needs a group
// complete, and how many younger ones may stay in flight: that is where the
// waits go. A release that would have to wait for the youngest group is put off
// until another one follows or something else waits, over the end of an
// iteration too (DeferredReleases.h).

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/in_flight/DeferredReleases.h"
#include "passes/in_flight/InFlight.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERSCHEDULEWGMMA
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class Waits {
public:
  explicit Waits(hopper::KernelOp kernel)
      : kernel(kernel), plan(kernel, {.waits = true, .releases = true}) {}

  void place() {
    kernel.walk([&](Operation *op) {
      if (auto left = plan.groupsLeft(op))
        waits.push_back({op, *left});
    });
    waitInArms();
    findReadOverIterations();
    for (auto role : kernel.getBody().getOps<hopper::RoleOp>())
      if (Block &body = role.getBody().front();
          !plan.atEnd(body).pending().empty()) {
        OpBuilder builder = OpBuilder::atBlockEnd(&body);
        hopper::WgmmaWaitOp::create(builder, role.getLoc(), 0,
                                    !readOverIterations.empty());
      }
    for (auto [op, left] : waits) {
      OpBuilder builder(op);
      hopper::WgmmaWaitOp::create(builder, op->getLoc(), left,
                                  endsReadGroup(op));
    }
  }

private:
  /// Where an arm of a branch writes an accumulator and others go on with wgmma
  /// on it, ptxas wants to see one wait of the arm before that (C7515); a second
  /// one is as wrong as none.
  void waitInArms() {
    llvm::SmallPtrSet<Block *, 8> waiting;
    for (auto [op, left] : waits)
      if (left == 0)
        waiting.insert(op->getBlock());
    kernel.walk([&](hopper::AccumulatorWriteOp write) {
      if (isa<scf::IfOp>(write->getParentOp()) &&
          waiting.insert(write->getBlock()).second)
        waits.push_back({write, 0});
    });
  }

  /// The accumulators of groups that go on into the next iteration of a loop,
  /// are waited for there with others left in flight, and read.
  void findReadOverIterations() {
    for (auto [op, left] : waits) {
      auto loop = op->getParentOfType<scf::ForOp>();
      if (!loop || !left)
        continue;
      for (const Pending &entry : plan.before(op).pending())
        if (entry.resource.isAccumulator() && entry.younger >= left &&
            !llvm::all_of(
                entry.issuers,
                [&](auto *issuer) { return isInThisIteration(issuer, op); }) &&
            isTouchedIn(loop, entry.resource.value))
          readOverIterations.push_back({entry.resource.value, loop});
    }
  }

  static bool isInThisIteration(Operation *issuer, Operation *op) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*issuer);
    return ancestor && ancestor->isBeforeInBlock(op);
  }

  static bool isTouchedIn(scf::ForOp loop, Value accumulator) {
    return llvm::any_of(accumulator.getUsers(), [&](Operation *user) {
      return isa<hopper::AccumulatorReadOp, hopper::AccumulatorWriteOp>(user) &&
             loop->isAncestor(user);
    });
  }

  bool endsReadGroup(Operation *op) {
    return llvm::any_of(readOverIterations, [&](auto &read) {
      return !read.second->isAncestor(op) && plan.before(op).find({read.first});
    });
  }

  hopper::KernelOp kernel;
  InFlight plan;
  SmallVector<std::pair<Operation *, int64_t>> waits;
  SmallVector<std::pair<Value, Operation *>> readOverIterations;
};

struct HopperScheduleWgmma
    : impl::HopperScheduleWgmmaBase<HopperScheduleWgmma> {
  void runOnOperation() override {
    hopper::KernelOp kernel = getOperation();
    bool multiplies = false;
    kernel.walk([&](hopper::WgmmaOp wgmma) {
      multiplies = true;
      OpBuilder builder(wgmma->getContext());
      builder.setInsertionPointAfter(wgmma);
      hopper::WgmmaCommitOp::create(builder, wgmma.getLoc());
    });
    if (!multiplies)
      return;
    deferReleases(kernel);
    Waits(kernel).place();
  }
};

} // namespace
} // namespace ashlar
