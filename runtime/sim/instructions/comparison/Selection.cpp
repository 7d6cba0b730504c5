// selp and slct (PTX ISA, "Comparison and Selection Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/comparison/Comparison.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

constexpr std::initializer_list<Type> types = {
    Type::b16, Type::b32, Type::b64, Type::u16, Type::u32, Type::u64,
    Type::s16, Type::s32, Type::s64, Type::f32, Type::f64};

/// d = p ? a : b.
template <class T> class SelectByPredicate final : public Instruction {
public:
  SelectByPredicate(Decoder &decoder, Type type) {
    decoder.expectNoMoreModifiers();
    decoder.expectOperands(4);
    target = decoder.target(decoder.operand(0), type);
    a = decoder.source(decoder.operand(1), type);
    b = decoder.source(decoder.operand(2), type);
    predicate = decoder.predicateSource(decoder.operand(3), negated);
  }

  Step execute(Warp &warp, LaneMask active) const override {
    LaneMask which = warp.predicate(predicate) ^ (negated ? allLanes : 0);
    const T *whenTrue = warp.lanes<T>(a), *whenFalse = warp.lanes<T>(b);
    T *out = warp.lanes<T>(target);
    eachLane(active, [=](unsigned lane) {
      T mask = static_cast<T>(T(0) - T(which >> lane & 1));
      out[lane] = static_cast<T>((whenTrue[lane] & mask) |
                                 (whenFalse[lane] & T(~mask)));
    });
    return Step::next;
  }

private:
  Slot target, a, b, predicate;
  bool negated = false;
};

Decoded decodeSelect(Decoder &decoder) {
  Type type = expectType(decoder, types);
  switch (ptx::bits(type)) {
  case 16:
    return std::make_unique<SelectByPredicate<uint16_t>>(decoder, type);
  case 32:
    return std::make_unique<SelectByPredicate<uint32_t>>(decoder, type);
  default:
    return std::make_unique<SelectByPredicate<uint64_t>>(decoder, type);
  }
}

/// d = c >= 0 ? a : b. A NaN takes b, and -0 is not negative.
template <class T>
Decoded makeSelectBySign(Operands<3> operands, Type sign, bool flush) {
  if (sign == Type::s32)
    return laneWise<T, T, T, int32_t>(
        operands.target, operands.sources,
        [](T a, T b, int32_t c) { return c >= 0 ? a : b; });
  return laneWise<T, T, T, uint32_t>(
      operands.target, operands.sources, [flush](T a, T b, uint32_t c) {
        return std::bit_cast<float>(flush ? flushed(c) : c) >= 0.0f ? a : b;
      });
}

Decoded decodeSelectBySign(Decoder &decoder) {
  bool flush = decoder.modifiers.take("ftz");
  Type type = expectType(decoder, types);
  Type sign = expectType(decoder, {Type::s32, Type::f32});
  if (flush && sign != Type::f32)
    decoder.refuse("only with .f32 as its last type it has .ftz");
  auto operands = takeOperands(decoder, type, type, type, sign);
  switch (ptx::bits(type)) {
  case 16:
    return makeSelectBySign<uint16_t>(operands, sign, flush);
  case 32:
    return makeSelectBySign<uint32_t>(operands, sign, flush);
  default:
    return makeSelectBySign<uint64_t>(operands, sign, flush);
  }
}

} // namespace

void ashlar::sim::addSelectionInstructions(OpcodeTable &table) {
  table.add("selp", decodeSelect);
  table.add("slct", decodeSelectBySign);
}
