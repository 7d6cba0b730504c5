// A of single bytes from columns: ldmatrix transposes pairs of them, of which
// each lane gets two rows of two neighbouring columns.

#include "passes/hopper_to_thread/Matrices.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

namespace {

/// What one ldmatrix gives: of a warp, bytes of so many rows of A, each row of
/// them as long as one instruction multiplies.
constexpr int64_t rows = 16, depth = 32;
/// Values that a thread has of them.
constexpr int64_t values = rows * depth / 32;

/// Whether each thread holds them as operandLayout has neighbours.
bool holdsOperand(const FragmentType &type) {
  if (tile::elementBytes(type.element) != 1 || type.values % values ||
      type.layout.shape.size() != 2)
    return false;
  for (int64_t first = 0; first < type.values; first += values) {
    const auto origin = layout::coordinate(type.layout, 0, first);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t value = 0; value < values; ++value) {
        const auto at = layout::coordinate(type.layout, lane, first + value);
        if (at[0] - origin[0] != lane / 4 * 2 + value / 4 % 2 ||
            at[1] - origin[1] != lane % 4 * 4 + value % 4 + value / 8 * 16)
          return false;
      }
  }
  return true;
}

/// The byte of a tile of columns where an element of A lies.
int64_t offsetOf(const layout::Layout &tile, ArrayRef<int64_t> at,
                 int64_t row = 0, int64_t k = 0) {
  return tile.at({at[1] + k, at[0] + row});
}

} // namespace

std::optional<Registers> loadByteMatrices(hopper::SharedLoadOp op,
                                          Operands<hopper::SharedLoadOp> in,
                                          ThreadBuilder &b,
                                          const FragmentType &type) {
  if (op.getPeer() || !holdsOperand(type))
    return std::nullopt;
  const layout::SwizzledLayout &tile = *op.getSource().getType().getLayout();
  const int64_t pitch = tile.layout.at({1, 0});
  SmallVector<int64_t> offsets;
  for (int64_t value = 0; value < type.values; value += values) {
    const auto at = layout::coordinate(type.layout, 0, value);
    const int64_t offset = offsetOf(tile.layout, at);
    for (int64_t k = 0; k < depth; ++k)
      if (offsetOf(tile.layout, at, 0, k) != offset + k * pitch ||
          offsetOf(tile.layout, at, rows - 1, k) !=
              offset + k * pitch + rows - 1)
        return std::nullopt;
    if (offset % rows)
      return std::nullopt;
    offsets.push_back(offset);
  }

  // Of 8 lanes that name the rows of a matrix, two and two go to the registers
  // of the same lanes: neighbours in K, the first or the last two of a word.
  // The last four lanes have the others, so that 8 rows of memory that a
  // swizzle moves are in no one's way at the banks.
  Value lane = b.laneOfWarp();
  const Value row = b.rem(lane, 8), matrix = b.div(lane, 8);
  Value k = b.mul(b.div(row, 2), 4);
  k = b.add(k, b.mul(b.bitXor(b.rem(matrix, 2), b.div(row, 4)), 2));
  k = b.add(k, b.rem(row, 2));
  k = b.add(k, b.mul(b.div(matrix, 2), depth / 2));
  Value base = b.mul(k, pitch);
  const Place place = placeOf(b, type, b.sub(b.threadOfRole(), lane));
  for (auto [i, coordinate] : llvm::enumerate(place.thread))
    base = b.add(base, image(b, tile.layout.mode(1 - i), coordinate));

  // Bytes 0 and 2 of both registers, or 1 and 3; the halves of a word in turn.
  const Value isOther = b.div(b.rem(lane, 4), 2);
  auto selector = [&](int64_t bytes) {
    constexpr int64_t other = 0x4444;
    return b.bitXor(b.mul(isOther, other), b.i32(bytes));
  };
  const Value bytes[] = {selector(0x6420), selector(0x7531)};
  const SmallVector<Type> four(4, b.getI32Type());
  Registers scalars;
  for (int64_t offset : offsets) {
    const SmallVector<Value> loaded = b.ptx(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 "
        "{$0, $1, $2, $3}, [$4];",
        four,
        swizzledAddress(b, one(in.getSource()), tile.swizzle, base, offset));
    for (int64_t half : {0, 2})
      for (Value ofRow : bytes) {
        const Value word =
            permuteBytes(b, loaded[half], loaded[half + 1], ofRow);
        llvm::append_range(scalars, fromWords(b, word, b.getIntegerType(8), 4));
      }
  }
  return pack(b, type, scalars);
}

} // namespace ashlar
