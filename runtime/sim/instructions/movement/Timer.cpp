// Special registers that tell the time. Both the clock and the global timer
// count the steps of the cluster: they grow, and no more is promised.
#include "runtime/sim/instructions/movement/Move.h"
#include "runtime/sim/machine/Cluster.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

class ReadTimer final : public Instruction {
public:
  ReadTimer(Slot target, unsigned shift) : target(target), shift(shift) {}

  Step execute(Warp &warp, LaneMask active) const override {
    ++warp.cluster.otherTicks;
    uint64_t now = ++warp.cluster.clock >> shift;
    forEachLane(active,
                [&](unsigned lane) { warp.setBits(target, lane, now); });
    return Step::next;
  }

private:
  Slot target;
  unsigned shift;
};

} // namespace

Decoded ashlar::sim::decodeReadTimer(Decoder &decoder, Type type) {
  const ptx::Special &timer = *decoder.operand(1).special;
  const std::string bits = std::to_string(ptx::bits(timer.type));
  if (ptx::isFloat(type) || ptx::bits(type) != ptx::bits(timer.type))
    decoder.refuse("'" + std::string(timer.name) + "' has " + bits +
                   " bits: use .u" + bits);
  return std::make_unique<ReadTimer>(
      decoder.target(decoder.operand(0), type),
      timer.which == ptx::SpecialRegister::timeHigh ? 32 : 0);
}
