// and, or, xor, not, cnot, lop3 (PTX ISA, "Logic and Shift Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/integer/Integer.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

constexpr std::initializer_list<Type> typesWithPredicate = {
    Type::pred, Type::b16, Type::b32, Type::b64};
constexpr std::initializer_list<Type> bitTypes = {Type::b16, Type::b32,
                                                  Type::b64};

/// A logic operation on predicates: all lanes at once.
template <class Operation> class PredicateLogic final : public Instruction {
public:
  PredicateLogic(Decoder &decoder, unsigned sources, Operation operation)
      : operation(operation) {
    decoder.expectNoMoreModifiers();
    decoder.expectOperands(1 + sources);
    target = decoder.predicateTarget(decoder.operand(0));
    a = decoder.predicateSource(decoder.operand(1), negatesA);
    b = sources == 2 ? decoder.predicateSource(decoder.operand(2), negatesB)
                     : a;
  }

  Step execute(Warp &warp, LaneMask active) const override {
    LaneMask left = warp.predicate(a) ^ (negatesA ? allLanes : 0);
    LaneMask right = warp.predicate(b) ^ (negatesB ? allLanes : 0);
    warp.setPredicate(target, active, operation(left, right));
    return Step::next;
  }

private:
  Slot target, a, b;
  bool negatesA = false, negatesB = false;
  Operation operation;
};

template <class Operation>
Decoded decodeBinaryLogic(Decoder &decoder, Operation operation) {
  Type type = expectType(decoder, typesWithPredicate);
  if (type == Type::pred)
    return std::make_unique<PredicateLogic<Operation>>(decoder, 2, operation);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type, [operation](T a, T b) {
      return static_cast<T>(operation(a, b));
    });
  });
}

Decoded decodeNot(Decoder &decoder) {
  Type type = expectType(decoder, typesWithPredicate);
  if (type == Type::pred) {
    auto operation = [](LaneMask a, LaneMask) { return ~a; };
    return std::make_unique<PredicateLogic<decltype(operation)>>(decoder, 1,
                                                                 operation);
  }
  return withInteger(type, [&]<class T>() {
    return unary<T>(decoder, type, [](T a) { return static_cast<T>(~a); });
  });
}

Decoded decodeLogicalNot(Decoder &decoder) {
  Type type = expectType(decoder, bitTypes);
  return withInteger(type, [&]<class T>() {
    return unary<T>(decoder, type, [](T a) { return T(a == 0); });
  });
}

/// Bit i of the table is the result where a, b, c have the bits of i.
uint32_t lookUp(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned index = 0; index < 8; ++index) {
    uint32_t minterm =
        (index & 4 ? a : ~a) & (index & 2 ? b : ~b) & (index & 1 ? c : ~c);
    result |= table >> index & 1 ? minterm : 0;
  }
  return result;
}

Decoded makeLookUp(Slot target, std::array<Slot, 3> sources, uint8_t table) {
  auto make = [&](auto operation) {
    return laneWise<uint32_t, uint32_t, uint32_t, uint32_t>(target, sources,
                                                            operation);
  };
  // The ones that compilers emit most, as what they are.
  switch (table) {
  case 0xc0: // a & b
    return make([](uint32_t a, uint32_t b, uint32_t) { return a & b; });
  case 0xfc: // a | b
    return make([](uint32_t a, uint32_t b, uint32_t) { return a | b; });
  case 0x3c: // a ^ b
    return make([](uint32_t a, uint32_t b, uint32_t) { return a ^ b; });
  case 0x96:
    return make([](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; });
  case 0xf8:
    return make([](uint32_t a, uint32_t b, uint32_t c) { return a | (b & c); });
  case 0xea:
    return make([](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; });
  case 0xca:
    return make(
        [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); });
  default:
    return make([table](uint32_t a, uint32_t b, uint32_t c) {
      return lookUp(a, b, c, table);
    });
  }
}

/// lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) BoolOp q.
class LookUpWithPredicate final : public Instruction {
public:
  LookUpWithPredicate(Decoder &decoder, bool isAnd) : isAnd(isAnd) {
    decoder.expectOperands(6);
    const ptx::Operand &results = decoder.operand(0);
    if (results.kind != ptx::Operand::Kind::pair ||
        results.elements.size() != 2)
      decoder.refuse("with .and or .or its destination is d|p");
    target = decoder.target(results.elements[0], Type::b32);
    predicate = decoder.predicateTarget(results.elements[1]);
    for (size_t index = 0; index < 3; ++index)
      sources[index] = decoder.source(decoder.operand(1 + index), Type::b32);
    other = decoder.predicateSource(decoder.operand(5), negates);
  }
  uint32_t table = 0;

  Step execute(Warp &warp, LaneMask active) const override {
    auto *out = warp.lanes<uint32_t>(target);
    const auto *a = warp.lanes<uint32_t>(sources[0]);
    const auto *b = warp.lanes<uint32_t>(sources[1]);
    const auto *c = warp.lanes<uint32_t>(sources[2]);
    LaneMask nonZero = 0;
    forEachLane(active, [&](unsigned lane) {
      out[lane] = lookUp(a[lane], b[lane], c[lane], table);
      nonZero |= LaneMask(out[lane] != 0) << lane;
    });
    LaneMask with = warp.predicate(other) ^ (negates ? allLanes : 0);
    warp.setPredicate(predicate, active,
                      isAnd ? nonZero & with : nonZero | with);
    return Step::next;
  }

private:
  Slot target, predicate, other;
  std::array<Slot, 3> sources;
  bool isAnd, negates = false;
};

uint8_t tableOperand(Decoder &decoder) {
  int64_t table = decoder.immediate(decoder.operand(4));
  if (table < 0 || table > 255)
    decoder.refuse("its look-up table is " + std::to_string(table) +
                   "; it must be a constant from 0 to 255");
  return static_cast<uint8_t>(table);
}

Decoded decodeLookUp(Decoder &decoder) {
  int combine = decoder.modifiers.takeOneOf({"and", "or"});
  expectType(decoder, {Type::b32});
  decoder.expectNoMoreModifiers();
  if (combine >= 0) {
    auto made = std::make_unique<LookUpWithPredicate>(decoder, combine == 0);
    made->table = tableOperand(decoder);
    return made;
  }
  decoder.expectOperands(5);
  Slot target = decoder.target(decoder.operand(0), Type::b32);
  std::array<Slot, 3> sources;
  for (size_t index = 0; index < 3; ++index)
    sources[index] = decoder.source(decoder.operand(1 + index), Type::b32);
  return makeLookUp(target, sources, tableOperand(decoder));
}

} // namespace

void ashlar::sim::addLogicInstructions(OpcodeTable &table) {
  table.add("and", [](Decoder &decoder) {
    return decodeBinaryLogic(decoder, [](auto a, auto b) { return a & b; });
  });
  table.add("or", [](Decoder &decoder) {
    return decodeBinaryLogic(decoder, [](auto a, auto b) { return a | b; });
  });
  table.add("xor", [](Decoder &decoder) {
    return decodeBinaryLogic(decoder, [](auto a, auto b) { return a ^ b; });
  });
  table.add("not", decodeNot);
  table.add("cnot", decodeLogicalNot);
  table.add("lop3", decodeLookUp);
}
