// Extended-precision arithmetic (PTX ISA, "Extended-Precision Integer
// Arithmetic Instructions"): the carry CC.CF is one bit a thread. The text
// leaves open what it holds before an instruction has written it; here 0. A
// subtraction leaves the inverse of its borrow in it, and reads it as such, as
// the hardware does: it shows when additions and subtractions are mixed.
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/integer/Integer.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

/// CC.CF of a warp's threads.
struct CarryFlags {
  LaneMask carry = 0;
};

template <class T> struct Sum {
  T value;
  bool carry;
};

/// d, CC.CF = operation(sources..., CC.CF).
template <class T, class Operation, size_t count>
class CarryInstruction final : public Instruction {
public:
  /// `initial` is the carry of an instruction that does not read it.
  CarryInstruction(Operands<count> operands, Operation operation, bool reads,
                   bool writes, LaneMask initial)
      : operands(operands), operation(operation), reads(reads), writes(writes),
        initial(initial) {}

  Step execute(Warp &warp, LaneMask active) const override {
    LaneMask &flags = warp.state<CarryFlags>().carry;
    LaneMask carryIn = reads ? flags : initial, carryOut = 0;
    T *out = warp.lanes<T>(operands.target);
    std::array<const T *, count> in;
    for (size_t index = 0; index < count; ++index)
      in[index] = warp.lanes<T>(operands.sources[index]);
    forEachLane(active, [&](unsigned lane) {
      std::array<T, count> values;
      for (size_t index = 0; index < count; ++index)
        values[index] = in[index][lane];
      Sum<T> sum = operation(values, T(carryIn >> lane & 1));
      out[lane] = sum.value;
      carryOut |= LaneMask(sum.carry) << lane;
    });
    if (writes)
      flags = (flags & ~active) | carryOut;
    return Step::next;
  }

private:
  Operands<count> operands;
  Operation operation;
  bool reads, writes;
  LaneMask initial;
};

template <class T, size_t count, class Operation>
Decoded make(Operands<count> operands, Operation operation, bool reads,
             bool writes, LaneMask initial = 0) {
  return std::make_unique<CarryInstruction<T, Operation, count>>(
      operands, operation, reads, writes, initial);
}

template <class T> Sum<T> addCarry(T a, T b, T carry) {
  T partial = a + b;
  T value = partial + carry;
  return {value, partial < a || value < partial};
}

template <class T>
Decoded makeAdd(Operands<2> operands, bool reads, bool writes) {
  return make<T>(
      operands,
      [](const std::array<T, 2> &in, T carry) {
        return addCarry(in[0], in[1], carry);
      },
      reads, writes);
}

/// a - b is a + ~b + 1.
template <class T>
Decoded makeSubtract(Operands<2> operands, bool reads, bool writes) {
  return make<T>(
      operands,
      [](const std::array<T, 2> &in, T carry) {
        return addCarry(in[0], static_cast<T>(~in[1]), carry);
      },
      reads, writes, allLanes);
}

/// `Factor` is T with or without its sign, `Product` of twice the width.
template <class T, class Factor, class Product>
Decoded makeMultiplyAdd(Operands<3> operands, bool high, bool reads,
                        bool writes) {
  return make<T>(
      operands,
      [high](const std::array<T, 3> &in, T carry) {
        Product product =
            Product(static_cast<Factor>(in[0])) * static_cast<Factor>(in[1]);
        return addCarry(
            static_cast<T>(high ? product >> 8 * sizeof(T) : product), in[2],
            carry);
      },
      reads, writes);
}

constexpr std::initializer_list<Type> types = {Type::u32, Type::s32, Type::u64,
                                               Type::s64};

} // namespace

Decoded ashlar::sim::decodeAddWithCarry(Decoder &decoder, bool reads,
                                        bool writes) {
  Type type = expectType(decoder, types);
  auto operands = takeOperands(decoder, type, type, type);
  return ptx::bits(type) == 32 ? makeAdd<uint32_t>(operands, reads, writes)
                               : makeAdd<uint64_t>(operands, reads, writes);
}

Decoded ashlar::sim::decodeSubtractWithCarry(Decoder &decoder, bool reads,
                                             bool writes) {
  Type type = expectType(decoder, types);
  auto operands = takeOperands(decoder, type, type, type);
  return ptx::bits(type) == 32
             ? makeSubtract<uint32_t>(operands, reads, writes)
             : makeSubtract<uint64_t>(operands, reads, writes);
}

Decoded ashlar::sim::decodeMultiplyAddWithCarry(Decoder &decoder, bool reads) {
  int part = decoder.modifiers.takeOneOf({"lo", "hi"});
  if (part < 0)
    decoder.refuse("it needs .hi or .lo first");
  bool writes = decoder.modifiers.take("cc");
  Type type = expectType(decoder, types);
  auto operands = takeOperands(decoder, type, type, type, type);
  bool high = part == 1;
  switch (type) {
  case Type::u32:
    return makeMultiplyAdd<uint32_t, uint32_t, uint64_t>(operands, high, reads,
                                                         writes);
  case Type::s32:
    return makeMultiplyAdd<uint32_t, int32_t, int64_t>(operands, high, reads,
                                                       writes);
  case Type::u64:
    return makeMultiplyAdd<uint64_t, uint64_t, unsigned __int128>(
        operands, high, reads, writes);
  default:
    return makeMultiplyAdd<uint64_t, int64_t, __int128>(operands, high, reads,
                                                        writes);
  }
}

void ashlar::sim::addCarryInstructions(OpcodeTable &table) {
  table.add("addc", [](Decoder &decoder) {
    return decodeAddWithCarry(decoder, true, decoder.modifiers.take("cc"));
  });
  table.add("subc", [](Decoder &decoder) {
    return decodeSubtractWithCarry(decoder, true, decoder.modifiers.take("cc"));
  });
  table.add("madc", [](Decoder &decoder) {
    return decodeMultiplyAddWithCarry(decoder, true);
  });
}
