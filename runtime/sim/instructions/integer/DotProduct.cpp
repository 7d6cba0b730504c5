// dp4a and dp2a (PTX ISA, "Integer Arithmetic Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/integer/Integer.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

/// Sum of products of parts of a, of type A, with bytes of b from `first` on:
/// all four bytes of a (dp4a), or its halves with two bytes of b (dp2a).
template <class A, class B, unsigned count, unsigned first>
uint32_t dotProduct(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned index = 0; index < count; ++index)
    c += static_cast<uint32_t>(
        int32_t(static_cast<A>(a >> 32 / count * index)) *
        int32_t(static_cast<B>(b >> 8 * (first + index))));
  return c;
}

template <class A, class B>
Decoded decodeDotProductOf(Decoder &decoder, Operands<3> operands,
                           unsigned products, bool high) {
  auto make = [&](auto operation) {
    return laneWise<uint32_t, uint32_t, uint32_t, uint32_t>(
        operands.target, operands.sources, operation);
  };
  if (products == 4)
    return make([](uint32_t a, uint32_t b, uint32_t c) {
      return dotProduct<A, B, 4, 0>(a, b, c);
    });
  using Half = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  if (high)
    return make([](uint32_t a, uint32_t b, uint32_t c) {
      return dotProduct<Half, B, 2, 2>(a, b, c);
    });
  return make([](uint32_t a, uint32_t b, uint32_t c) {
    return dotProduct<Half, B, 2, 0>(a, b, c);
  });
}

Decoded decodeDotProduct(Decoder &decoder, unsigned products) {
  int part = products == 2 ? decoder.modifiers.takeOneOf({"lo", "hi"}) : 0;
  if (part < 0)
    decoder.refuse("it needs .lo or .hi before its types");
  bool high = part == 1;
  Type a = expectType(decoder, {Type::u32, Type::s32});
  Type b = expectType(decoder, {Type::u32, Type::s32});
  Type c = a == Type::u32 && b == Type::u32 ? Type::u32 : Type::s32;
  auto operands = takeOperands(decoder, c, a, b, c);
  if (a == Type::u32)
    return b == Type::u32
               ? decodeDotProductOf<uint8_t, uint8_t>(decoder, operands,
                                                      products, high)
               : decodeDotProductOf<uint8_t, int8_t>(decoder, operands,
                                                     products, high);
  return b == Type::u32 ? decodeDotProductOf<int8_t, uint8_t>(decoder, operands,
                                                              products, high)
                        : decodeDotProductOf<int8_t, int8_t>(decoder, operands,
                                                             products, high);
}

} // namespace

void ashlar::sim::addDotProductInstructions(OpcodeTable &table) {
  table.add("dp4a", [](Decoder &d) { return decodeDotProduct(d, 4); });
  table.add("dp2a", [](Decoder &d) { return decodeDotProduct(d, 2); });
}
