// hopper-verify-in-flight: no operation touches an accumulator that a group in
// flight writes, none releases a stage or overwrites memory that one reads, and
// no role ends before its last group. What places the waits is not trusted
// here: only the waits count.

#include "passes/Passes.h"
#include "passes/in_flight/InFlight.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERVERIFYINFLIGHT
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct HopperVerifyInFlight
    : impl::HopperVerifyInFlightBase<HopperVerifyInFlight> {
  void runOnOperation() override {
    hopper::KernelOp kernel = getOperation();
    if (!kernel.walk([](hopper::WgmmaOp) { return WalkResult::interrupt(); })
             .wasInterrupted())
      return;
    const InFlight inFlight({.waits = false, .releases = true});
    kernel.walk([&](Operation *op) {
      const InFlightState &state = inFlight.before(op);
      for (const Pending &entry : Need{.releases = true}.of(op, state))
        refuse(op, entry);
    });
    for (auto role : kernel.getBody().getOps<hopper::RoleOp>())
      for (const Pending &entry : inFlight.atEnd(role).pending())
        refuse(role, entry);
  }

private:
  void refuse(Operation *op, const Pending &entry) {
    InFlightDiagnostic error = op->emitError("'")
                               << op->getName() << "' "
                               << (isa<hopper::RoleOp>(op) ? "ends while"
                                                           : "stands where")
                               << " wgmma in flight still "
                               << (entry.resource.isAccumulator()
                                       ? "writes its accumulator"
                                       : "reads this memory")
                               << ": a hopper.wgmma.wait before it is missing, "
                                  "or leaves too many groups";
    for (Operation *issuer : entry.issuers)
      error.attachNote(issuer->getLoc()) << "issued here";
    signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
