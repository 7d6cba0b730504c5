// cvt of one value (PTX ISA, "cvt"). Integers go through 64 bits, everything
// else through f64, which holds each value of the other formats, so that the
// conversion to the destination is the only one that rounds. A register wider
// than its type is read in its lower bits and written extended.
#include "runtime/sim/instructions/movement/Conversion.h"

#include "runtime/sim/machine/numbers/HostRounding.h"
#include "runtime/sim/machine/numbers/RoundToOdd.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace ashlar::sim;
using ptx::Type;

namespace {

using Words = std::array<uint64_t, warpLanes>;
using Values = std::array<double, warpLanes>;

template <class Register> void readAs(Warp &warp, Slot slot, Words &words) {
  const auto *in = warp.lanes<Register>(slot);
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    words[lane] = in[lane];
}

void read(Warp &warp, Slot slot, Words &words) {
  switch (slot.laneBytes) {
  case 2:
    return readAs<uint16_t>(warp, slot, words);
  case 4:
    return readAs<uint32_t>(warp, slot, words);
  default:
    return readAs<uint64_t>(warp, slot, words);
  }
}

template <class Register>
void writeAs(Warp &warp, Slot slot, LaneMask active, const Words &words) {
  auto *out = warp.lanes<Register>(slot);
  eachLane(active, [&, out](unsigned lane) {
    out[lane] = static_cast<Register>(words[lane]);
  });
}

void write(Warp &warp, Slot slot, LaneMask active, const Words &words) {
  switch (slot.laneBytes) {
  case 2:
    return writeAs<uint16_t>(warp, slot, active, words);
  case 4:
    return writeAs<uint32_t>(warp, slot, active, words);
  default:
    return writeAs<uint64_t>(warp, slot, active, words);
  }
}

/// Sign- or zero-extends values of the type to 64 bits.
void extend(Type type, Words &words) {
  unsigned unused = 64 - ptx::bits(type);
  if (ptx::isSigned(type))
    for (uint64_t &word : words)
      word =
          static_cast<uint64_t>(static_cast<int64_t>(word << unused) >> unused);
  else
    for (uint64_t &word : words)
      word = word << unused >> unused;
}

int64_t leastOf(Type type) {
  return ptx::isSigned(type)
             ? std::numeric_limits<int64_t>::min() >> (64 - ptx::bits(type))
             : 0;
}
uint64_t greatestOf(Type type) {
  return ~uint64_t(0) >> (64 - ptx::bits(type) + ptx::isSigned(type));
}

void clampIntegers(Type from, Type to, Words &words) {
  int64_t least = leastOf(to);
  uint64_t greatest = greatestOf(to);
  for (uint64_t &word : words) {
    bool negative = ptx::isSigned(from) && static_cast<int64_t>(word) < 0;
    if (negative)
      word = static_cast<int64_t>(word) < least ? static_cast<uint64_t>(least)
                                                : word;
    else
      word = word > greatest ? greatest : word;
  }
}

/// An integer as a double that any later rounding treats as it would the
/// integer: beyond 2^53 the lower bits are gathered into one.
double gathered(uint64_t word, bool isSigned) {
  bool negative = isSigned && static_cast<int64_t>(word) < 0;
  uint64_t magnitude = negative ? 0 - word : word;
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t(0x7ff)) |
                (magnitude & 0x7ff ? uint64_t(0x800) : 0);
  auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

void valuesOf(Type type, const Words &words, Values &values) {
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    uint64_t word = words[lane];
    switch (type) {
    case Type::f16:
      values[lane] = f16ToFloat(static_cast<uint16_t>(word));
      break;
    case Type::bf16:
      values[lane] = bf16ToFloat(static_cast<uint16_t>(word));
      break;
    case Type::f32:
      values[lane] = std::bit_cast<float>(static_cast<uint32_t>(word));
      break;
    case Type::f64:
      values[lane] = std::bit_cast<double>(word);
      break;
    default:
      values[lane] = gathered(word, ptx::isSigned(type));
    }
  }
}

double integral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::towardZero:
    return std::trunc(value);
  case Rounding::down:
    return std::floor(value);
  case Rounding::up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// What a NaN becomes as an integer: 0, or, when one of the types has 64 bits,
/// the highest bit alone.
uint64_t integerOfNan(Type from, Type to) {
  bool wide = from == Type::f64 || ptx::bits(to) == 64;
  return wide ? uint64_t(1) << (ptx::bits(to) - 1) : 0;
}

uint64_t integerOf(double value, Type from, Type to) {
  if (std::isnan(value))
    return integerOfNan(from, to);
  if (value <= static_cast<double>(leastOf(to)))
    return static_cast<uint64_t>(leastOf(to));
  // The greatest of 64 bits is not a double; the next power of two is.
  if (value >=
      std::ldexp(1.0, static_cast<int>(ptx::bits(to)) - ptx::isSigned(to)))
    return greatestOf(to);
  return ptx::isSigned(to) ? static_cast<uint64_t>(static_cast<int64_t>(value))
                           : static_cast<uint64_t>(value);
}

double saturatedDouble(double value) {
  return value > 0 ? (value < 1 ? value : 1.0) : 0.0;
}

/// .ftz flushes what is subnormal before it is rounded.
uint64_t singleOf(double value, bool flush) {
  if (flush && std::fabs(value) < 0x1p-126)
    return std::signbit(value) ? 0x80000000 : 0;
  auto single = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(single);
  bits = (bits & 0x7fffffff) > 0x7f800000 ? canonicalNan32 : bits;
  return bits;
}

/// The bits of values in a float format.
void bitsOf(const ConversionModes &modes, Type to, const Values &values,
            Words &words) {
  switch (to) {
  case Type::f32: {
    HostRounding mode(modes.rounding);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      words[lane] = singleOf(values[lane], modes.flush);
    return;
  }
  case Type::f64:
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      words[lane] = std::bit_cast<uint64_t>(values[lane]);
    return;
  default:
    break;
  }
  bool nearest =
      modes.rounding == Rounding::nearestEven && !modes.saturateFinite;
  const FloatFormat &format = to == Type::f16 ? f16Format : bf16Format;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!nearest)
      words[lane] =
          encode(values[lane], format, modes.rounding, modes.saturateFinite);
    else if (to == Type::f16)
      words[lane] = floatToF16(roundToOdd(values[lane]));
    else
      words[lane] = floatToBf16(roundToOdd(values[lane]));
    if (modes.relu && words[lane] & 0x8000)
      words[lane] = 0;
  }
}

class Convert final : public Instruction {
public:
  Convert(Type to, Type from, Slot target, Slot source, ConversionModes modes)
      : to(to), from(from), target(target), source(source), modes(modes) {}

  Step execute(Warp &warp, LaneMask active) const override {
    Words words;
    read(warp, source, words);
    bool fromFloat = ptx::isFloat(from), toFloat = ptx::isFloat(to);
    if (!fromFloat)
      extend(from, words);
    if (fromFloat || toFloat)
      convert(words);
    else if (modes.saturate)
      clampIntegers(from, to, words);
    if (!toFloat)
      extend(to, words);
    write(warp, target, active, words);
    return Step::next;
  }

private:
  void convert(Words &words) const {
    if (to == Type::f64 && !ptx::isFloat(from) && !modes.saturate)
      return toDouble(words);
    // To f16 the hardware does not flush: it shows when rounding up or down.
    if (modes.flush && from == Type::f32 && to != Type::f16)
      for (uint64_t &word : words)
        word = flushed(static_cast<uint32_t>(word));
    Values values;
    valuesOf(from, words, values);
    if (modes.toIntegral)
      for (double &value : values)
        value = integral(value, modes.rounding);
    if (!ptx::isFloat(to)) {
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        words[lane] = integerOf(values[lane], from, to);
      return;
    }
    if (modes.saturate)
      for (double &value : values)
        value = saturatedDouble(value);
    bitsOf(modes, to, values, words);
  }

  void toDouble(Words &words) const {
    HostRounding mode(modes.rounding);
    if (ptx::isSigned(from))
      for (uint64_t &word : words)
        word = std::bit_cast<uint64_t>(
            static_cast<double>(static_cast<int64_t>(word)));
    else
      for (uint64_t &word : words)
        word = std::bit_cast<uint64_t>(unsignedToDouble(word));
  }

  /// Both halves are exact, so the sum alone rounds, as the mode says.
  static double unsignedToDouble(uint64_t word) {
    if (word == 0)
      return 0; // not -0, as a sum rounded down would have it
    return static_cast<double>(static_cast<int64_t>(word >> 32)) * 0x1p32 +
           static_cast<double>(static_cast<int64_t>(word & 0xffffffff));
  }

  Type to, from;
  Slot target, source;
  ConversionModes modes;
};

/// The conversions that kernels do most, without the detour.
Decoded makeCommon(Type to, Type from, Slot target, Slot source,
                   const ConversionModes &modes) {
  if (modes.flush || modes.saturate || modes.relu || modes.saturateFinite ||
      modes.toIntegral || modes.rounding != Rounding::nearestEven ||
      target.laneBytes != ptx::sizeBytes(to) ||
      source.laneBytes != ptx::sizeBytes(from))
    return nullptr;
  if (from == Type::f32 && to == Type::f16)
    return laneWise<uint16_t, float>(target, {source},
                                     [](float a) { return floatToF16(a); });
  if (from == Type::f32 && to == Type::bf16)
    return laneWise<uint16_t, float>(target, {source},
                                     [](float a) { return floatToBf16(a); });
  if (from == Type::f16 && to == Type::f32)
    return laneWise<uint32_t, uint16_t>(target, {source}, [](uint16_t a) {
      uint32_t bits = std::bit_cast<uint32_t>(f16ToFloat(a));
      return (bits & 0x7fffffff) > 0x7f800000 ? canonicalNan32 : bits;
    });
  if (from == Type::bf16 && to == Type::f32)
    return laneWise<uint32_t, uint16_t>(
        target, {source}, [](uint16_t a) { return uint32_t(a) << 16; });
  if (from == Type::s32 && to == Type::f32)
    return laneWise<float, int32_t>(
        target, {source}, [](int32_t a) { return static_cast<float>(a); });
  if (from == Type::u32 && to == Type::u64)
    return laneWise<uint64_t, uint32_t>(target, {source},
                                        [](uint32_t a) { return a; });
  if (from == Type::s32 && to == Type::s64)
    return laneWise<int64_t, int32_t>(target, {source},
                                      [](int32_t a) { return a; });
  if (from == Type::u64 && to == Type::u32)
    return laneWise<uint32_t, uint64_t>(target, {source},
                                        [](uint64_t a) { return a; });
  return nullptr;
}

} // namespace

Decoded ashlar::sim::makeConversion(Type to, Type from, Slot target,
                                    Slot source, const ConversionModes &modes) {
  if (Decoded common = makeCommon(to, from, target, source, modes))
    return common;
  return std::make_unique<Convert>(to, from, target, source, modes);
}
