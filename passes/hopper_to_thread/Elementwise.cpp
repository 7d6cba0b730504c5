// Arithmetic on registers.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/hopper_to_thread/Lowering.h"
#include "passes/hopper_to_thread/Math.h"

namespace ashlar {

using namespace mlir;

namespace {

bool isFp8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// The same operation on other operands.
Value rebuild(PtxBuilder &b, Operation &op, ValueRange operands, Type result) {
  Operation *copy = op.cloneWithoutRegions();
  copy->setOperands(operands);
  copy->getResult(0).setType(result);
  b.insert(copy);
  return copy->getResult(0);
}

Value widenToF32(PtxBuilder &b, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(b, b.loc, b.getF32Type(), value);
}

/// Both of a pair of bf16, the upper halves of f32. ptxas takes one instruction
/// more for `cvt.f32.bf16` of the second, and one more to take it out.
Registers widenBf16Pair(PtxBuilder &b, Value pair) {
  Value word = LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), pair);
  Value low = arith::ShLIOp::create(b, b.loc, word, b.i32(16));
  Value high =
      arith::AndIOp::create(b, b.loc, word, b.i32(int32_t(0xffff0000)));
  return {arith::BitcastOp::create(b, b.loc, b.getF32Type(), low),
          arith::BitcastOp::create(b, b.loc, b.getF32Type(), high)};
}

/// Two f32 values to a 16-bit float, in one register.
Value narrowToPair(PtxBuilder &b, Type to, Value low, Value high) {
  StringRef name =
      to.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
  return b.intrinsic(name, VectorType::get({2}, to), {high, low});
}

/// f32 values to a narrower float, two at a time.
std::pair<Value, Value> narrowPair(PtxBuilder &b, Type to, Value low,
                                   Value high) {
  if (isFp8(to)) {
    StringRef name = isa<Float8E4M3FNType>(to) ? "llvm.nvvm.ff.to.e4m3x2.rn"
                                               : "llvm.nvvm.ff.to.e5m2x2.rn";
    Value both = b.intrinsic(name, b.getI16Type(), {high, low});
    Type byte = b.getIntegerType(8);
    Value upper = arith::ShRUIOp::create(
        b, b.loc, both, arith::ConstantIntOp::create(b, b.loc, 8, 16));
    return {arith::TruncIOp::create(b, b.loc, byte, both),
            arith::TruncIOp::create(b, b.loc, byte, upper)};
  }
  Value both = narrowToPair(b, to, low, high);
  return {b.extract(both, 0), b.extract(both, 1)};
}

/// fp8 to f32, two at a time, by way of f16, which holds every fp8 value.
std::pair<Value, Value> widenPair(PtxBuilder &b, Type from, Value low,
                                  Value high) {
  StringRef name = isa<Float8E4M3FNType>(from) ? "llvm.nvvm.e4m3x2.to.f16x2.rn"
                                               : "llvm.nvvm.e5m2x2.to.f16x2.rn";
  Type i16 = b.getI16Type();
  Value upper = arith::ShLIOp::create(
      b, b.loc, arith::ExtUIOp::create(b, b.loc, i16, high),
      arith::ConstantIntOp::create(b, b.loc, 8, 16));
  Value both = arith::OrIOp::create(
      b, b.loc, arith::ExtUIOp::create(b, b.loc, i16, low), upper);
  Value halves = b.intrinsic(name, VectorType::get({2}, b.getF16Type()), both);
  return {widenToF32(b, b.extract(halves, 0)),
          widenToF32(b, b.extract(halves, 1))};
}

/// A float conversion of a whole fragment's scalars, through f32.
Registers convertFloats(PtxBuilder &b, Type from, Type to,
                        ArrayRef<Value> values) {
  Registers wide(values.begin(), values.end());
  auto inPairs = [&](auto convert) {
    Registers result(wide.size());
    for (size_t i = 0; i < wide.size(); i += 2) {
      Value second = i + 1 < wide.size() ? wide[i + 1] : wide[i];
      auto [low, high] = convert(wide[i], second);
      result[i] = low;
      if (i + 1 < wide.size())
        result[i + 1] = high;
    }
    wide = result;
  };
  if (isFp8(from))
    inPairs([&](Value a, Value c) { return widenPair(b, from, a, c); });
  else
    for (Value &value : wide)
      value = widenToF32(b, value);
  if (!to.isF32())
    inPairs([&](Value a, Value c) { return narrowPair(b, to, a, c); });
  return wide;
}

/// A quotient or remainder of integers. That of the least one by -1 LLVM leaves
/// undefined; the chip's instructions wrap around, and so does this.
Value divide(PtxBuilder &b, Operation &op, ArrayRef<Value> of) {
  const bool isQuotient = isa<arith::DivSIOp>(op);
  Type type = of[0].getType();
  llvm::APInt divisor;
  if (matchPattern(of[1], m_ConstantInt(&divisor)) && !divisor.isZero()) {
    if (!divisor.isAllOnes())
      return rebuild(b, op, of, type);
    Value zero = arith::ConstantOp::create(b, b.loc, b.getIntegerAttr(type, 0));
    return isQuotient ? Value(arith::SubIOp::create(b, b.loc, zero, of[0]))
                      : zero;
  }
  SmallVector<Value> operands(of);
  // There is no instruction of 8 bits.
  const bool isByte = type.isInteger(8);
  if (isByte)
    for (Value &operand : operands)
      operand = arith::ExtSIOp::create(b, b.loc, b.getI16Type(), operand);
  Type computed = operands[0].getType();
  Value result = b.value(std::string(isQuotient ? "div" : "rem") + ".s" +
                             std::to_string(computed.getIntOrFloatBitWidth()) +
                             " $0, $1, $2;",
                         computed, operands);
  return isByte ? arith::TruncIOp::create(b, b.loc, type, result) : result;
}

FailureOr<Registers> lowerElementwise(Operation &op, ArrayRef<ValueRange> in,
                                      const TypeConverter &types,
                                      ThreadBuilder &b) {
  Value result = op.getResult(0);
  auto fragment = dyn_cast<RankedTensorType>(result.getType());

  if (!fragment) {
    SmallVector<Value> operands = ones(in);
    Type type = types.convertType(result.getType());
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      Value value = operands.front();
      unsigned from = value.getType().getIntOrFloatBitWidth();
      unsigned to = type.getIntOrFloatBitWidth();
      if (from < to && isa<arith::IndexCastUIOp>(op))
        value = arith::ExtUIOp::create(b, b.loc, type, value);
      else if (from < to)
        value = arith::ExtSIOp::create(b, b.loc, type, value);
      else if (from > to)
        value = arith::TruncIOp::create(b, b.loc, type, value);
      return Registers{value};
    }
    if (Value value = lowerMath(b, op, operands)) {
      return Registers{value};
    }
    if (isa<math::MathDialect>(op.getDialect()))
      return op.emitError("operation '")
             << op.getName() << "' has no instruction on sm_90a";
    // An index is never the least integer.
    if (isa<arith::DivSIOp, arith::RemSIOp>(op) &&
        result.getType().isInteger(32))
      return Registers{divide(b, op, operands)};
    return Registers{rebuild(b, op, operands, type)};
  }

  FragmentType type(fragment);
  if (isa<arith::ExtFOp>(op)) {
    const FragmentType from(cast<RankedTensorType>(op.getOperand(0).getType()));
    if (from.element.isBF16() && from.holdsHalves() && type.element.isF32()) {
      Registers results;
      for (Value pair : in.front())
        llvm::append_range(results, widenBf16Pair(b, pair));
      return results;
    }
  }

  // Each operand as one value per register, or per element.
  bool packed = type.packed == 2 && takesPairs(op);
  for (Value operand : op.getOperands()) {
    auto other = dyn_cast<RankedTensorType>(operand.getType());
    packed &= !other || (FragmentType(other).packed == 2 &&
                         other.getElementType() == type.element);
    packed &= bool(other);
  }
  SmallVector<Registers> operands;
  for (auto [operand, registers] : llvm::zip(op.getOperands(), in)) {
    if (auto other = dyn_cast<RankedTensorType>(operand.getType()))
      operands.push_back(packed ? Registers(registers)
                                : unpack(b, FragmentType(other), registers));
    else
      operands.push_back(Registers(type.values, one(registers)));
  }

  if (isa<arith::TruncFOp, arith::ExtFOp>(op)) {
    Type from =
        cast<RankedTensorType>(op.getOperand(0).getType()).getElementType();
    bool inPairs = type.packed == 2 && isa<arith::TruncFOp>(op);
    Registers scalars =
        convertFloats(b, from, inPairs ? Type(b.getF32Type()) : type.element,
                      operands.front());
    if (!inPairs) {
      return pack(b, type, scalars);
    }
    Registers pairs;
    for (size_t i = 0; i < scalars.size(); i += 2)
      pairs.push_back(
          narrowToPair(b, type.element, scalars[i], scalars[i + 1]));
    return pairs;
  }

  // The registers of fp8 are those of integers.
  if (isa<arith::BitcastOp>(op) && type.element == operands[0][0].getType())
    return pack(b, type, operands.front());

  for (Value operand : op.getOperands())
    if (auto other = dyn_cast<RankedTensorType>(operand.getType());
        other && isFp8(other.getElementType()) &&
        !isa<arith::SelectOp, arith::BitcastOp>(op))
      return op.emitError("there is no arithmetic on ")
             << tile::elementName(other.getElementType())
             << ": convert the fragment to f32 first";

  int64_t count = packed ? type.registers() : type.values;
  Type scalar = packed ? type.registerType
                       : (type.packed == 2 ? type.element : type.registerType);
  Registers results;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> at;
    for (Registers &operand : operands)
      at.push_back(operand[i]);
    Value value = lowerMath(b, op, at);
    if (!value && isa<math::MathDialect>(op.getDialect()))
      return op.emitError("operation '")
             << op.getName() << "' has no instruction on sm_90a";
    // To 8 bits the instructions of 16-bit floats do not saturate.
    if (isa<arith::FPToSIOp>(op) && type.element.isInteger(8))
      at[0] = widenToF32(b, at[0]);
    if (!value && isa<arith::FPToSIOp>(op) && at[0].getType().isF32()) {
      // Out of range, the nearest integer of the type.
      std::string bits = std::to_string(type.element.getIntOrFloatBitWidth());
      value = b.ptx("cvt.rzi.sat.s" + bits + ".f32 $0, $1;", b.getI32Type(),
                    at[0])[0];
      if (!type.element.isInteger(32))
        value = arith::TruncIOp::create(b, b.loc, scalar, value);
    }
    if (!value && isa<arith::DivSIOp, arith::RemSIOp>(op))
      value = divide(b, op, at);
    if (!value)
      value = rebuild(b, op, at, scalar);
    results.push_back(value);
  }
  return packed ? results : pack(b, type, results);
}

/// Coordinates against anything else: the thread's part of them is taken from
/// the other side, so that each is compared as the number that it is beside
/// that, and needs no register. Where the difference is too low for 32 bits the
/// lowest number stands for it: coordinates are never negative.
std::optional<Registers> compareCoordinates(arith::CmpIOp op,
                                            ArrayRef<ValueRange> in,
                                            ThreadBuilder &b) {
  const auto predicate = op.getPredicate();
  if (predicate >= arith::CmpIPredicate::ult)
    return std::nullopt;
  for (bool isLeft : {true, false}) {
    Value operand = isLeft ? op.getLhs() : op.getRhs();
    auto coordinate = operand.getDefiningOp<hopper::CoordinateOp>();
    if (!coordinate)
      continue;
    const FragmentType type(cast<RankedTensorType>(operand.getType()));
    const size_t dimension = coordinate.getDimension();
    const Place place = placeOf(b, type);
    Registers results;
    for (auto [v, other] :
         llvm::enumerate(unpack(b, type, in[isLeft ? 1 : 0]))) {
      Value rest = b.saturatingSub(other, place.thread[dimension]);
      Value number = b.i32(place.value[dimension][v]);
      results.push_back(arith::CmpIOp::create(
          b, b.loc, predicate, isLeft ? number : rest, isLeft ? rest : number));
    }
    return results;
  }
  return std::nullopt;
}

/// Any other operation on values.
class ElementwiseLowering : public ConversionPattern {
public:
  ElementwiseLowering(const TypeConverter &types, MLIRContext *mlir,
                      const ThreadContext &context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, mlir),
        context(context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> in,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp>(op))
      return failure();
    const TypeConverter &types = *getTypeConverter();
    ThreadBuilder b(rewriter, op, context);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      if (auto results = compareCoordinates(compare, in, b)) {
        replaceBy(op, *results, types, b);
        return success();
      }
    replaceBy(op, lowerElementwise(*op, in, types, b), types, b);
    return success();
  }

private:
  const ThreadContext &context;
};

} // namespace

static FailureOr<Registers> lower(arith::ConstantOp constant,
                                  Operands<arith::ConstantOp>,
                                  ThreadBuilder &b) {
  auto fragment = dyn_cast<RankedTensorType>(constant.getType());
  if (!fragment) {
    TypedAttr value = constant.getValue();
    if (isFp8(constant.getType()))
      value =
          IntegerAttr::get(b.getIntegerType(8),
                           cast<FloatAttr>(value).getValue().bitcastToAPInt());
    if (isa<IndexType>(constant.getType()))
      value = b.getI32IntegerAttr(cast<IntegerAttr>(value).getInt());
    return Registers{arith::ConstantOp::create(b, b.loc, value)};
  }
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!splat)
    return constant.emitError("a constant fragment has one value everywhere");
  FragmentType type(fragment);
  TypedAttr scalar = splat.getSplatValue<TypedAttr>();
  if (isFp8(type.element))
    scalar =
        IntegerAttr::get(b.getIntegerType(8),
                         cast<FloatAttr>(scalar).getValue().bitcastToAPInt());
  Value value = arith::ConstantOp::create(b, b.loc, scalar);
  return pack(b, type, Registers(type.values, value));
}

static FailureOr<Registers> lower(hopper::ReciprocalOp op,
                                  Operands<hopper::ReciprocalOp> in,
                                  ThreadBuilder &b) {
  // That of a float, four units in the last place less so that it is not too
  // large, with 32 added to its exponent; then a step of Newton's method.
  Value divisor = one(in.getDivisor());
  Value real = arith::UIToFPOp::create(b, b.loc, b.getF32Type(), divisor);
  Value inverse =
      b.intrinsic("llvm.nvvm.rcp.approx.ftz.f", b.getF32Type(), real);
  Value bits = arith::BitcastOp::create(b, b.loc, b.getI32Type(), inverse);
  Value scaled = arith::BitcastOp::create(b, b.loc, b.getF32Type(),
                                          b.add(bits, (32 << 23) - 4));
  Value rough = arith::FPToUIOp::create(b, b.loc, b.getI32Type(), scaled);
  Value left = b.sub(b.i32(0), b.mul(divisor, rough));
  Value step = arith::MulUIExtendedOp::create(b, b.loc, rough, left).getHigh();
  return Registers{b.add(rough, step)};
}

static FailureOr<Registers>
lower(hopper::SliceOp op, Operands<hopper::SliceOp> in, ThreadBuilder &b) {
  FragmentType whole(cast<RankedTensorType>(op.getValue().getType()));
  FragmentType part(cast<RankedTensorType>(op.getResult().getType()));
  std::vector<int64_t> chosen =
      layout::valuesOfPart(whole.layout, op.getOffsets().vec(), part.layout);
  Registers scalars = unpack(b, whole, in.getValue());
  return pack(b, part, llvm::map_to_vector(chosen, [&](int64_t value) {
                return scalars[value];
              }));
}

static FailureOr<Registers>
lower(hopper::SplatOp op, Operands<hopper::SplatOp> in, ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  return pack(b, type, Registers(type.values, one(in.getValue())));
}

static FailureOr<Registers> lower(hopper::BroadcastOp op,
                                  Operands<hopper::BroadcastOp> in,
                                  ThreadBuilder &b) {
  FragmentType from(cast<RankedTensorType>(op.getValue().getType()));
  FragmentType to(cast<RankedTensorType>(op.getResult().getType()));
  Registers scalars = unpack(b, from, in.getValue());
  // A thread holds each source element it needs: find it by its coordinate.
  std::map<std::vector<int64_t>, Value> held;
  for (int64_t v = 0; v < from.values; ++v)
    held[layout::coordinate(from.layout, 0, v)] = scalars[v];
  Registers results;
  for (int64_t v = 0; v < to.values; ++v) {
    auto whole = layout::coordinate(to.layout, 0, v);
    std::vector<int64_t> kept;
    for (auto [extent, dimension] :
         llvm::zip(from.layout.shape, op.getDimensions()))
      kept.push_back(extent == 1 ? 0 : whole[dimension]);
    results.push_back(held.at(kept));
  }
  return pack(b, to, results);
}

static FailureOr<Registers>
lower(hopper::UndefinedOp op, Operands<hopper::UndefinedOp>, ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  Registers registers;
  for (int64_t i = 0; i < type.registers(); ++i)
    registers.push_back(LLVM::UndefOp::create(b, b.loc, type.registerType));
  return registers;
}

void addElementwise(ThreadPatterns &patterns) {
  patterns.add<arith::ConstantOp, hopper::ReciprocalOp, hopper::SliceOp,
               hopper::SplatOp, hopper::BroadcastOp, hopper::UndefinedOp>();
  patterns.addAny<ElementwiseLowering>();
}

} // namespace ashlar
