#include "runtime/sim/machine/copies/CopyReduction.h"

#include "runtime/sim/machine/numbers/Formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <type_traits>

namespace ashlar::sim {

namespace {

using ptx::Type;

/// Calls `combine(old, value)` for each pair of elements.
template <class T, class Combine>
void forEach(uint8_t *target, const uint8_t *source, size_t bytes,
             Combine combine) {
  for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old, value;
    std::memcpy(&old, target + at, sizeof(T));
    std::memcpy(&value, source + at, sizeof(T));
    old = combine(old, value);
    std::memcpy(target + at, &old, sizeof(T));
  }
}

template <class T>
void reduceIntegers(CopyOperation operation, uint8_t *target,
                    const uint8_t *source, size_t bytes) {
  using Bits = std::make_unsigned_t<T>;
  switch (operation) {
  case CopyOperation::add:
    return forEach<Bits>(target, source, bytes,
                         [](Bits a, Bits b) { return Bits(a + b); });
  case CopyOperation::minimum:
    return forEach<T>(target, source, bytes,
                      [](T a, T b) { return std::min(a, b); });
  case CopyOperation::maximum:
    return forEach<T>(target, source, bytes,
                      [](T a, T b) { return std::max(a, b); });
  case CopyOperation::increment:
    return forEach<Bits>(target, source, bytes, [](Bits a, Bits b) {
      return a >= b ? Bits(0) : Bits(a + 1);
    });
  case CopyOperation::decrement:
    return forEach<Bits>(target, source, bytes, [](Bits a, Bits b) {
      return a == 0 || a > b ? b : Bits(a - 1);
    });
  case CopyOperation::bitAnd:
    return forEach<Bits>(target, source, bytes,
                         [](Bits a, Bits b) { return Bits(a & b); });
  case CopyOperation::bitOr:
    return forEach<Bits>(target, source, bytes,
                         [](Bits a, Bits b) { return Bits(a | b); });
  case CopyOperation::bitXor:
    return forEach<Bits>(target, source, bytes,
                         [](Bits a, Bits b) { return Bits(a ^ b); });
  }
}

float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

float addFloats(float a, float b) {
  const float sum = a + b;
  return std::isnan(sum) ? std::bit_cast<float>(canonicalNan32) : sum;
}

float addFlushing(float a, float b) {
  return flush(addFloats(flush(a), flush(b)));
}

// f64 keeps the NaN that it is given.
double addDoubles(double a, double b) {
  const double sum = a + b;
  constexpr uint64_t quiet = uint64_t(1) << 51;
  if (std::isnan(a) || std::isnan(b))
    return std::bit_cast<double>(
        std::bit_cast<uint64_t>(std::isnan(a) ? a : b) | quiet);
  return std::isnan(sum) ? std::bit_cast<double>(0xfff8'0000'0000'0000ull)
                         : sum;
}

// A NaN loses against a number, and -0 counts as less than +0 (min.f16).
template <float (*toFloat)(uint16_t)>
uint16_t extreme(uint16_t a, uint16_t b, bool greatest) {
  const float x = toFloat(a), y = toFloat(b);
  if (std::isnan(x))
    return std::isnan(y) ? canonicalNan16 : b;
  if (std::isnan(y))
    return a;
  const bool aIsLess = x < y || (x == y && std::signbit(x));
  return aIsLess != greatest ? a : b;
}

template <float (*toFloat)(uint16_t), uint16_t (*fromFloat)(float)>
void reduceHalves(CopyOperation operation, uint8_t *target,
                  const uint8_t *source, size_t bytes) {
  // Rounding the f32 sum again rounds as if once: f32 has 24 bits, twice the 11
  // (f16) or 8 (bf16) and two more.
  if (operation == CopyOperation::add)
    return forEach<uint16_t>(target, source, bytes, [](uint16_t a, uint16_t b) {
      return fromFloat(toFloat(a) + toFloat(b));
    });
  const bool greatest = operation == CopyOperation::maximum;
  forEach<uint16_t>(target, source, bytes, [&](uint16_t a, uint16_t b) {
    return extreme<toFloat>(a, b, greatest);
  });
}

bool isOneOf(Type type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

} // namespace

void CopyReduction::apply(uint8_t *target, const uint8_t *source,
                          size_t bytes) const {
  switch (type) {
  case Type::s32:
    return reduceIntegers<int32_t>(operation, target, source, bytes);
  case Type::s64:
    return reduceIntegers<int64_t>(operation, target, source, bytes);
  case Type::u64:
  case Type::b64:
    return reduceIntegers<uint64_t>(operation, target, source, bytes);
  case Type::f16:
    return reduceHalves<f16ToFloat, floatToF16>(operation, target, source,
                                                bytes);
  case Type::bf16:
    return reduceHalves<bf16ToFloat, floatToBf16>(operation, target, source,
                                                  bytes);
  case Type::f32:
    return forEach<float>(target, source, bytes,
                          flushes ? addFlushing : addFloats);
  case Type::f64:
    return forEach<double>(target, source, bytes, addDoubles);
  default:
    return reduceIntegers<uint32_t>(operation, target, source, bytes);
  }
}

// PTX ISA, cp.reduce.async.bulk, the table of operations and types.
bool hasCopyReduction(CopyReduction reduction, bool toGlobal) {
  const Type type = reduction.type;
  switch (reduction.operation) {
  case CopyOperation::add:
    return isOneOf(type, {Type::u32, Type::s32, Type::u64}) ||
           (toGlobal &&
            isOneOf(type, {Type::f32, Type::f64, Type::f16, Type::bf16}));
  case CopyOperation::minimum:
  case CopyOperation::maximum:
    return isOneOf(type, {Type::u32, Type::s32}) ||
           (toGlobal &&
            isOneOf(type, {Type::u64, Type::s64, Type::f16, Type::bf16}));
  case CopyOperation::increment:
  case CopyOperation::decrement:
    return type == Type::u32;
  case CopyOperation::bitAnd:
  case CopyOperation::bitOr:
  case CopyOperation::bitXor:
    return type == Type::b32 || (toGlobal && type == Type::b64);
  }
  return false;
}

// PTX ISA, cp.reduce.async.bulk.tensor, the table of operations and elements.
std::optional<Type> tensorReductionType(CopyOperation operation,
                                        TensorElement element) {
  Type type = Type::b8;
  switch (element) {
  case TensorElement::u32:
    type = Type::u32;
    break;
  case TensorElement::s32:
    type = Type::s32;
    break;
  case TensorElement::u64:
    type = Type::u64;
    break;
  case TensorElement::s64:
    type = Type::s64;
    break;
  case TensorElement::f16:
    type = Type::f16;
    break;
  case TensorElement::bf16:
    type = Type::bf16;
    break;
  case TensorElement::f32:
  case TensorElement::f32Ftz:
    type = Type::f32;
    break;
  default:
    return std::nullopt;
  }
  // Tensors of s64 are an illegal instruction there, as measured on an H200.
  if (operation >= CopyOperation::bitAnd)
    type = type == Type::s64 || ptx::isFloat(type) ? Type::b8
           : ptx::sizeBytes(type) == 8             ? Type::b64
                                                   : Type::b32;
  if (hasCopyReduction({operation, type}, true))
    return type;
  return std::nullopt;
}

} // namespace ashlar::sim
