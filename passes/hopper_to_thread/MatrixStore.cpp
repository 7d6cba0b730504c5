// Four 8x8 matrices of 16-bit elements at a time, each lane naming the address
// of one of their rows.

#include "passes/hopper_to_thread/MatrixStore.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Whether each register of a thread is its part of an 8x8 matrix as stmatrix
/// has it: lane l holds two neighbours of row l / 4 (PTX ISA, "stmatrix").
bool holdsMatrices(const FragmentType &type) {
  if (type.packed != 2 || type.layout.shape.size() != 2)
    return false;
  auto origin = layout::coordinate(type.layout, 0, 0);
  for (int64_t lane = 0; lane < 32; ++lane) {
    auto at = layout::coordinate(type.layout, lane, 0);
    if (at[0] - origin[0] != lane / 4 || at[1] - origin[1] != lane % 4 * 2)
      return false;
  }
  for (int64_t value = 0; value < type.values; value += 2) {
    auto at = layout::coordinate(type.layout, 0, value);
    auto next = layout::coordinate(type.layout, 0, value + 1);
    if (at[0] % 8 || at[1] % 8 || next[0] != at[0] || next[1] != at[1] + 1)
      return false;
  }
  return true;
}

} // namespace

bool storeMatrices(hopper::SharedStoreOp op, Operands<hopper::SharedStoreOp> in,
                   ThreadBuilder &b, const FragmentType &type,
                   const layout::SwizzledLayout &tile) {
  if (!holdsMatrices(type))
    return false;
  bool transposed = op.getTransposed();
  auto offsetOf = [&](int64_t row, int64_t column) {
    return transposed ? tile.layout.at({column, row})
                      : tile.layout.at({row, column});
  };
  // The rows of a matrix in memory are 8 consecutive elements.
  int64_t along = transposed ? offsetOf(7, 0) : offsetOf(0, 7);
  if (along != 14)
    return false;

  int64_t matrices = type.registers();
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < matrices; ++i) {
    auto at = layout::coordinate(type.layout, 0, 2 * i);
    offsets.push_back(offsetOf(at[0], at[1]));
  }
  // As many at a time as lie alike in every group: lanes 8 to 15 are `second`
  // behind lanes 0 to 7, lanes 16 to 31 `third` behind lanes 0 to 15.
  int64_t count = 4, second = 0, third = 0;
  for (; count > 1; count /= 2) {
    second = matrices > 1 ? offsets[1] - offsets[0] : 0;
    third = count == 4 && matrices > 3 ? offsets[2] - offsets[0] : 0;
    bool alike = matrices % count == 0;
    for (int64_t i = 0; alike && i < matrices; i += count)
      for (int64_t j = 1; j < count; ++j)
        alike &= offsets[i + j] - offsets[i] == j % 2 * second + j / 2 * third;
    if (alike)
      break;
  }

  Value lane = b.laneOfWarp();
  Value base = b.i32(0);
  Place place = placeOf(b, type, b.sub(b.threadOfRole(), lane));
  for (auto [i, coordinate] : llvm::enumerate(place.thread))
    base = b.add(
        base, image(b, tile.layout.mode(transposed ? 1 - i : i), coordinate));
  int64_t pitch = transposed ? offsetOf(0, 1) : offsetOf(1, 0);
  base = b.add(base, b.mul(b.rem(lane, 8), pitch));
  if (count > 1)
    base = b.add(base, b.mul(b.rem(b.div(lane, 8), 2), second));
  if (count > 2)
    base = b.add(base, b.mul(b.div(lane, 16), third));

  std::string text = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + ".shared::cta.b16 [$0], {";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(i + 1);
  Value target = one(in.getTarget());
  ValueRange registers = in.getValue();
  for (int64_t i = 0; i < matrices; i += count) {
    SmallVector<Value> operands{
        b.add(target, swizzled(b, tile.swizzle, b.add(base, offsets[i])))};
    for (Value pair : registers.slice(i, count))
      operands.push_back(
          LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), pair));
    b.ptx(text + "};", operands);
  }
  return true;
}

} // namespace ashlar
