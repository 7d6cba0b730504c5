// Single elements of memory, at coordinates of their own.

#include "passes/hopper_to_thread/Combine.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The memory of an access, element by element.
class Elements {
public:
  template <typename Op, typename In>
  Elements(ThreadBuilder &b, Op op, In in, Value memory, ValueRange lowered,
           Type scalar)
      : b(b), base(one(lowered)), scalar(scalar) {
    for (auto [value, registers] :
         llvm::zip(op.getCoordinates(), in.getCoordinates()))
      coordinates.push_back(registers);
    if (auto shared = dyn_cast<tile::SharedType>(memory.getType())) {
      layout = *shared.getLayout();
      for (int64_t extent : shared.getShape())
        extents.push_back(b.i32(extent));
      return;
    }
    extents = ones(in.getExtents());
    strides = ones(in.getStrides());
  }

  StringRef space() const { return layout ? "shared::cta" : "global"; }

  /// Of value v: where it lies, and whether it lies inside.
  std::pair<Value, Value> at(int64_t v) {
    Value inside, offset = layout ? b.i32(0) : b.i64(0);
    for (auto [i, registers] : llvm::enumerate(coordinates)) {
      Value coordinate = registers[v];
      inside = b.both(inside,
                      b.within(coordinate, extents[i], /*nonNegative=*/false));
      offset =
          b.add(offset, layout ? image(b, layout->layout.mode(i), coordinate)
                               : b.mul(b.extend(coordinate), strides[i]));
    }
    Value address = layout ? b.add(base, swizzled(b, layout->swizzle, offset))
                           : b.elementAddress(base, scalar, offset);
    return {address, inside};
  }

private:
  ThreadBuilder &b;
  Value base;
  Type scalar;
  SmallVector<ValueRange> coordinates;
  SmallVector<Value> extents, strides;
  std::optional<layout::SwizzledLayout> layout; ///< of a shared tile
};

} // namespace

static FailureOr<Registers>
lower(hopper::GatherOp op, Operands<hopper::GatherOp> in, ThreadBuilder &b) {
  const FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  const int64_t bytes = tile::elementBytes(type.element);
  Type scalar = bytes == 1 ? b.getIntegerType(8) : type.element;
  Elements elements(b, op, in, op.getSource(), in.getSource(),
                    b.getIntegerType(8 * bytes));
  const Words words(bytes);
  Registers scalars;
  for (int64_t v = 0; v < type.values; ++v) {
    auto [address, inside] = elements.at(v);
    SmallVector<Value> loaded =
        b.ptx(loadOrZeros(words, elements.space()), wordRegister(b, words),
              {address, b.flag(inside)});
    loaded[0] = narrow(b, words, loaded[0]);
    llvm::append_range(scalars, fromWords(b, loaded, scalar, 1));
  }
  return pack(b, type, scalars);
}

static FailureOr<Registers>
lower(hopper::ScatterOp op, Operands<hopper::ScatterOp> in, ThreadBuilder &b) {
  const FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  const int64_t bytes = tile::elementBytes(type.element);
  Elements elements(b, op, in, op.getTarget(), in.getTarget(),
                    b.getIntegerType(8 * bytes));
  const Words words(bytes);
  const Registers scalars = unpack(b, type, in.getValue());
  std::string instruction =
      "st." + elements.space().str() + words.suffix() + " [$0], $1;";
  if (auto how = op.getReduction())
    instruction =
        reduceMemory(*how, isa<FloatType>(type.element), elements.space()) +
        " [$0], $1;";
  const Value isFirst = isFirstCopy(b, type);
  for (int64_t v = 0; v < type.values; ++v) {
    auto [address, inside] = elements.at(v);
    Value word = op.getReduction() ? scalars[v]
                                   : widen(b, toWords(b, words, scalars[v])[0]);
    b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $2, 0;\n\t@p " + instruction +
              "\n\t}",
          {address, word, b.flag(b.both(isFirst, inside))});
  }
  return Registers();
}

void addElements(ThreadPatterns &patterns) {
  patterns.add<hopper::GatherOp, hopper::ScatterOp>();
}

} // namespace ashlar
