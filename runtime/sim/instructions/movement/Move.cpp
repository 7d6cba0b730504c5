// mov: values, predicates, special registers, addresses of variables and
// functions, and packing and unpacking of vectors (PTX ISA, "mov").
#include "runtime/sim/instructions/movement/Move.h"
#include "runtime/sim/instructions/Opcodes.h"

#include <cstring>

using namespace ashlar::sim;
using ptx::Operand;
using ptx::Type;

namespace {

struct Wide {
  uint64_t low, high;
};

class MoveWide final : public Instruction {
public:
  explicit MoveWide(Operands<1> operands) : operands(operands) {
    computes = true;
  }

  Step execute(Warp &warp, LaneMask active) const override {
    const Wide *in = warp.lanes<Wide>(operands.sources[0]);
    Wide *out = warp.lanes<Wide>(operands.target);
    eachLane(active, [=](unsigned lane) { out[lane] = in[lane]; });
    return Step::next;
  }

private:
  Operands<1> operands;
};

class MovePredicate final : public Instruction {
public:
  explicit MovePredicate(Decoder &decoder) {
    target = decoder.predicateTarget(decoder.operand(0));
    source = decoder.predicateSource(decoder.operand(1), negated);
  }

  Step execute(Warp &warp, LaneMask active) const override {
    warp.setPredicate(target, active,
                      warp.predicate(source) ^ (negated ? allLanes : 0));
    return Step::next;
  }

private:
  Slot target, source;
  bool negated = false;
};

/// Both directions between a register and the registers that stand for its
/// parts, the lowest first.
class MoveParts final : public Instruction {
public:
  Slot whole;
  std::vector<Slot> parts;
  unsigned partBytes = 0;
  bool packs = false;

  Step execute(Warp &warp, LaneMask active) const override {
    std::byte *wholes = warp.lanes<std::byte>(whole);
    for (unsigned index = 0; index < parts.size(); ++index) {
      std::byte *values = warp.lanes<std::byte>(parts[index]);
      unsigned stride = parts[index].laneBytes;
      forEachLane(active, [&](unsigned lane) {
        std::byte *inWhole =
            wholes + lane * whole.laneBytes + index * partBytes;
        std::byte *alone = values + lane * stride;
        if (packs) {
          std::memcpy(inWhole, alone, partBytes);
          return;
        }
        std::memset(alone, 0, stride); // a register of 8 bits takes two bytes
        std::memcpy(alone, inWhole, partBytes);
      });
    }
    return Step::next;
  }
};

Type bitsType(unsigned bits) {
  switch (bits) {
  case 8:
    return Type::b8;
  case 16:
    return Type::b16;
  case 32:
    return Type::b32;
  case 64:
    return Type::b64;
  default:
    return Type::b128;
  }
}

Decoded decodeParts(Decoder &decoder, Type type, bool packs) {
  auto elements = decoder.elements(decoder.operand(packs ? 1 : 0));
  unsigned count = static_cast<unsigned>(elements.size());
  bool isBits = type == Type::b16 || type == Type::b32 || type == Type::b64 ||
                type == Type::b128;
  if (!isBits || (count != 2 && count != 4) || ptx::bits(type) / count < 8)
    decoder.refuse("a vector of 2 or 4 goes with .b16, .b32, .b64 or .b128");
  auto made = std::make_unique<MoveParts>();
  made->packs = packs;
  made->partBytes = ptx::bits(type) / count / 8;
  Type part = bitsType(ptx::bits(type) / count);
  made->whole = packs ? decoder.target(decoder.operand(0), type)
                      : decoder.source(decoder.operand(1), type);
  for (const Operand *element : elements)
    made->parts.push_back(packs ? decoder.source(*element, part)
                                : decoder.target(*element, part));
  return made;
}

Decoded decodeValue(Decoder &decoder, Type type) {
  auto operands = takeOperands(decoder, type, type);
  auto make = [&]<class T>() {
    return laneWise<T, T>(operands.target, operands.sources,
                          [](T a) { return a; });
  };
  switch (ptx::bits(type)) {
  case 16:
    return make.template operator()<uint16_t>();
  case 32:
    return make.template operator()<uint32_t>();
  case 64:
    return make.template operator()<uint64_t>();
  default:
    return std::make_unique<MoveWide>(operands);
  }
}

Decoded decodePredicate(Decoder &decoder) {
  if (decoder.operand(1).kind != Operand::Kind::special)
    return std::make_unique<MovePredicate>(decoder);
  if (decoder.operand(1).special->type != Type::pred)
    decoder.refuse("special register '" + decoder.operand(1).text +
                   "' is not a predicate");
  Slot target = decoder.predicateTarget(decoder.operand(0));
  Slot source = decoder.sourceAnyWidth(decoder.operand(1), Type::b32);
  return lanePredicate<uint32_t>(target, {source},
                                 [](uint32_t a) { return a != 0; });
}

Decoded decodeMove(Decoder &decoder) {
  Type type = expectType(decoder, {Type::pred, Type::b16, Type::b32, Type::b64,
                                   Type::b128, Type::u16, Type::u32, Type::u64,
                                   Type::s16, Type::s32, Type::s64, Type::f32,
                                   Type::f64});
  decoder.expectNoMoreModifiers();
  decoder.expectOperands(2);
  decoder.traits.copiesRegister =
      decoder.operand(1).kind == Operand::Kind::registerUse;
  if (type == Type::pred)
    return decodePredicate(decoder);
  if (decoder.operand(0).kind == Operand::Kind::vector)
    return decodeParts(decoder, type, false);
  if (decoder.operand(1).kind == Operand::Kind::vector)
    return decodeParts(decoder, type, true);
  if (const ptx::Special *special = decoder.operand(1).special;
      special && special->isTime())
    return decodeReadTimer(decoder, type);
  return decodeValue(decoder, type);
}

} // namespace

void ashlar::sim::addMoveInstructions(OpcodeTable &table) {
  table.add("mov", decodeMove);
  addAddressInstructions(table);
  addConversionInstructions(table);
  addPermuteInstruction(table);
}
