// wmma.mma: D = A B + C of fragments.

#include "runtime/sim/instructions/matrix/Wmma.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/matrix/MatrixFragment.h"
#include "runtime/sim/machine/numbers/Formats.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace ashlar::sim {

using enum MatrixType;

namespace {

constexpr unsigned maxOperand = 512, maxResult = 256;

struct WmmaMultiply final : Instruction {
  WmmaFragment fragmentA, fragmentB, fragmentC, fragmentD;
  std::vector<Slot> a, b, c, d;
  bool saturate = false, conjunction = false;

  /// The fragment's elements, packed.
  static void gather(Warp &warp, const WmmaFragment &fragment,
                     const std::vector<Slot> &registers, uint8_t *out) {
    const size_t bytes = size_t(warpLanes) * fragment.registerBits() / 8;
    for (unsigned i = 0; i < fragment.storedRegisters(); ++i)
      std::memcpy(out + i * bytes, warp.lanes<uint8_t>(registers[i]), bytes);
  }

  template <class T> void multiply(Warp &warp) const {
    alignas(8) std::array<uint8_t, maxResult * 8> packed;
    std::array<T, maxOperand> valuesA, valuesB;
    const unsigned k = fragmentA.columns;
    gather(warp, fragmentA, a, packed.data());
    widen(fragmentA.type, packed.data(), valuesA.data(),
          size_t(fragmentA.rows) * k);
    gather(warp, fragmentB, b, packed.data());
    widen(fragmentB.type, packed.data(), valuesB.data(),
          size_t(fragmentB.rows) * k);
    std::array<T, maxResult> values, sums;
    const unsigned count = fragmentC.rows * fragmentC.columns;
    gather(warp, fragmentC, c, packed.data());
    widen(fragmentC.type, packed.data(), values.data(), count);
    for (unsigned i = 0; i < count; ++i) {
      const T *row = valuesA.data() + i / fragmentC.columns * k;
      const T *column = valuesB.data() + i % fragmentC.columns * k;
      sums[i] = saturate ? T(0) : values[i];
      for (unsigned step = 0; step < k; ++step)
        sums[i] = add(sums[i], row[step], column[step]);
    }
    if constexpr (std::is_same_v<T, int32_t>)
      if (saturate)
        addSaturated(values.data(), sums.data(), count);
    scatter(warp, sums.data(), count);
  }

  static float add(float sum, float a, float b) { return sum + a * b; }
  static double add(double sum, double a, double b) {
    return std::fma(a, b, sum);
  }
  static int32_t add(int32_t sum, int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(sum) +
                                static_cast<uint32_t>(a * b));
  }

  template <class T> void scatter(Warp &warp, T *values, unsigned count) const {
    const auto *bytes = reinterpret_cast<const uint8_t *>(values);
    std::array<uint16_t, maxResult> halves;
    if constexpr (std::is_same_v<T, float>) {
      for (unsigned i = 0; i < count; ++i)
        if (std::isnan(values[i]))
          values[i] = std::bit_cast<float>(canonicalNan32);
      if (fragmentD.type == f16) {
        floatToF16(values, halves.data(), count);
        bytes = reinterpret_cast<const uint8_t *>(halves.data());
      }
    }
    const size_t each = size_t(warpLanes) * fragmentD.registerBits() / 8;
    for (size_t i = 0; i < d.size(); ++i)
      std::memcpy(warp.lanes<uint8_t>(d[i]), bytes + i * each, each);
  }

  void multiplyBits(Warp &warp) const {
    std::array<uint32_t, 32> rows, columns;
    std::array<int32_t, maxResult> sums;
    gather(warp, fragmentA, a, reinterpret_cast<uint8_t *>(rows.data()));
    gather(warp, fragmentB, b, reinterpret_cast<uint8_t *>(columns.data()));
    gather(warp, fragmentC, c, reinterpret_cast<uint8_t *>(sums.data()));
    for (unsigned i = 0; i < 64; ++i)
      for (unsigned word = 0; word < 4; ++word) {
        const uint32_t x = rows[i / 8 * 4 + word];
        const uint32_t y = columns[i % 8 * 4 + word];
        sums[i] = add(sums[i], 1, std::popcount(conjunction ? x & y : x ^ y));
      }
    scatter(warp, sums.data(), 64);
  }

  Step execute(Warp &warp, LaneMask) const override {
    if (fragmentA.type == b1)
      multiplyBits(warp);
    else if (fragmentA.type == f64)
      multiply<double>(warp);
    else if (isIntegerOperand(fragmentA.type))
      multiply<int32_t>(warp);
    else
      multiply<float>(warp);
    return Step::next;
  }
};

bool isColumn(Decoder &decoder) {
  const int layout = decoder.modifiers.takeOneOf({"row", "col"});
  if (layout < 0)
    decoder.refuse("the layouts of A and B are missing");
  return layout == 1;
}

} // namespace

Decoded decodeWmmaMultiply(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto made = std::make_unique<WmmaMultiply>();
  const int operation = modifiers.takeOneOf({"xor", "and"});
  if (operation >= 0 && !modifiers.take("popc"))
    decoder.refuse("behind .xor or .and it needs .popc");
  made->conjunction = operation == 1;
  takeSyncAligned(decoder);
  // Fragments hold their elements in one order, whatever the layout was.
  const bool columnA = isColumn(decoder), columnB = isColumn(decoder);
  const MatrixShape shape = takeShape(decoder);
  const bool rounds = modifiers.take("rn");
  if (!rounds && modifiers.takeOneOf({"rz", "rm", "rp"}) >= 0)
    decoder.refuse("only rounding to nearest even (.rn) is simulated");
  const MatrixType typeD = takeMatrixType(decoder);
  MatrixType typeA = f16, typeB = f16;
  MatrixType typeC = takeMatrixType(decoder);
  if (!modifiers.empty() && modifiers.next() != "satfinite") {
    typeA = typeC;
    typeB = takeMatrixType(decoder);
    typeC = takeMatrixType(decoder);
  }
  made->saturate = modifiers.take("satfinite");
  decoder.expectNoMoreModifiers();

  made->fragmentA = wmmaFragment(decoder, 'a', shape, typeA);
  made->fragmentB = wmmaFragment(decoder, 'b', shape, typeB);
  made->fragmentC = wmmaFragment(decoder, 'c', shape, typeC);
  made->fragmentD = wmmaFragment(decoder, 'c', shape, typeD);
  const bool isInteger = isIntegerOperand(typeA);
  const bool mixes = bits(typeA) == bits(typeB) && isInteger;
  if ((typeA != typeB && !mixes) || isInteger != (typeC == s32))
    decoder.refuse("these types don't go together");
  if (rounds && typeA != f64)
    decoder.refuse("a rounding is for .f64 only");
  if ((operation >= 0) != (typeA == b1))
    decoder.refuse("with .b1, and only there, it needs .xor.popc or "
                   ".and.popc");
  if (made->saturate && (!isInteger || typeA == b1))
    decoder.refuse(".satfinite is for integers of 4 and 8 bits only");
  if (bits(typeA) < 8 && (columnA || !columnB))
    decoder.refuse("with less than 8 bits A must be .row and B .col");
  decoder.expectOperands(4);
  auto take = [&](size_t index, const WmmaFragment &of, bool isTarget,
                  const char *what) {
    return fragment(decoder, decoder.operand(index), of.registerCount(),
                    isTarget, what, of.registerType());
  };
  made->a = take(1, made->fragmentA, false, "A");
  made->b = take(2, made->fragmentB, false, "B");
  made->c = take(3, made->fragmentC, false, "C");
  made->d = take(0, made->fragmentD, true, "D");
  return made;
}

} // namespace ashlar::sim
