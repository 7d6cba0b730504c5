#include "passes/hopper_to_thread/TileRows.h"

#include "passes/hopper_to_thread/ShiftedWords.h"

namespace ashlar {

using namespace mlir;

int64_t TileRows::count() const {
  int64_t rows = 1;
  for (int64_t extent : type.getShape().drop_back())
    rows *= extent;
  return rows;
}

TileRow TileRows::row(PtxBuilder &b, Value number) const {
  ArrayRef<int64_t> shape = type.getShape();
  const size_t leading = coordinates.size() - shape.size();
  SmallVector<Value> at(coordinates);
  TileRow row{b.i32(0), b.i64(0), {}};
  for (size_t i = shape.size() - 1; i-- > 0;) {
    Value place = i ? b.rem(number, shape[i]) : number;
    number = i ? b.div(number, shape[i]) : number;
    row.shared =
        b.add(row.shared, image(b, type.getLayout()->layout.mode(i), place));
    if (chosen && i + 2 == shape.size())
      place = chosen->of(b, place);
    at[leading + i] = b.add(at[leading + i], place);
  }
  for (auto [i, coordinate] : llvm::enumerate(at)) {
    row.element = b.add(row.element, b.mul(b.extend(coordinate), strides[i]));
    if (i + 1 < at.size())
      row.inside = b.both(
          row.inside, b.within(coordinate, extents[i],
                               nonNegative && !(chosen && i + 2 == at.size())));
  }
  return row;
}

SmallVector<TileRow> TileRows::rows(PtxBuilder &b, Value first, int64_t step,
                                    int64_t count) const {
  SmallVector<TileRow> all;
  for (int64_t i = 0; i < count; ++i) {
    all.push_back(row(b, b.add(first, i * step)));
    // Without another product for each.
    if (i > 0 && areEven())
      all.back().element = b.add(all.front().element,
                                 b.mul(strides[strides.size() - 2], i * step));
  }
  return all;
}

bool TileRows::areAlike(int64_t step) const {
  return areEven() && step * elementBytes % wordBytes == 0;
}

bool TileRows::areEven() const {
  return type.getShape().size() == 2 && !chosen;
}

Value TileRows::shared(PtxBuilder &b, const TileRow &row, Value place) const {
  const layout::Layout &layout = type.getLayout()->layout;
  return b.add(row.shared,
               image(b, layout.mode(type.getShape().size() - 1), place));
}

} // namespace ashlar
