// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"), but for the
// products (Multiply.cpp, DotProduct.cpp), the forms with a carry
// (IntegerCarry.cpp) and the bit fields (BitField.cpp).
#include "runtime/sim/instructions/integer/Integer.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

constexpr std::initializer_list<Type> scalarTypes = {
    Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64};
constexpr std::initializer_list<Type> scalarAndPairTypes = {
    Type::u16, Type::u32, Type::u64,   Type::s16,
    Type::s32, Type::s64, Type::u16x2, Type::s16x2};

/// `operation` on both halves of 32 bits.
template <class Half, class Operation>
Decoded packed(Decoder &decoder, Type type, Operation operation) {
  return binary<uint32_t>(decoder, type, [=](uint32_t a, uint32_t b) {
    auto low = static_cast<uint16_t>(
        operation(static_cast<Half>(a), static_cast<Half>(b)));
    auto high = static_cast<uint16_t>(
        operation(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
    return low | uint32_t(high) << 16;
  });
}

enum class MinMax : uint8_t { min, max };

template <MinMax which, bool relu, class T> T chooseOf(T a, T b) {
  T chosen = which == MinMax::min ? (a < b ? a : b) : (a > b ? a : b);
  return relu && chosen < T(0) ? T(0) : chosen;
}

template <MinMax which, bool relu>
Decoded decodeMinMaxOf(Decoder &decoder, Type type) {
  if (type == Type::s16x2)
    return packed<int16_t>(decoder, type, chooseOf<which, relu, int16_t>);
  if (type == Type::u16x2)
    return packed<uint16_t>(decoder, type, chooseOf<which, relu, uint16_t>);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type,
                     [](T a, T b) { return chooseOf<which, relu>(a, b); });
  });
}

/// .relu stands before the type in the ISA's syntax; the headers of CUDA write
/// it behind.
template <MinMax which> Decoded decodeMinMax(Decoder &decoder) {
  bool first = decoder.modifiers.take("relu");
  Type type = expectType(decoder, scalarAndPairTypes);
  if (!decoder.modifiers.take("relu") && !first)
    return decodeMinMaxOf<which, false>(decoder, type);
  if (type != Type::s16x2 && type != Type::s32)
    decoder.refuse(".relu is for .s32 and .s16x2");
  return decodeMinMaxOf<which, true>(decoder, type);
}

/// The quotient that the hardware gives: all ones for a division by zero, and
/// the least number divided by -1 is itself.
template <class T> T quotient(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return wrappedDifference<T>(0, a);
  return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  return static_cast<T>(a % b);
}

/// Reports a divisor of zero, and goes on as the hardware does.
template <class T, class Operation> class Divide final : public Instruction {
public:
  Divide(Slot target, std::array<Slot, 2> sources, Operation operation)
      : divisor(sources[1]), apply(target, sources, operation) {}

  Step execute(Warp &warp, LaneMask active) const override {
    const auto *values = warp.lanes<RegisterBits<T>>(divisor);
    LaneMask zero = 0;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      zero |= LaneMask(values[lane] == 0) << lane;
    if (zero & active)
      tell(warp, std::countr_zero(zero & active));
    return apply.execute(warp, active);
  }

private:
  void tell(Warp &warp, int lane) const {
    if (warp.cluster.launch.reporter.isNew(Finding::dividesByZero, this))
      warp.report(Finding::dividesByZero,
                  "an integer is divided by 0, and what comes of it is not "
                  "defined: test the divisor, or give a size that is not 0",
                  "divides by 0", lane);
  }

  Slot divisor;
  LaneWise<T, Operation, T, T> apply;
};

template <class T, class Operation>
Decoded divide(Decoder &decoder, Type type, Operation operation) {
  auto operands = takeOperands(decoder, type, type, type);
  return std::make_unique<Divide<T, Operation>>(operands.target,
                                                operands.sources, operation);
}

Decoded decodeDivision(Decoder &decoder) {
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return divide<T>(decoder, type, [](T a, T b) { return quotient(a, b); });
  });
}

Decoded decodeRemainder(Decoder &decoder) {
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return divide<T>(decoder, type, [](T a, T b) { return remainder(a, b); });
  });
}

Decoded decodeAbsoluteDifference(Decoder &decoder) {
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return ternary<T>(decoder, type, [](T a, T b, T c) {
      return wrappedSum(c, a < b ? wrappedDifference(b, a)
                                 : wrappedDifference(a, b));
    });
  });
}

} // namespace

Decoded ashlar::sim::decodeIntegerAdd(Decoder &decoder) {
  if (decoder.modifiers.take("cc"))
    return decodeAddWithCarry(decoder, false, true);
  if (decoder.modifiers.take("sat"))
    return binary<int32_t>(
        decoder, expectType(decoder, {Type::s32}),
        [](int32_t a, int32_t b) { return saturated(int64_t(a) + b); });
  Type type = expectType(decoder, scalarAndPairTypes);
  if (type == Type::u16x2 || type == Type::s16x2)
    return packed<uint16_t>(decoder, type,
                            [](uint16_t a, uint16_t b) { return a + b; });
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type, [](T a, T b) { return wrappedSum(a, b); });
  });
}

Decoded ashlar::sim::decodeIntegerSubtract(Decoder &decoder) {
  if (decoder.modifiers.take("cc"))
    return decodeSubtractWithCarry(decoder, false, true);
  if (decoder.modifiers.take("sat"))
    return binary<int32_t>(
        decoder, expectType(decoder, {Type::s32}),
        [](int32_t a, int32_t b) { return saturated(int64_t(a) - b); });
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type,
                     [](T a, T b) { return wrappedDifference(a, b); });
  });
}

Decoded ashlar::sim::decodeIntegerDivide(Decoder &decoder) {
  return decodeDivision(decoder);
}

Decoded ashlar::sim::decodeIntegerAbsolute(Decoder &decoder) {
  Type type = expectType(decoder, {Type::s16, Type::s32, Type::s64});
  return withInteger(type, [&]<class T>() {
    return unary<T>(decoder, type,
                    [](T a) { return a < 0 ? wrappedDifference<T>(0, a) : a; });
  });
}

Decoded ashlar::sim::decodeIntegerNegate(Decoder &decoder) {
  Type type = expectType(decoder, {Type::s16, Type::s32, Type::s64});
  return withInteger(type, [&]<class T>() {
    return unary<T>(decoder, type,
                    [](T a) { return wrappedDifference<T>(0, a); });
  });
}

Decoded ashlar::sim::decodeIntegerMin(Decoder &decoder) {
  return decodeMinMax<MinMax::min>(decoder);
}
Decoded ashlar::sim::decodeIntegerMax(Decoder &decoder) {
  return decodeMinMax<MinMax::max>(decoder);
}

void ashlar::sim::addIntegerInstructions(OpcodeTable &table) {
  table.add("rem", decodeRemainder);
  table.add("sad", decodeAbsoluteDifference);
  addMultiply24Instructions(table);
  addDotProductInstructions(table);
  addCarryInstructions(table);
  addBitFieldInstructions(table);
  addLogicInstructions(table);
  addShiftInstructions(table);
}
