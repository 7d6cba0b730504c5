// shfl.sync (PTX ISA, "shfl.sync").
#include "runtime/sim/instructions/warp/MemberLanes.h"
#include "runtime/sim/instructions/warp/WarpInstructions.h"

#include <algorithm>
#include <optional>

namespace ashlar::sim {

namespace {

using ptx::Operand;
using ptx::Type;

enum class Mode : uint8_t { up, down, butterfly, index };

/// What a lane reads from, and whether that is within its segment.
struct Source {
  uint32_t lane;
  bool valid;
};

template <Mode mode>
inline Source sourceOf(uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t delta = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const uint32_t most = (lane & segment) | (clamp & ~segment);
  uint32_t from = 0;
  bool valid = false;
  switch (mode) {
  case Mode::up:
    from = lane - delta;
    valid = static_cast<int32_t>(from) >= static_cast<int32_t>(most);
    break;
  case Mode::down:
    from = lane + delta;
    valid = from <= most;
    break;
  case Mode::butterfly:
    from = lane ^ delta;
    valid = from <= most;
    break;
  case Mode::index:
    from = (lane & segment) | (delta & ~segment);
    valid = from <= most;
    break;
  }
  return {valid ? from : lane, valid};
}

/// A lane that is not among the members gives whatever its register holds: PTX
/// leaves the value undefined, and programs may ignore it.
template <Mode mode> struct Shuffle final : Instruction {
  Slot target, value, b, c, members;
  std::optional<Slot> within;

  Step execute(Warp &warp, LaneMask active) const override {
    auto nothing = [](LaneMask) {};
    if (!forEachGroup(warp, active, members, "shuffles", nothing))
      return Step::blocked;
    uint32_t values[warpLanes];
    std::copy_n(warp.lanes<uint32_t>(value), warpLanes, values);
    const uint32_t *bs = warp.lanes<uint32_t>(b);
    const uint32_t *cs = warp.lanes<uint32_t>(c);
    uint32_t results[warpLanes];
    LaneMask valid = 0;
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      const Source source = sourceOf<mode>(lane, bs[lane], cs[lane]);
      results[lane] = values[source.lane & 31];
      valid |= static_cast<LaneMask>(source.valid) << lane;
    }
    uint32_t *targets = warp.lanes<uint32_t>(target);
    if (active == allLanes)
      std::copy_n(results, warpLanes, targets);
    else
      forEachLane(active,
                  [&](unsigned lane) { targets[lane] = results[lane]; });
    if (within)
      warp.setPredicate(*within, active, valid);
    return Step::next;
  }
};

template <Mode mode> Decoded make(Decoder &decoder) {
  auto made = std::make_unique<Shuffle<mode>>();
  const Operand &target = decoder.operand(0);
  const bool isPair = target.kind == Operand::Kind::pair;
  const Operand &data = isPair ? target.elements[0] : target;
  if (data.kind == Operand::Kind::sink)
    decoder.refuse("the destination of shfl can't be '_'");
  made->value = decoder.source(decoder.operand(1), Type::b32);
  made->b = decoder.source(decoder.operand(2), Type::b32);
  made->c = decoder.source(decoder.operand(3), Type::b32);
  made->members = decoder.source(decoder.operand(4), Type::b32);
  made->target = decoder.target(data, Type::b32);
  if (isPair)
    made->within = decoder.predicateTarget(target.elements[1]);
  return made;
}

} // namespace

Decoded decodeShuffle(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (!modifiers.take("sync"))
    decoder.refuse("without .sync it does not exist on this machine (from "
                   "sm_70 on): use shfl.sync");
  const int mode = modifiers.takeOneOf({"up", "down", "bfly", "idx"});
  if (mode < 0)
    decoder.refuse("the mode is missing: .up, .down, .bfly or .idx");
  if (!modifiers.take("b32"))
    decoder.refuse("the type of shfl is .b32");
  decoder.expectOperands(5);
  switch (mode) {
  case 0:
    return make<Mode::up>(decoder);
  case 1:
    return make<Mode::down>(decoder);
  case 2:
    return make<Mode::butterfly>(decoder);
  default:
    return make<Mode::index>(decoder);
  }
}

} // namespace ashlar::sim
