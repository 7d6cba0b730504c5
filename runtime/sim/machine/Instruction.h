// One decoded instruction: what runtime/sim/instructions makes of the text.
#pragma once

#include "runtime/sim/machine/Lanes.h"
#include "runtime/sim/machine/Traits.h"
#include "runtime/sim/ptx/Module.h"

#include <cstdint>
#include <vector>

namespace ashlar::sim {

class Warp;

/// A place in a warp's register file, in bytes: 32 values one after the other
/// (2 bytes each for registers of 8 and 16 bits, 4, 8 or 16), or, for a
/// predicate, one LaneMask. Constants, special registers and addresses of
/// variables have slots of their own, so an operand is never anything else.
struct Slot {
  uint32_t offset = 0;
  uint8_t laneBytes = 0; // 0 for a predicate
};

/// What becomes of the lanes that executed an instruction.
enum class Step : uint8_t {
  next,    // they go on behind it
  moved,   // the instruction has set where they go on itself
  blocked, // they stay at it; it is executed again when what it waits for
           // (set by Warp::waitFor) may have happened
};

class Instruction {
public:
  virtual ~Instruction() = default;

  /// Executes it for the lanes `active` (never none; guard already applied).
  virtual Step execute(Warp &warp, LaneMask active) const = 0;

  const ptx::Instruction *text = nullptr;
  /// The function that it stands in.
  const ptx::Function *function = nullptr;

  /// All it does is to write registers.
  bool computes = false;
  /// What stands behind it is not executed next.
  bool leaves = false;
  bool hasGuard = false, guardNegated = false;
  Slot guard;
  Traits traits;
  /// The registers it reads and writes, for the checks while wgmma owns some
  /// of them.
  std::vector<Slot> registers;
  /// Which of `registers` it writes.
  std::vector<bool> writesRegister;
  bool writes(size_t index) const {
    return index < writesRegister.size() && writesRegister[index];
  }
};

} // namespace ashlar::sim
