#include "runtime/sim/instructions/comparison/Comparison.h"

#include <cmath>
#include <cstring>

using namespace ashlar::sim;
using ptx::Type;

namespace {

template <Comparison comparison, class T> bool holds(T a, T b) {
  const bool unordered = a != a || b != b;
  switch (comparison) {
  case Comparison::equal:
    return a == b;
  case Comparison::notEqual:
    return a != b && !unordered;
  case Comparison::less:
  case Comparison::lower:
    return a < b;
  case Comparison::lessEqual:
  case Comparison::lowerSame:
    return a <= b;
  case Comparison::greater:
  case Comparison::higher:
    return a > b;
  case Comparison::greaterEqual:
  case Comparison::higherSame:
    return a >= b;
  case Comparison::equalUnordered:
    return a == b || unordered;
  case Comparison::notEqualUnordered:
    return a != b;
  case Comparison::lessUnordered:
    return !(a >= b);
  case Comparison::lessEqualUnordered:
    return !(a > b);
  case Comparison::greaterUnordered:
    return !(a <= b);
  case Comparison::greaterEqualUnordered:
    return !(a < b);
  case Comparison::numbers:
    return !unordered;
  case Comparison::nan:
    return unordered;
  }
  return false;
}

/// How values of a type are read from a register. A plain type is its own.
template <class T> struct Plain {
  using Value = T;
  static constexpr unsigned stride = sizeof(T), offset = 0;
  using Bits = RegisterBits<T>;
  static T value(Bits bits) { return std::bit_cast<T>(bits); }
};
template <bool flush> struct Single {
  using Value = float;
  static constexpr unsigned stride = 4, offset = 0;
  using Bits = uint32_t;
  static float value(Bits bits) {
    return std::bit_cast<float>(flush ? flushed(bits) : bits);
  }
};
template <bool isBf16, bool flush, unsigned bytes, unsigned at> struct Half {
  using Value = float;
  static constexpr unsigned stride = bytes, offset = at;
  using Bits = uint16_t;
  static float value(Bits bits) {
    return isBf16 ? bf16ToFloat(bits)
                  : f16ToFloat(flush ? flushedF16(bits) : bits);
  }
};

template <class Format, Comparison comparison>
LaneMask compare(const std::byte *a, const std::byte *b) {
  uint8_t results[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    typename Format::Bits left, right;
    std::memcpy(&left, a + lane * Format::stride + Format::offset, sizeof left);
    std::memcpy(&right, b + lane * Format::stride + Format::offset,
                sizeof right);
    results[lane] =
        holds<comparison>(Format::value(left), Format::value(right));
  }
  LaneMask mask = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    mask |= LaneMask(results[lane]) << lane;
  return mask;
}

template <class Format, bool isFloat, bool isUnsigned>
CompareFunction functionOf(Comparison comparison) {
  using enum Comparison;
#define ASHLAR_SIM_COMPARE(which)                                              \
  case which:                                                                  \
    return compare<Format, which>;
  switch (comparison) {
    ASHLAR_SIM_COMPARE(equal)
    ASHLAR_SIM_COMPARE(notEqual)
    ASHLAR_SIM_COMPARE(less)
    ASHLAR_SIM_COMPARE(lessEqual)
    ASHLAR_SIM_COMPARE(greater)
    ASHLAR_SIM_COMPARE(greaterEqual)
  default:
    break;
  }
  if constexpr (isUnsigned)
    switch (comparison) {
      ASHLAR_SIM_COMPARE(lower)
      ASHLAR_SIM_COMPARE(lowerSame)
      ASHLAR_SIM_COMPARE(higher)
      ASHLAR_SIM_COMPARE(higherSame)
    default:
      break;
    }
  if constexpr (isFloat)
    switch (comparison) {
      ASHLAR_SIM_COMPARE(equalUnordered)
      ASHLAR_SIM_COMPARE(notEqualUnordered)
      ASHLAR_SIM_COMPARE(lessUnordered)
      ASHLAR_SIM_COMPARE(lessEqualUnordered)
      ASHLAR_SIM_COMPARE(greaterUnordered)
      ASHLAR_SIM_COMPARE(greaterEqualUnordered)
      ASHLAR_SIM_COMPARE(numbers)
      ASHLAR_SIM_COMPARE(nan)
    default:
      break;
    }
#undef ASHLAR_SIM_COMPARE
  return nullptr;
}

template <class T> CompareFunction bitFunction(Comparison comparison) {
  bool has =
      comparison == Comparison::equal || comparison == Comparison::notEqual;
  return has ? functionOf<Plain<T>, false, false>(comparison) : nullptr;
}

template <bool isBf16>
CompareFunction halfFunction(Comparison comparison, bool isPair, bool flush,
                             bool high) {
  if (!isPair)
    return flush
               ? functionOf<Half<isBf16, true, 2, 0>, true, false>(comparison)
               : functionOf<Half<isBf16, false, 2, 0>, true, false>(comparison);
  if (high)
    return flush
               ? functionOf<Half<isBf16, true, 4, 2>, true, false>(comparison)
               : functionOf<Half<isBf16, false, 4, 2>, true, false>(comparison);
  return flush ? functionOf<Half<isBf16, true, 4, 0>, true, false>(comparison)
               : functionOf<Half<isBf16, false, 4, 0>, true, false>(comparison);
}

} // namespace

std::optional<Comparison> ashlar::sim::takeComparison(Decoder &decoder) {
  int index = decoder.modifiers.takeOneOf(
      {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
       "ltu", "leu", "gtu", "geu", "num", "nan"});
  return index < 0 ? std::nullopt
                   : std::optional(static_cast<Comparison>(index));
}

CompareFunction ashlar::sim::compareFunction(Comparison comparison, Type type,
                                             bool flush, bool high) {
  switch (type) {
  case Type::b16:
    return bitFunction<uint16_t>(comparison);
  case Type::b32:
    return bitFunction<uint32_t>(comparison);
  case Type::b64:
    return bitFunction<uint64_t>(comparison);
  case Type::u16:
    return functionOf<Plain<uint16_t>, false, true>(comparison);
  case Type::u32:
    return functionOf<Plain<uint32_t>, false, true>(comparison);
  case Type::u64:
    return functionOf<Plain<uint64_t>, false, true>(comparison);
  case Type::s16:
    return functionOf<Plain<int16_t>, false, false>(comparison);
  case Type::s32:
    return functionOf<Plain<int32_t>, false, false>(comparison);
  case Type::s64:
    return functionOf<Plain<int64_t>, false, false>(comparison);
  case Type::f32:
    return flush ? functionOf<Single<true>, true, false>(comparison)
                 : functionOf<Single<false>, true, false>(comparison);
  case Type::f64:
    return functionOf<Plain<double>, true, false>(comparison);
  case Type::f16:
  case Type::f16x2:
    return halfFunction<false>(comparison, type == Type::f16x2, flush, high);
  case Type::bf16:
  case Type::bf16x2:
    return halfFunction<true>(comparison, type == Type::bf16x2, flush, high);
  default:
    return nullptr;
  }
}
