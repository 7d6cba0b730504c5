// set and setp (PTX ISA, "Comparison and Selection Instructions"): a lane mask
// of a comparison, combined with a predicate.
#include "runtime/sim/instructions/comparison/Comparison.h"
#include "runtime/sim/instructions/Opcodes.h"

#include <cstring>

using namespace ashlar::sim;
using ptx::Type;

namespace {

constexpr std::initializer_list<Type> comparedTypes = {
    Type::b16, Type::b32, Type::b64,   Type::u16,  Type::u32,
    Type::u64, Type::s16, Type::s32,   Type::s64,  Type::f32,
    Type::f64, Type::f16, Type::f16x2, Type::bf16, Type::bf16x2};

enum class Combine : uint8_t { none, conjunction, disjunction, exclusive };

LaneMask combined(Combine how, LaneMask result, LaneMask other) {
  switch (how) {
  case Combine::none:
    return result;
  case Combine::conjunction:
    return result & other;
  case Combine::disjunction:
    return result | other;
  case Combine::exclusive:
    return result ^ other;
  }
  return result;
}

/// What set and setp have in common: their modifiers and sources.
struct Compared {
  Comparison comparison = Comparison::equal;
  Combine combine = Combine::none;
  bool flush = false;
  Type type = Type::b32;
  Slot a, b, other;
  bool negatesOther = false;
  CompareFunction low = nullptr, high = nullptr; // high: of a pair

  void takeOperator(Decoder &decoder);
  void takeType(Decoder &decoder);
  void takeSources(Decoder &decoder);
  bool isPair() const { return type == Type::f16x2 || type == Type::bf16x2; }
  LaneMask otherOf(Warp &warp) const {
    return combine == Combine::none
               ? 0
               : warp.predicate(other) ^ (negatesOther ? allLanes : 0);
  }
  LaneMask lowOf(Warp &warp) const {
    return low(warp.lanes<std::byte>(a), warp.lanes<std::byte>(b));
  }
  LaneMask highOf(Warp &warp) const {
    return high(warp.lanes<std::byte>(a), warp.lanes<std::byte>(b));
  }
};

void Compared::takeOperator(Decoder &decoder) {
  auto found = takeComparison(decoder);
  if (!found)
    decoder.refuse("it needs a comparison first, such as .eq");
  comparison = *found;
  combine = static_cast<Combine>(
      decoder.modifiers.takeOneOf({"and", "or", "xor"}) + 1);
  flush = decoder.modifiers.take("ftz");
}

void Compared::takeType(Decoder &decoder) {
  type = expectType(decoder, comparedTypes);
  if (flush && type != Type::f32 && type != Type::f16 && type != Type::f16x2)
    decoder.refuse("only f32 and f16 have .ftz");
  low = compareFunction(comparison, type, flush, false);
  high = isPair() ? compareFunction(comparison, type, flush, true) : nullptr;
  if (!low)
    decoder.refuse("type ." + std::string(ptx::name(type)) +
                   " does not have this comparison");
}

void Compared::takeSources(Decoder &decoder) {
  decoder.expectNoMoreModifiers();
  decoder.expectOperands(combine == Combine::none ? 3 : 4);
  a = decoder.source(decoder.operand(1), type);
  b = decoder.source(decoder.operand(2), type);
  if (combine != Combine::none)
    other = decoder.predicateSource(decoder.operand(3), negatesOther);
}

/// p[|q]: of a single value q belongs to the complement, of a pair to its
/// upper half, which is dropped where there is no q.
class SetPredicate final : public Instruction {
public:
  explicit SetPredicate(Decoder &decoder) {
    compared.takeOperator(decoder);
    compared.takeType(decoder);
    compared.takeSources(decoder);
    const ptx::Operand &results = decoder.operand(0);
    if (results.kind != ptx::Operand::Kind::pair) {
      first = decoder.predicateTarget(results);
      return;
    }
    if (compared.type == Type::f16 || compared.type == Type::bf16)
      decoder.refuse("a comparison of ." +
                     std::string(ptx::name(compared.type)) +
                     " has one result, not p|q");
    first = decoder.predicateTarget(results.elements.at(0));
    second = decoder.predicateTarget(results.elements.at(1));
    hasSecond = true;
  }

  Step execute(Warp &warp, LaneMask active) const override {
    LaneMask result = compared.lowOf(warp);
    LaneMask other = compared.otherOf(warp);
    LaneMask opposite = !hasSecond          ? 0
                        : compared.isPair() ? compared.highOf(warp)
                                            : ~result;
    warp.setPredicate(first, active, combined(compared.combine, result, other));
    if (hasSecond)
      warp.setPredicate(second, active,
                        combined(compared.combine, opposite, other));
    return Step::next;
  }

private:
  Compared compared;
  Slot first, second;
  bool hasSecond = false;
};

/// What `set` writes for true, by its destination's type.
uint64_t trueOf(Type type) {
  switch (type) {
  case Type::f32:
    return 0x3f800000;
  case Type::f16:
    return 0x3c00;
  case Type::f16x2:
    return 0x3c003c00;
  case Type::bf16:
    return 0x3f80;
  case Type::bf16x2:
    return 0x3f803f80;
  case Type::u16:
  case Type::s16:
    return 0xffff;
  default:
    return 0xffffffff;
  }
}

class Set final : public Instruction {
public:
  explicit Set(Decoder &decoder) {
    compared.takeOperator(decoder);
    Type result = expectType(decoder, {Type::u16, Type::s16, Type::u32,
                                       Type::s32, Type::f32, Type::f16,
                                       Type::f16x2, Type::bf16, Type::bf16x2});
    compared.takeType(decoder);
    expectResult(decoder, result);
    compared.takeSources(decoder);
    target = decoder.target(decoder.operand(0), result);
    whenTrue = static_cast<uint32_t>(trueOf(result));
  }

  Step execute(Warp &warp, LaneMask active) const override {
    LaneMask other = compared.otherOf(warp);
    LaneMask low = combined(compared.combine, compared.lowOf(warp), other);
    if (target.laneBytes == 2) {
      auto *out = warp.lanes<uint16_t>(target);
      forEachLane(active, [&](unsigned lane) {
        out[lane] = static_cast<uint16_t>(low >> lane & 1 ? whenTrue : 0);
      });
      return Step::next;
    }
    LaneMask high = compared.isPair() ? combined(compared.combine,
                                                 compared.highOf(warp), other)
                                      : low;
    auto *out = warp.lanes<uint32_t>(target);
    eachLane(active, [=, whenTrue = whenTrue](unsigned lane) {
      uint32_t mask = (low >> lane & 1 ? 0xffffu : 0) |
                      (high >> lane & 1 ? 0xffff0000u : 0);
      out[lane] = whenTrue & mask;
    });
    return Step::next;
  }

private:
  /// Which destinations go with which sources.
  void expectResult(Decoder &decoder, Type result) {
    bool is32 = ptx::bits(result) == 32, good = false;
    switch (compared.type) {
    case Type::f16x2:
      good = is32 && result != Type::bf16x2 && result != Type::f32;
      break;
    case Type::bf16x2:
      good = is32 && result != Type::f16x2 && result != Type::f32;
      break;
    case Type::f16:
      good = result == Type::f16 || result == Type::bf16 ||
             result == Type::u16 || result == Type::s16 ||
             result == Type::u32 || result == Type::s32;
      break;
    case Type::bf16:
      good = result == Type::bf16 || result == Type::u16 ||
             result == Type::s16 || result == Type::u32 || result == Type::s32;
      break;
    default:
      good = result == Type::u32 || result == Type::s32 ||
             result == Type::f32 || result == Type::f16 || result == Type::bf16;
    }
    if (compared.flush && result == Type::bf16)
      decoder.refuse("with .bf16 as its result it has no .ftz");
    if (!good)
      decoder.refuse("a comparison of ." +
                     std::string(ptx::name(compared.type)) + " can't give ." +
                     std::string(ptx::name(result)));
  }

  Compared compared;
  Slot target;
  uint32_t whenTrue = 0;
};

} // namespace

void ashlar::sim::addComparisonInstructions(OpcodeTable &table) {
  table.add("setp", [](Decoder &decoder) -> Decoded {
    return std::make_unique<SetPredicate>(decoder);
  });
  table.add("set", [](Decoder &decoder) -> Decoded {
    return std::make_unique<Set>(decoder);
  });
  addSelectionInstructions(table);
}
