// What a memory instruction says of where it accesses.
#pragma once

#include "runtime/sim/machine/Instruction.h"

#include <optional>

namespace ashlar::sim {

/// The address operand of a memory instruction: base slot (none: absolute)
/// plus offset. The base is 4 or 8 bytes a lane.
struct AddressOperand {
  std::optional<Slot> base;
  int64_t offset = 0;
  /// The space of the variable that the operand names, if it names one. A
  /// .param variable that is not a kernel's own parameter lies in the thread's
  /// local memory, and `local` is what it says here.
  ptx::StateSpace symbolSpace = ptx::StateSpace::generic;
  bool namesKernelParameter = false; // offset is into the parameter block
};

} // namespace ashlar::sim
