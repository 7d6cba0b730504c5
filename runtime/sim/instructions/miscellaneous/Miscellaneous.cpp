// nanosleep, brkpt, pmevent, trap, griddepcontrol; the table of these and of
// setmaxnreg.
#include "runtime/sim/instructions/Decoder.h"

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/miscellaneous/RegisterPool.h"
#include "runtime/sim/machine/Cluster.h"

namespace ashlar::sim {

namespace {

using ptx::Type;

/// Has no effect on what a program computes: a performance counter's event, a
/// breakpoint without a debugger, a sleep (PTX allows any time from none to
/// twice the given one; the schedule lets others run in any case), or
/// griddepcontrol. The launches of a stream run one after the other here, so
/// that what griddepcontrol.wait waits for has happened, and launch_dependents
/// starts nothing early.
struct Nothing final : Instruction {
  Step execute(Warp &, LaneMask) const override { return Step::next; }
};

struct Trap final : Instruction {
  Step execute(Warp &warp, LaneMask active) const override {
    warp.stop(Finding::trap,
              "the program ends itself with 'trap': a check of its own failed",
              "traps", std::countr_zero(active));
  }
};

Decoded decodeBreakpoint(Decoder &decoder) {
  decoder.expectOperands(0);
  return std::make_unique<Nothing>();
}

Decoded decodeTrap(Decoder &decoder) {
  decoder.expectOperands(0);
  return std::make_unique<Trap>();
}

Decoded decodeSleep(Decoder &decoder) {
  if (!decoder.modifiers.take("u32"))
    decoder.refuse("the type .u32 is missing");
  decoder.expectOperands(1);
  decoder.source(decoder.operand(0), Type::u32);
  return std::make_unique<Nothing>();
}

Decoded decodeEvent(Decoder &decoder) {
  const bool mask = decoder.modifiers.take("mask");
  decoder.expectOperands(1);
  const int64_t event = decoder.immediate(decoder.operand(0));
  if (event < 0 || event > (mask ? 0xffff : 15))
    decoder.refuse(mask ? "a mask of events has 16 bits"
                        : "events have the numbers 0 to 15");
  return std::make_unique<Nothing>();
}

Decoded decodeGridControl(Decoder &decoder) {
  decoder.expectOperands(0);
  if (decoder.modifiers.takeOneOf({"launch_dependents", "wait"}) < 0)
    decoder.refuse("it has .launch_dependents and .wait only");
  return std::make_unique<Nothing>();
}

Decoded refuseClusterLaunch(Decoder &decoder) {
  decoder.refuse("it needs sm_100 or higher; the machine is sm_90a");
}

} // namespace

void addMiscellaneousInstructions(OpcodeTable &table) {
  table.add("setmaxnreg", decodeSetRegisters);
  table.add("nanosleep", decodeSleep);
  table.add("brkpt", decodeBreakpoint);
  table.add("pmevent", decodeEvent);
  table.add("trap", decodeTrap);
  table.add("griddepcontrol", decodeGridControl);
  table.add("clusterlaunchcontrol", refuseClusterLaunch);
}

} // namespace ashlar::sim
