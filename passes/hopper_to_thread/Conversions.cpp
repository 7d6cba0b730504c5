// Elements that are only stored, to and from types that are computed with: of
// four bits up to eight at once in a register, by what looks at several of them
// an instruction.

#include "compiler/target/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Lowering.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

namespace ashlar {

using namespace mlir;

namespace {

std::string hex(uint32_t number) { return "0x" + llvm::utohexstr(number); }

/// What lop3 makes of its operands a, b and c, bit by bit.
enum class Logic : uint32_t {
  andXor = (0xf0 & 0xcc) ^ 0xaa,         ///< (a & b) ^ c
  andOr = (0xf0 & 0xcc) | 0xaa,          ///< (a & b) | c
  choose = (0xf0 & 0xcc) | (0x0f & 0xaa) ///< b where a is 1, else c
};

/// Instructions on words, with what is known of their operands in the text.
class WordBuilder {
public:
  explicit WordBuilder(PtxBuilder &b) : b(b) {}

  Value andXor(Value word, uint32_t mask, uint32_t flipped) {
    return b.value("lop3.b32 $0, $1, " + hex(mask) + ", " + hex(flipped) +
                       ", " + hex(uint32_t(Logic::andXor)) + ";",
                   b.getI32Type(), word);
  }
  Value andOr(Value word, uint32_t mask, Value other) {
    return b.value("lop3.b32 $0, $1, " + hex(mask) + ", $2, " +
                       hex(uint32_t(Logic::andOr)) + ";",
                   b.getI32Type(), {word, other});
  }
  Value choose(Value mask, Value ones, Value zeros) {
    return b.value("lop3.b32 $0, $1, $2, $3, " + hex(uint32_t(Logic::choose)) +
                       ";",
                   b.getI32Type(), {mask, ones, zeros});
  }
  /// Four bytes of two words, by the digits of the selector.
  Value permute(Value low, Value high, uint32_t selector) {
    return b.value("prmt.b32 $0, $1, $2, " + hex(selector) + ";",
                   b.getI32Type(), {low, high});
  }
  Value permute(Value low, uint32_t high, uint32_t selector) {
    return b.value("prmt.b32 $0, $1, " + hex(high) + ", " + hex(selector) + ";",
                   b.getI32Type(), low);
  }
  /// Of a table of eight bytes those that the four lowest digits of a word
  /// count.
  Value lookUp(uint64_t table, Value digits) {
    return b.value("prmt.b32 $0, " + hex(uint32_t(table)) + ", " +
                       hex(uint32_t(table >> 32)) + ", $1;",
                   b.getI32Type(), digits);
  }
  Value shiftRight(Value word, int64_t bits) {
    return arith::ShRUIOp::create(b, b.loc, word, b.i32(bits));
  }
  Value shiftLeft(Value word, int64_t bits) {
    return arith::ShLIOp::create(b, b.loc, word, b.i32(bits));
  }
  Value as(Type type, Value word) {
    return LLVM::BitcastOp::create(b, b.loc, type, word);
  }

  PtxBuilder &b;
};

/// Two bytes' numbers in a selector, each twice.
uint32_t twice(uint32_t low, uint32_t high) {
  return low * 0x11 + high * 0x1100;
}

/// Up to eight elements of four bits, the first one in the lowest bits.
class Nibbles {
public:
  Nibbles(PtxBuilder &b, ElementType type, Value word, int64_t count)
      : w(b), b(b), type(type), word(word), count(count) {}

  /// As 16-bit floats, two to each word.
  Registers halves(Type to) {
    if (type == ElementType::e2m1)
      return halvesOfTable(to);
    return to.isBF16() ? bf16OfIntegers() : f16OfIntegers();
  }

  Registers f32() {
    if (type != ElementType::e2m1)
      return f32OfIntegers();
    Registers result;
    for (Value pair : halves(b.getBF16Type()))
      for (Value bits :
           {w.shiftLeft(pair, 16), b.bitAnd(pair, b.i32(int32_t(0xffff0000)))})
        result.push_back(w.as(b.getF32Type(), bits));
    return result;
  }

  /// As elements of 8 bits, one to a register.
  Registers bytes(Type to) {
    Registers words = type != ElementType::e2m1 && to.isInteger(8)
                          ? bytesOfIntegers()
                          : lookUp(tableOf(to, 0));
    Registers result;
    for (Value four : words) {
      Value vector = w.as(VectorType::get({4}, b.getIntegerType(8)), four);
      for (int64_t i = 0; i < 4 && int64_t(result.size()) < count; ++i)
        result.push_back(b.extract(vector, i));
    }
    return result;
  }

private:
  bool isSigned() const { return type == ElementType::s4; }

  /// 128 + n is exact in bf16, with n in its last bits; and a number with a
  /// sign is 8 less than the one without, of which the upper bit is flipped.
  Registers bf16OfIntegers() {
    const uint32_t offset = isSigned() ? 0x43084308 : 0x43004300;
    Value upper = w.shiftRight(word, 4);
    Registers result;
    for (int64_t i = 0; i < count / 2; ++i) {
      Value pair = w.permute(word, upper, twice(i, 4 + i));
      pair = w.andXor(pair, 0x000f000f, offset);
      result.push_back(b.value("sub.rn.bf16x2 $0, $1, $2;", b.getI32Type(),
                               {pair, b.i32(offset)}));
    }
    return result;
  }

  /// 1024 + n in f16, and 1024 + 16n where n is the upper half of its byte.
  Registers f16OfIntegers() {
    const uint32_t offset = isSigned() ? 0x64806408 : 0x64006400;
    const int64_t scale = 0x2c003c00; // 1/16 and 1
    const auto less = int32_t(isSigned() ? 0xd480e408 : 0xd400e400);
    Registers result;
    for (int64_t i = 0; i < count / 2; ++i) {
      Value pair = w.permute(word, word, twice(i, i));
      pair = w.andXor(pair, 0x00f0000f, offset);
      result.push_back(b.value("fma.rn.f16x2 $0, $1, $2, $3;", b.getI32Type(),
                               {pair, b.i32(scale), b.i32(less)}));
    }
    return result;
  }

  /// The elements of even and of odd numbers, one to a byte, with bits flipped.
  std::pair<Value, Value> evenAndOdd(uint32_t flipped) {
    return {w.andXor(word, 0x0f0f0f0f, flipped),
            w.andXor(w.shiftRight(word, 4), 0x0f0f0f0f, flipped)};
  }

  /// 2^23 + n in f32.
  Registers f32OfIntegers() {
    const uint32_t exponent = 0x4b000000;
    auto [even, odd] = evenAndOdd(isSigned() ? 0x08080808 : 0);
    Value less = arith::ConstantOp::create(
        b, b.loc, b.getF32FloatAttr(isSigned() ? 0x1p23f + 8 : 0x1p23f));
    Registers result;
    for (int64_t i = 0; i < count; ++i) {
      Value bits = w.permute(i % 2 ? odd : even, exponent,
                             0x7440 + static_cast<uint32_t>(i / 2));
      result.push_back(
          arith::SubFOp::create(b, b.loc, w.as(b.getF32Type(), bits), less));
    }
    return result;
  }

  /// n - 8 in each byte, where 128 keeps the bytes from borrowing.
  Registers bytesOfIntegers() {
    auto [even, odd] = evenAndOdd(isSigned() ? 0x88888888 : 0);
    if (isSigned())
      for (Value *each : {&even, &odd})
        *each = arith::XOrIOp::create(b, b.loc, b.sub(*each, b.i32(0x08080808)),
                                      b.i32(int32_t(0x80808080)));
    Registers result;
    for (int64_t i = 0; i < count; i += 4)
      result.push_back(w.permute(even, odd, i ? 0x7362 : 0x5140));
    return result;
  }

  using Table = std::array<uint8_t, 16>;

  /// The byte of each element's value in another type, from its lowest on.
  Table tableOf(Type to, int64_t byte) const {
    Table table;
    for (uint32_t code = 0; code < table.size(); ++code) {
      const double value = valueOf(code);
      uint64_t bits = uint64_t(int64_t(value));
      if (auto real = dyn_cast<FloatType>(to)) {
        llvm::APFloat rounded(value);
        bool isInexact;
        rounded.convert(real.getFloatSemantics(),
                        llvm::APFloat::rmNearestTiesToEven, &isInexact);
        bits = rounded.bitcastToAPInt().getZExtValue();
      }
      table[code] = static_cast<uint8_t>(bits >> 8 * byte);
    }
    return table;
  }

  double valueOf(uint32_t code) const {
    if (type == ElementType::e2m1)
      return llvm::APFloat(llvm::APFloat::Float4E2M1FN(), llvm::APInt(4, code))
          .convertToDouble();
    return isSigned() && code >= 8 ? double(code) - 16 : code;
  }

  /// An entry of the table for each element, four to a word. prmt looks three
  /// bits up; the fourth one takes the upper half of the table, sets the sign,
  /// or does not matter.
  Registers lookUp(const Table &table) {
    uint64_t lower = 0, upper = 0;
    bool isEven = true, isOdd = true;
    for (int64_t i = 0; i < 8; ++i) {
      lower |= uint64_t(table[i]) << 8 * i;
      upper |= uint64_t(table[8 + i]) << 8 * i;
      isEven &= table[8 + i] == table[i];
      isOdd &= table[8 + i] == (table[i] | 0x80);
    }
    if (digits.empty())
      digits.push_back(b.bitAnd(word, b.i32(0x77777777)));
    if (count > 4 && digits.size() == 1)
      digits.push_back(w.shiftRight(digits.front(), 16));
    Value left = isEven ? Value() : w.shiftLeft(word, 4);
    Registers result;
    for (int64_t i = 0; i < count; i += 4) {
      Value these = digits[i / 4];
      Value found = w.lookUp(lower, these);
      if (isEven) {
        result.push_back(found);
        continue;
      }
      // The upper bit of each of the four elements, in all bits of a byte.
      const auto byte = static_cast<uint32_t>(i / 2);
      Value signs = w.permute(left, word, 0xd9c8 + byte * 0x1111);
      result.push_back(isOdd ? w.andOr(signs, 0x80808080, found)
                             : w.choose(signs, w.lookUp(upper, these), found));
    }
    return result;
  }

  Registers halvesOfTable(Type to) {
    const Table low = tableOf(to, 0);
    const bool isShort =
        llvm::all_of(low, [](uint8_t byte) { return byte == 0; });
    Registers upper = lookUp(tableOf(to, 1));
    Registers lower = isShort ? Registers() : lookUp(low);
    Registers result;
    for (int64_t i = 0; i < count; i += 2) {
      const auto at = static_cast<uint32_t>(i % 4);
      result.push_back(
          isShort
              ? w.permute(upper[i / 4], 0, 0x1404 + at * 0x1010)
              : w.permute(lower[i / 4], upper[i / 4], 0x5140 + at * 0x1111));
    }
    return result;
  }

  WordBuilder w;
  PtxBuilder &b;
  ElementType type;
  Value word;
  int64_t count;
  Registers digits; ///< the lower three bits of four elements each
};

/// Elements of four bits as those of another type.
Registers ofNibbles(PtxBuilder &b, const FragmentType &from,
                    const FragmentType &to, ValueRange registers) {
  Registers result;
  for (Value held : registers) {
    Value word = held;
    if (!word.getType().isInteger(32))
      word = arith::ExtUIOp::create(b, b.loc, b.getI32Type(), word);
    Nibbles nibbles(b, *tile::elementType(from.element), word, 2 * from.packed);
    if (to.holdsHalves())
      for (Value pair : nibbles.halves(to.element))
        result.push_back(
            LLVM::BitcastOp::create(b, b.loc, to.registerType, pair));
    else
      llvm::append_range(result, to.element.isF32()
                                     ? nibbles.f32()
                                     : nibbles.bytes(to.element));
  }
  return result;
}

/// The code of e2m1 that is nearest to an f32: as many of the units that the
/// binade has as there are in it, counted by an addition that rounds to them,
/// and two more for each binade. NaN is the largest one.
Value e2m1Of(PtxBuilder &b, Value real) {
  Value magnitude = b.value("{\n\t.reg .f32 t;\n\tabs.f32 t, $1;\n\t"
                            "min.f32 $0, t, 0f40C00000;\n\t}",
                            b.getF32Type(), real);
  WordBuilder w(b);
  Value binade = w.as(b.getI32Type(), b.value("max.f32 $0, $1, 0f3F800000;",
                                              b.getF32Type(), magnitude));
  // 1.5 · 2^22 times the binade's least number.
  binade = b.add(b.bitAnd(binade, b.i32(0x7f800000)), 0x0b400000);
  Value sum =
      arith::AddFOp::create(b, b.loc, magnitude, w.as(b.getF32Type(), binade));
  Value bits = w.as(b.getI32Type(), sum);
  Value code = b.add(b.add(bits, w.shiftRight(bits, 22)), 5);
  Value sign = w.shiftRight(w.as(b.getI32Type(), real), 28);
  return w.choose(b.i32(7), code, b.bitAnd(sign, b.i32(8)));
}

/// Numbers as elements of four bits, into whose range cvt.pack puts them two at
/// a time.
Registers toNibbles(PtxBuilder &b, const FragmentType &from,
                    const FragmentType &to, ValueRange registers) {
  const ElementType type = *tile::elementType(to.element);
  const bool isSigned = type == ElementType::s4;
  const std::string pack = std::string("cvt.pack.sat.") +
                           (isSigned ? "s4" : "u4") +
                           ".s32.b32 $0, $1, $2, $3;";
  Registers numbers(registers);
  for (Value &number : numbers)
    if (type == ElementType::e2m1)
      number = e2m1Of(b, number);
    else if (from.element.isF32())
      number = b.value("cvt.rzi.s32.f32 $0, $1;", b.getI32Type(), number);
  const int64_t each = 2 * to.packed;
  Registers result;
  for (int64_t first = 0; first < from.values; first += each) {
    Value word = b.i32(0);
    for (int64_t i = each; i > 0; i -= 2)
      word = b.value(pack, b.getI32Type(),
                     {numbers[first + i - 1], numbers[first + i - 2], word});
    if (!to.registerType.isInteger(32))
      word = arith::TruncIOp::create(b, b.loc, to.registerType, word);
    result.push_back(word);
  }
  return result;
}

/// Scales of 8 bits as f32: the exponent where f32 has it; the least one is
/// subnormal, and 255, infinity so far, NaN.
Value f32OfScale(PtxBuilder &b, Value scale) {
  WordBuilder w(b);
  Value bits =
      w.shiftLeft(arith::ExtUIOp::create(b, b.loc, b.getI32Type(), scale), 23);
  bits = arith::MaxUIOp::create(b, b.loc, bits, b.i32(0x00400000));
  return b.value("fma.rn.f32 $0, $1, 0f00000000, $1;", b.getF32Type(),
                 w.as(b.getF32Type(), bits));
}

/// Two of them as bf16, in one register.
Value bf16OfScales(PtxBuilder &b, Value low, Value high) {
  WordBuilder w(b);
  auto wide = [&](Value scale) {
    return arith::ExtUIOp::create(b, b.loc, b.getI32Type(), scale);
  };
  Value bits = b.bitOr(w.shiftLeft(wide(low), 7), w.shiftLeft(wide(high), 23));
  bits = b.value("max.u16x2 $0, $1, $2;", b.getI32Type(),
                 {bits, b.i32(0x00400040)});
  bits = b.value("fma.rn.bf16x2 $0, $1, $2, $1;", b.getI32Type(),
                 {bits, b.i32(0)});
  return w.as(VectorType::get({2}, b.getBF16Type()), bits);
}

/// The nearest power of two: half a binade more carries into the exponent,
/// which the largest one and NaN have not left. Subnormal ones are between two
/// powers that lie half as far apart.
Value scaleOfF32(PtxBuilder &b, Value real) {
  Value inRange = b.value("{\n\t.reg .f32 t;\n\t"
                          "max.NaN.f32 t, $1, 0f00400000;\n\t"
                          "min.NaN.f32 $0, t, 0f7F000000;\n\t}",
                          b.getF32Type(), real);
  WordBuilder w(b);
  Value bits = w.as(b.getI32Type(), inRange);
  Value isOdd = b.bitAnd(w.shiftRight(bits, 23), b.i32(1));
  Value exponent = w.shiftRight(b.add(b.add(bits, 0x003fffff), isOdd), 23);
  exponent = arith::MinUIOp::create(b, b.loc, exponent, b.i32(255));
  Value isSmall = b.lessThan(bits, b.i32(0x00800000));
  Value small = b.flag(b.lessThan(b.i32(0x00600000), bits));
  Value result = arith::SelectOp::create(b, b.loc, isSmall, small, exponent);
  return arith::TruncIOp::create(b, b.loc, b.getIntegerType(8), result);
}

Registers ofScales(PtxBuilder &b, const FragmentType &to, ValueRange scales) {
  Registers result;
  if (to.element.isF32()) {
    for (Value scale : scales)
      result.push_back(f32OfScale(b, scale));
    return result;
  }
  const size_t step = to.holdsHalves() ? 2 : 1;
  for (size_t i = 0; i < scales.size(); i += step) {
    Value pair = bf16OfScales(b, scales[i], scales[i + step - 1]);
    result.push_back(to.holdsHalves() ? pair : b.extract(pair, 0));
  }
  return result;
}

} // namespace

static FailureOr<Registers>
lower(hopper::ConvertOp op, Operands<hopper::ConvertOp> in, ThreadBuilder &b) {
  const FragmentType from(cast<RankedTensorType>(op.getValue().getType()));
  const FragmentType to(cast<RankedTensorType>(op.getResult().getType()));
  if (tile::isPair(from.element))
    return ofNibbles(b, from, to, in.getValue());
  if (tile::isPair(to.element))
    return toNibbles(b, from, to, in.getValue());
  if (tile::isStorage(from.element))
    return ofScales(b, to, in.getValue());
  return llvm::map_to_vector(in.getValue(),
                             [&](Value real) { return scaleOfF32(b, real); });
}

void addConversions(ThreadPatterns &patterns) {
  patterns.add<hopper::ConvertOp>();
}

} // namespace ashlar
