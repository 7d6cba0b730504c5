// f32 and f64 arithmetic that is rounded once, as IEEE 754 says: add, sub, mul,
// fma, mad, div.rnd, rcp.rnd, sqrt.rnd (PTX ISA, "Floating Point
// Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/floating/Float.h"
#include "runtime/sim/machine/numbers/HostRounding.h"
#include "runtime/sim/machine/numbers/RoundToOdd.h"

#include <cmath>

using namespace ashlar::sim;
using ptx::Type;

namespace {

enum class Operation : uint8_t {
  add,
  subtract,
  multiply,
  fma,
  divide,
  reciprocal,
  squareRoot,
};

constexpr unsigned sourceCount(Operation operation) {
  switch (operation) {
  case Operation::reciprocal:
  case Operation::squareRoot:
    return 1;
  case Operation::fma:
    return 3;
  default:
    return 2;
  }
}

template <Operation operation, class T> T apply(T a, T b) {
  switch (operation) {
  case Operation::add:
    return a + b;
  case Operation::subtract:
    return a - b;
  case Operation::multiply:
    return a * b;
  case Operation::divide:
    return a / b;
  case Operation::reciprocal:
    return T(1) / a;
  default:
    return std::sqrt(a);
  }
}

/// f32 results: .ftz, .sat and the canonical NaN.
template <bool flush, bool saturate> uint32_t finished(float value) {
  if (saturate)
    value = saturated(value);
  uint32_t bits = std::bit_cast<uint32_t>(value);
  bits = (bits & 0x7fffffff) > 0x7f800000 ? canonicalNan32 : bits;
  return flush ? flushed(bits) : bits;
}

/// The hardware flushes what is subnormal before it is rounded, so a result
/// that rounding has made the smallest normal number may have to be flushed.
constexpr uint32_t smallestNormal = 0x00800000;

/// These can give what is inexact near there: sums and roots can't.
constexpr bool mayRoundToNormal(Operation operation) {
  return operation == Operation::multiply || operation == Operation::fma ||
         operation == Operation::divide || operation == Operation::reciprocal;
}

/// The exact result is less than the smallest normal number.
template <Operation operation>
bool isSubnormalExactly(float a, float b, float c) {
  constexpr double limit = 0x1p-126;
  switch (operation) {
  case Operation::multiply:
    return std::fabs(double(a) * double(b)) < limit;
  case Operation::fma:
    return std::fabs(sumToOdd(double(a) * double(b), c)) < limit;
  case Operation::divide:
    return std::fabs(double(a)) < limit * std::fabs(double(b));
  case Operation::reciprocal:
    return 1 < limit * std::fabs(double(a));
  default:
    return false;
  }
}

template <Operation operation, bool flush, bool saturate>
class SingleArithmetic final : public Instruction {
public:
  static constexpr unsigned count = sourceCount(operation);

  SingleArithmetic(Operands<count> operands, Rounding rounding)
      : operands(operands), rounding(rounding) {}

  Step execute(Warp &warp, LaneMask active) const override {
    std::array<const uint32_t *, count> in;
    for (unsigned index = 0; index < count; ++index)
      in[index] = warp.lanes<uint32_t>(operands.sources[index]);
    uint32_t *out = warp.lanes<uint32_t>(operands.target);
    if constexpr (operation == Operation::fma) {
      fused(in, out, active);
    } else if (rounding == Rounding::nearestEven) {
      simple(in, out, active);
    } else {
      HostRounding mode(rounding);
      simple(in, out, active);
    }
    return Step::next;
  }

private:
  static float value(uint32_t bits) {
    return std::bit_cast<float>(flush ? flushed(bits) : bits);
  }

  static constexpr bool repairs = flush && mayRoundToNormal(operation);

  static void simple(const std::array<const uint32_t *, count> &in,
                     uint32_t *out, LaneMask active) {
    const uint32_t *a = in[0], *b = in[count - 1];
    auto result = [=](unsigned lane) {
      return finished<flush, saturate>(
          apply<operation>(value(a[lane]), value(b[lane])));
    };
    if constexpr (!repairs) {
      eachLane(active, [=](unsigned lane) { out[lane] = result(lane); });
    } else {
      uint32_t results[warpLanes];
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        results[lane] = result(lane);
      flushRounded(in, results);
      eachLane(active, [&, out](unsigned lane) { out[lane] = results[lane]; });
    }
  }

  void fused(const std::array<const uint32_t *, count> &in, uint32_t *out,
             LaneMask active) const {
    float values[count][warpLanes], results[warpLanes];
    for (unsigned index = 0; index < count; ++index)
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        values[index][lane] = value(in[index][lane]);
    fusedMultiplyAdd(values[0], values[1], values[count - 1], results,
                     warpLanes, rounding);
    uint32_t bits[warpLanes];
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      bits[lane] = finished<flush, saturate>(results[lane]);
    if constexpr (repairs)
      flushRounded(in, bits);
    eachLane(active, [&, out](unsigned lane) { out[lane] = bits[lane]; });
  }

  static void flushRounded(const std::array<const uint32_t *, count> &in,
                           uint32_t *results) {
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if ((results[lane] & 0x7fffffff) == smallestNormal &&
          isSubnormalExactly<operation>(value(in[0][lane]),
                                        value(in[count > 1][lane]),
                                        value(in[count - 1][lane])))
        results[lane] &= 0x80000000;
  }

  Operands<count> operands;
  Rounding rounding;
};

template <Operation operation>
class DoubleArithmetic final : public Instruction {
public:
  static constexpr unsigned count = sourceCount(operation);

  DoubleArithmetic(Operands<count> operands, Rounding rounding)
      : operands(operands), rounding(rounding) {}

  Step execute(Warp &warp, LaneMask active) const override {
    HostRounding mode(rounding);
    const auto *a = warp.lanes<uint64_t>(operands.sources[0]);
    const auto *b = warp.lanes<uint64_t>(operands.sources[count > 1]);
    const auto *c = warp.lanes<uint64_t>(operands.sources[count - 1]);
    auto *out = warp.lanes<uint64_t>(operands.target);
    auto value = [](uint64_t bits) { return std::bit_cast<double>(bits); };
    eachLane(active, [=](unsigned lane) {
      double result;
      if constexpr (operation == Operation::fma)
        result = std::fma(value(a[lane]), value(b[lane]), value(c[lane]));
      else
        result = apply<operation>(value(a[lane]), value(b[lane]));
      out[lane] = std::bit_cast<uint64_t>(result);
    });
    return Step::next;
  }

private:
  Operands<count> operands;
  Rounding rounding;
};

template <Operation operation> auto operandsOf(Decoder &decoder, Type type) {
  if constexpr (sourceCount(operation) == 1)
    return takeOperands(decoder, type, type);
  else if constexpr (sourceCount(operation) == 2)
    return takeOperands(decoder, type, type, type);
  else
    return takeOperands(decoder, type, type, type, type);
}

template <Operation operation, bool flush>
Decoded makeSingle(Decoder &decoder, Rounding rounding, bool saturate) {
  auto operands = operandsOf<operation>(decoder, Type::f32);
  if (saturate)
    return std::make_unique<SingleArithmetic<operation, flush, true>>(operands,
                                                                      rounding);
  return std::make_unique<SingleArithmetic<operation, flush, false>>(operands,
                                                                     rounding);
}

/// `.rnd{.ftz}{.sat}.f32` or `.rnd.f64`.
template <Operation operation>
Decoded decodeExact(Decoder &decoder, bool needsRounding, bool maySaturate) {
  auto rounding = takeRounding(decoder);
  if (!rounding && needsRounding)
    decoder.refuse("it needs a rounding: .rn, .rz, .rm or .rp");
  unsigned flags = maySaturate ? takeFlags(decoder, {"ftz", "sat"})
                               : takeFlags(decoder, {"ftz"});
  bool flush = flags & 1, saturate = flags & 2;
  Type type = expectType(decoder, {Type::f32, Type::f64});
  Rounding mode = rounding.value_or(Rounding::nearestEven);
  if (type == Type::f32)
    return flush ? makeSingle<operation, true>(decoder, mode, saturate)
                 : makeSingle<operation, false>(decoder, mode, saturate);
  if (flush || saturate)
    decoder.refuse("f64 has neither .ftz nor .sat");
  auto operands = operandsOf<operation>(decoder, Type::f64);
  return std::make_unique<DoubleArithmetic<operation>>(operands, mode);
}

} // namespace

Decoded ashlar::sim::decodeFloatAdd(Decoder &decoder) {
  return endsInHalf(decoder)
             ? decodeHalfAdd(decoder)
             : decodeExact<Operation::add>(decoder, false, true);
}
Decoded ashlar::sim::decodeFloatSubtract(Decoder &decoder) {
  return endsInHalf(decoder)
             ? decodeHalfSubtract(decoder)
             : decodeExact<Operation::subtract>(decoder, false, true);
}
Decoded ashlar::sim::decodeFloatMultiply(Decoder &decoder) {
  return endsInHalf(decoder)
             ? decodeHalfMultiply(decoder)
             : decodeExact<Operation::multiply>(decoder, false, true);
}
Decoded ashlar::sim::decodeFloatMultiplyAdd(Decoder &decoder) {
  return decodeExact<Operation::fma>(decoder, true, true);
}
Decoded ashlar::sim::decodeFma(Decoder &decoder) {
  return endsInHalf(decoder) ? decodeHalfFma(decoder)
                             : decodeExact<Operation::fma>(decoder, true, true);
}
Decoded ashlar::sim::decodeExactDivide(Decoder &decoder) {
  return decodeExact<Operation::divide>(decoder, true, false);
}
Decoded ashlar::sim::decodeExactReciprocal(Decoder &decoder) {
  return decodeExact<Operation::reciprocal>(decoder, true, false);
}
Decoded ashlar::sim::decodeExactSquareRoot(Decoder &decoder) {
  return decodeExact<Operation::squareRoot>(decoder, true, false);
}

void ashlar::sim::addFloatInstructions(OpcodeTable &table) {
  table.add("fma", decodeFma);
  addApproximateInstructions(table);
  addFloatSelectInstructions(table);
}
