// Special registers that tell the time. Both the clock and the global timer
// count the steps of the cluster: they grow, and no more is promised.
#include "runtime/sim/instructions/movement/Move.h"
#include "runtime/sim/machine/Cluster.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

struct Timer {
  std::string_view name;
  unsigned bits, shift;
};

constexpr Timer timers[] = {
    {"%clock", 32, 0},          {"%clock_hi", 32, 32},
    {"%clock64", 64, 0},        {"%globaltimer", 64, 0},
    {"%globaltimer_lo", 32, 0}, {"%globaltimer_hi", 32, 32},
};

const Timer *timerNamed(std::string_view name) {
  for (const Timer &timer : timers)
    if (timer.name == name)
      return &timer;
  return nullptr;
}

class ReadTimer final : public Instruction {
public:
  ReadTimer(Slot target, unsigned shift) : target(target), shift(shift) {}

  Step execute(Warp &warp, LaneMask active) const override {
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

bool ashlar::sim::isTimer(const ptx::Operand &operand) {
  return operand.kind == ptx::Operand::Kind::special &&
         timerNamed(operand.text);
}

Decoded ashlar::sim::decodeReadTimer(Decoder &decoder, Type type) {
  const Timer *timer = timerNamed(decoder.operand(1).text);
  if (ptx::isFloat(type) || ptx::bits(type) != timer->bits)
    decoder.refuse("'" + std::string(timer->name) + "' has " +
                   std::to_string(timer->bits) + " bits: use .u" +
                   std::to_string(timer->bits));
  return std::make_unique<ReadTimer>(decoder.target(decoder.operand(0), type),
                                     timer->shift);
}
