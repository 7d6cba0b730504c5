// wgmma.fence, .commit_group and .wait_group, and the table of the family (PTX
// ISA, "Asynchronous Warpgroup Level Matrix Instructions").

#include "runtime/sim/machine/matrix/Wgmma.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/matrix/MatrixOperands.h"
#include "runtime/sim/instructions/wgmma/WgmmaMultiply.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

struct WgmmaFence final : Instruction {
  Step execute(Warp &warp, LaneMask) const override {
    WgmmaGroups::of(warp).fence(warp);
    return Step::next;
  }
};

struct WgmmaCommit final : Instruction {
  Step execute(Warp &warp, LaneMask) const override {
    WgmmaGroups::of(warp).commit(warp);
    return Step::next;
  }
};

struct WgmmaWait final : Instruction {
  uint32_t pending = 0;
  Step execute(Warp &warp, LaneMask) const override {
    return WgmmaGroups::of(warp).wait(warp, pending);
  }
};

Decoded decodeWgmma(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (modifiers.take("mma_async"))
    return decodeWgmmaMultiply(decoder);
  const int kind = modifiers.takeOneOf({"fence", "commit_group", "wait_group"});
  if (kind < 0)
    decoder.refuse("wgmma has .fence, .commit_group, .wait_group and "
                   ".mma_async, not '." +
                   std::string(modifiers.next()) + "'");
  takeSyncAligned(decoder);
  if (kind == 2) {
    decoder.expectOperands(1);
    auto made = std::make_unique<WgmmaWait>();
    const int64_t pending = decoder.immediate(decoder.operand(0));
    if (pending < 0)
      decoder.refuse("the number of groups that may be under way is negative");
    made->pending = static_cast<uint32_t>(std::min<int64_t>(pending, 1 << 30));
    return made;
  }
  decoder.expectOperands(0);
  decoder.traits.fencesRegisters = kind == 0;
  if (kind == 0)
    return std::make_unique<WgmmaFence>();
  return std::make_unique<WgmmaCommit>();
}

} // namespace

void addWgmmaInstructions(OpcodeTable &table) {
  table.add("wgmma", decodeWgmma,
            {.engine = Engine::tensorCore,
             .synchronises = true,
             .holdsRegisters = true});
}

} // namespace ashlar::sim
