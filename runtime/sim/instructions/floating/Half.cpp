// Arithmetic on f16 and bf16 and pairs of them (PTX ISA, "Half Precision
// Floating Point Instructions"). Computed in f32, or in f64 rounded to odd
// where f32 would not hold enough, so that the last rounding is the only one.
#include "runtime/sim/instructions/floating/Float.h"
#include "runtime/sim/machine/numbers/RoundToOdd.h"

#include <cmath>
#include <cstring>

using namespace ashlar::sim;
using ptx::Type;

namespace {

enum class Operation : uint8_t { add, subtract, multiply, fma, exp2, tanh };

struct Modes {
  bool flush = false, saturate = false, relu = false, outOfBounds = false;
};

constexpr unsigned sourceCount(Operation operation) {
  switch (operation) {
  case Operation::fma:
    return 3;
  case Operation::exp2:
  case Operation::tanh:
    return 1;
  default:
    return 2;
  }
}

template <Operation operation> float apply(float a, float b, float c) {
  switch (operation) {
  case Operation::add:
    return a + b; // 24 bits are enough to round to 11 once more
  case Operation::subtract:
    return a - b;
  case Operation::multiply:
    return roundToOdd(double(a) * double(b));
  case Operation::fma:
    return roundToOdd(sumToOdd(double(a) * double(b), c));
  case Operation::exp2:
    return roundToOdd(std::exp2(double(a)));
  case Operation::tanh:
    return roundToOdd(std::tanh(double(a)));
  }
  return 0;
}

/// The NaN for what is out of bounds of a tensor, in f16 and bf16 and with
/// either sign: as a factor it makes the result of fma.oob 0.
constexpr uint16_t outOfBoundsNan = 0x7ff7;

/// Halves in a warp's register: one or two a lane.
constexpr unsigned maxHalves = 2 * warpLanes;

template <Operation operation, bool isBf16>
class HalfArithmetic final : public Instruction {
public:
  static constexpr unsigned sources = sourceCount(operation);

  HalfArithmetic(Operands<sources> operands, unsigned halves, Modes modes)
      : operands(operands), halves(halves), modes(modes) {}

  Step execute(Warp &warp, LaneMask active) const override {
    uint16_t in[sources][maxHalves], out[maxHalves];
    for (unsigned index = 0; index < sources; ++index) {
      std::memcpy(in[index], warp.lanes<std::byte>(operands.sources[index]),
                  halves * sizeof(uint16_t));
      if (modes.flush)
        for (unsigned half = 0; half < halves; ++half)
          in[index][half] = isBf16 ? flushedBf16(in[index][half])
                                   : flushedF16(in[index][half]);
    }
    compute(in, out);
    if (modes.outOfBounds)
      clearOutOfBounds(in, out);
    write(out, warp.lanes<std::byte>(operands.target), active);
    return Step::next;
  }

private:
  static uint16_t flushedBf16(uint16_t bits) {
    return bits & 0x7f80 ? bits : bits & 0x8000;
  }

  void compute(const uint16_t (&in)[sources][maxHalves], uint16_t *out) const {
    float values[sources][maxHalves], results[maxHalves];
    for (unsigned index = 0; index < sources; ++index)
      if constexpr (isBf16)
        bf16ToFloat(in[index], values[index], halves);
      else
        f16ToFloat(in[index], values[index], halves);
    const float *a = values[0], *b = values[sources > 1],
                *c = values[sources - 1];
    for (unsigned index = 0; index < halves; ++index)
      results[index] = apply<operation>(a[index], b[index], c[index]);
    if (modes.saturate)
      for (unsigned index = 0; index < halves; ++index)
        results[index] = saturated(results[index]);
    if constexpr (isBf16)
      floatToBf16(results, out, halves);
    else
      floatToF16(results, out, halves);
    if (modes.relu)
      for (unsigned index = 0; index < halves; ++index)
        out[index] = out[index] & 0x8000 ? 0 : out[index];
    if (modes.flush)
      for (unsigned index = 0; index < halves; ++index)
        out[index] = isBf16 ? flushedBf16(out[index]) : flushedF16(out[index]);
  }

  void clearOutOfBounds(const uint16_t (&in)[sources][maxHalves],
                        uint16_t *out) const {
    for (unsigned index = 0; index < halves; ++index)
      for (unsigned factor = 0; factor + 1 < sources; ++factor)
        if ((in[factor][index] & 0x7fff) == outOfBoundsNan)
          out[index] = 0;
  }

  void write(const uint16_t *out, std::byte *target, LaneMask active) const {
    if (active == allLanes) {
      std::memcpy(target, out, halves * sizeof(uint16_t));
      return;
    }
    const unsigned laneBytes = halves / warpLanes * sizeof(uint16_t);
    forEachLane(active, [&](unsigned lane) {
      std::memcpy(target + lane * laneBytes, out + halves / warpLanes * lane,
                  laneBytes);
    });
  }

  Operands<sources> operands;
  unsigned halves;
  Modes modes;
};

template <Operation operation> auto operandsOf(Decoder &decoder, Type type) {
  if constexpr (sourceCount(operation) == 1)
    return takeOperands(decoder, type, type);
  else if constexpr (sourceCount(operation) == 2)
    return takeOperands(decoder, type, type, type);
  else
    return takeOperands(decoder, type, type, type, type);
}

bool isBf16(Type type) { return type == Type::bf16 || type == Type::bf16x2; }

template <Operation operation>
Decoded make(Decoder &decoder, Type type, Modes modes) {
  auto operands = operandsOf<operation>(decoder, type);
  unsigned halves = ptx::bits(type) / 16 * warpLanes;
  if (isBf16(type))
    return std::make_unique<HalfArithmetic<operation, true>>(operands, halves,
                                                             modes);
  return std::make_unique<HalfArithmetic<operation, false>>(operands, halves,
                                                            modes);
}

Type expectHalf(Decoder &decoder) {
  return expectType(decoder,
                    {Type::f16, Type::f16x2, Type::bf16, Type::bf16x2});
}

template <Operation operation> Decoded decodeSimple(Decoder &decoder) {
  decoder.modifiers.take("rn"); // the only one there is
  Modes modes;
  unsigned flags = takeFlags(decoder, {"ftz", "sat"});
  modes.flush = flags & 1;
  modes.saturate = flags & 2;
  Type type = expectHalf(decoder);
  if (isBf16(type) && (modes.flush || modes.saturate))
    decoder.refuse("bf16 has neither .ftz nor .sat");
  return make<operation>(decoder, type, modes);
}

} // namespace

Decoded ashlar::sim::decodeHalfAdd(Decoder &decoder) {
  return decodeSimple<Operation::add>(decoder);
}
Decoded ashlar::sim::decodeHalfSubtract(Decoder &decoder) {
  return decodeSimple<Operation::subtract>(decoder);
}
Decoded ashlar::sim::decodeHalfMultiply(Decoder &decoder) {
  return decodeSimple<Operation::multiply>(decoder);
}

Decoded ashlar::sim::decodeHalfFma(Decoder &decoder) {
  if (!decoder.modifiers.take("rn"))
    decoder.refuse("it needs .rn, the only rounding that f16 and bf16 have");
  Modes modes;
  unsigned flags = takeFlags(decoder, {"ftz", "sat", "relu", "oob"});
  modes.flush = flags & 1;
  modes.saturate = flags & 2;
  modes.relu = flags & 4;
  modes.outOfBounds = flags & 8;
  Type type = expectHalf(decoder);
  if (isBf16(type) && (modes.flush || modes.saturate))
    decoder.refuse("bf16 has neither .ftz nor .sat");
  if (modes.saturate && (modes.relu || modes.outOfBounds))
    decoder.refuse(".sat goes with neither .relu nor .oob");
  if (modes.flush && modes.outOfBounds)
    decoder.refuse(".oob does not go with .ftz");
  return make<Operation::fma>(decoder, type, modes);
}

Decoded ashlar::sim::decodeHalfExp2(Decoder &decoder) {
  if (!decoder.modifiers.take("approx"))
    decoder.refuse("it needs .approx");
  Modes modes;
  modes.flush = decoder.modifiers.take("ftz");
  Type type = expectHalf(decoder);
  if (isBf16(type) != modes.flush)
    decoder.refuse(modes.flush ? "f16 has no .ftz here" : "bf16 needs .ftz");
  return make<Operation::exp2>(decoder, type, modes);
}

Decoded ashlar::sim::decodeHalfTanh(Decoder &decoder) {
  if (!decoder.modifiers.take("approx"))
    decoder.refuse("it needs .approx");
  return make<Operation::tanh>(decoder, expectHalf(decoder), {});
}
