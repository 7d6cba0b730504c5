// The approximations: div.approx, div.full, rcp.approx, sqrt.approx,
// rsqrt.approx, sin, cos, lg2, ex2, tanh. Computed in f64 and rounded once,
// which is within the error that PTX states for each of them, but not what a
// GPU gives to the bit.
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/floating/Float.h"

#include <cmath>

using namespace ashlar::sim;
using ptx::Type;

namespace {

/// An f32 instruction by way of f64; .ftz flushes what goes in and out.
template <class Function>
Decoded makeSingle(Decoder &decoder, bool flush, Function function) {
  auto operands = takeOperands(decoder, Type::f32, Type::f32);
  return laneWise<uint32_t, uint32_t>(
      operands.target, operands.sources, [=](uint32_t bits) {
        float value = std::bit_cast<float>(flush ? flushed(bits) : bits);
        auto result = static_cast<float>(function(double(value)));
        uint32_t out = std::isnan(result) ? canonicalNan32
                                          : std::bit_cast<uint32_t>(result);
        return flush ? flushed(out) : out;
      });
}

template <class Function>
Decoded decodeSingle(Decoder &decoder, Function function) {
  if (!decoder.modifiers.take("approx"))
    decoder.refuse("it needs .approx");
  bool flush = decoder.modifiers.take("ftz");
  expectType(decoder, {Type::f32});
  return makeSingle(decoder, flush, function);
}

/// The upper half of an f64 result: the lower one is zero.
double upperHalf(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  return std::bit_cast<double>(bits & 0xffffffff00000000);
}

double flushedDouble(double value) {
  return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper halves.
template <class Function>
Decoded makeCoarseDouble(Decoder &decoder, Function function) {
  auto operands = takeOperands(decoder, Type::f64, Type::f64);
  return laneWise<double, double>(
      operands.target, operands.sources, [=](double value) {
        double result = function(upperHalf(flushedDouble(value)));
        return upperHalf(flushedDouble(result));
      });
}

double reciprocal(double a) { return 1 / a; }
double reciprocalRoot(double a) { return 1 / std::sqrt(a); }

/// Types f32 and f64 for rcp and rsqrt with .approx.
template <class Function>
Decoded decodeReciprocal(Decoder &decoder, Function function,
                         bool hasFineDouble) {
  bool flush = decoder.modifiers.take("ftz");
  if (expectType(decoder, {Type::f32, Type::f64}) == Type::f32)
    return makeSingle(decoder, flush, function);
  if (flush)
    return makeCoarseDouble(decoder, function);
  if (!hasFineDouble)
    decoder.refuse("for f64 .approx needs .ftz");
  return unary<double>(decoder, Type::f64, function);
}

Decoded decodeRcp(Decoder &decoder) {
  return decoder.modifiers.take("approx")
             ? decodeReciprocal(decoder, reciprocal, false)
             : decodeExactReciprocal(decoder);
}

Decoded decodeRsqrt(Decoder &decoder) {
  if (!decoder.modifiers.take("approx"))
    decoder.refuse("it needs .approx");
  return decodeReciprocal(decoder, reciprocalRoot, true);
}

Decoded decodeSqrt(Decoder &decoder) {
  if (!decoder.modifiers.take("approx"))
    return decodeExactSquareRoot(decoder);
  bool flush = decoder.modifiers.take("ftz");
  expectType(decoder, {Type::f32});
  return makeSingle(decoder, flush, [](double a) { return std::sqrt(a); });
}

/// div.approx is a * (1 / b), so where 1 / b is too small for a normal number
/// the quotient is 0, or NaN for an infinite a.
float approximateQuotient(float a, float b) {
  float magnitude = std::fabs(b);
  if (magnitude > 0x1p126f && magnitude < HUGE_VALF)
    return a * std::copysign(0.0f, b);
  return static_cast<float>(double(a) / double(b));
}

Decoded makeQuotient(Decoder &decoder, bool flush, bool full) {
  auto operands = takeOperands(decoder, Type::f32, Type::f32, Type::f32);
  return laneWise<uint32_t, uint32_t, uint32_t>(
      operands.target, operands.sources, [=](uint32_t a, uint32_t b) {
        float left = std::bit_cast<float>(flush ? flushed(a) : a);
        float right = std::bit_cast<float>(flush ? flushed(b) : b);
        float result = full ? left / right : approximateQuotient(left, right);
        uint32_t out = std::isnan(result) ? canonicalNan32
                                          : std::bit_cast<uint32_t>(result);
        return flush ? flushed(out) : out;
      });
}

} // namespace

Decoded ashlar::sim::decodeFloatDivide(Decoder &decoder) {
  int kind = decoder.modifiers.takeOneOf({"approx", "full"});
  if (kind < 0)
    return decodeExactDivide(decoder);
  bool flush = decoder.modifiers.take("ftz");
  expectType(decoder, {Type::f32});
  return makeQuotient(decoder, flush, kind == 1);
}

void ashlar::sim::addApproximateInstructions(OpcodeTable &table) {
  table.add("rcp", decodeRcp);
  table.add("rsqrt", decodeRsqrt);
  table.add("sqrt", decodeSqrt);
  table.add("sin", [](Decoder &decoder) {
    return decodeSingle(decoder, [](double a) { return std::sin(a); });
  });
  table.add("cos", [](Decoder &decoder) {
    return decodeSingle(decoder, [](double a) { return std::cos(a); });
  });
  table.add("lg2", [](Decoder &decoder) {
    return decodeSingle(decoder, [](double a) { return std::log2(a); });
  });
  table.add("ex2", [](Decoder &decoder) {
    if (endsInHalf(decoder))
      return decodeHalfExp2(decoder);
    return decodeSingle(decoder, [](double a) { return std::exp2(a); });
  });
  table.add("tanh", [](Decoder &decoder) {
    if (endsInHalf(decoder))
      return decodeHalfTanh(decoder);
    if (!decoder.modifiers.take("approx"))
      decoder.refuse("it needs .approx");
    expectType(decoder, {Type::f32});
    return makeSingle(decoder, false, [](double a) { return std::tanh(a); });
  });
}
