#include "passes/hopper_to_thread/TileEdges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

TileEdges::TileEdges(PtxBuilder &b, const TensorTile &tile)
    : b(b), tile(tile), elements(wordBytes / tile.elementBytes) {
  Value last = b.i64(0);
  for (size_t i = 0; i < tile.extents.size(); ++i)
    last = b.add(last, b.mul(b.extend(b.sub(tile.extents[i], b.i32(1))),
                             tile.strides[i]));
  begin = address(b.i64(0));
  end = address(b.add(last, b.i64(1)));
}

Value TileEdges::address(Value element) const {
  return LLVM::PtrToIntOp::create(
      b, b.loc, b.getI64Type(),
      b.elementAddress(tile.pointer, b.getIntegerType(8 * tile.elementBytes),
                       element));
}

Value TileEdges::wordOf(Value address) const {
  return arith::AndIOp::create(b, b.loc, address, b.i64(-wordBytes));
}

Value TileEdges::areBeyond(Value from, Value to) const {
  return b.bitOr(isBefore(from, begin), isBefore(end, to));
}

Value TileEdges::mayBeTorn() const {
  const Rows rows = this->rows();
  return b.bitOr(b.both(rows.areFirst, begins()), b.both(rows.areLast, ends()));
}

Value TileEdges::isWhole() const {
  Value whole = isNot(rows().areFirst);
  if (!tile.nonNegative)
    whole = b.both(whole, b.lessThan(b.i32(-1), tile.column()));
  whole = b.bitOr(whole, isNot(begins()));
  for (size_t i = 0; i + 1 < tile.extents.size(); ++i) {
    Value last = b.add(tile.coordinates[i], extentAlong(i) - 1);
    whole = b.both(whole, b.lessThan(last, tile.extents[i]));
    if (!tile.nonNegative)
      whole = b.both(whole, b.lessThan(b.i32(-1), tile.coordinates[i]));
  }
  return b.both(whole, isNot(ends()));
}

SmallVector<Value> TileEdges::elementsAt(Value address, Value column,
                                         Value inside) const {
  const Words element(tile.elementBytes);
  SmallVector<Value> all;
  for (int64_t i = 0; i < elements; ++i) {
    Value isThere = b.both(
        inside, b.within(b.add(column, i), tile.end(), tile.nonNegative));
    Value loaded =
        b.ptx(loadOrZeros(element, "global", tile.elementBytes * i),
              wordRegister(b, element), {address, b.flag(isThere)})[0];
    all.push_back(narrow(b, element, loaded));
  }
  return toWords(b, Words(wordBytes), all);
}

SmallVector<Value>
TileEdges::masks(int64_t count,
                 llvm::function_ref<SmallVector<Value>()> masks) const {
  Value nothing = LLVM::PoisonOp::create(b, b.loc, b.getI32Type());
  return where(hasOthers(), masks, SmallVector<Value>(count, nothing));
}

SmallVector<Value> TileEdges::withoutOthers(ArrayRef<Value> words,
                                            ArrayRef<Value> masks) const {
  return where(
      hasOthers(),
      [&] {
        SmallVector<Value> masked;
        for (auto [i, word] : llvm::enumerate(words))
          masked.push_back(b.bitAnd(word, masks[i % masks.size()]));
        return masked;
      },
      words);
}

Value TileEdges::hasOthers() const {
  Value others =
      b.lessThan(tile.end(), b.add(tile.column(), tile.shape.back()));
  if (!tile.nonNegative)
    others = b.bitOr(others, b.lessThan(tile.column(), b.i32(0)));
  return others;
}

SmallVector<Value>
TileEdges::where(Value condition,
                 llvm::function_ref<SmallVector<Value>()> words,
                 ArrayRef<Value> otherwise) const {
  auto branch =
      scf::IfOp::create(b, b.loc, ValueRange(otherwise).getTypes(), condition,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, b.loc, otherwise);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, b.loc, words());
  return SmallVector<Value>(branch.getResults());
}

TileEdges::Rows TileEdges::rows() const {
  Value first = b.i64(0), last = b.i64(0);
  for (size_t i = 0; i + 1 < tile.extents.size(); ++i) {
    Value from = b.i32(0), to = tile.extents[i];
    if (!tile.chosen || i + 2 < tile.extents.size()) {
      from = b.createOrFold<arith::MaxSIOp>(b.loc, from, tile.coordinates[i]);
      to = b.createOrFold<arith::MinSIOp>(
          b.loc, to, b.add(tile.coordinates[i], extentAlong(i)));
    }
    auto scaled = [&](Value index) {
      return b.mul(b.extend(index), tile.strides[i]);
    };
    first = b.add(first, scaled(from));
    last = b.add(last, scaled(b.sub(to, b.i32(1))));
  }
  Value rowsEnd = address(b.add(last, b.extend(tile.end())));
  return {isBefore(wordOf(address(first)), begin),
          isBefore(end, wordOf(b.add(rowsEnd, b.i64(wordBytes - 1))))};
}

Value TileEdges::begins() const {
  return b.lessThan(tile.column(), b.i32(elements));
}

Value TileEdges::ends() const {
  const int64_t columns = tile.shape.back();
  return b.lessThan(tile.end(), b.add(tile.column(), columns + elements));
}

int64_t TileEdges::extentAlong(size_t dimension) const {
  const size_t leading = tile.extents.size() - tile.shape.size();
  return dimension < leading ? 1 : tile.shape[dimension - leading];
}

Value TileEdges::isBefore(Value left, Value right) const {
  return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ult, left,
                               right);
}

Value TileEdges::isNot(Value condition) const {
  return b.equal(b.flag(condition), b.i32(0));
}

} // namespace ashlar
