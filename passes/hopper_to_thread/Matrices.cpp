// Four 8x8 matrices of 16-bit elements at a time, each lane naming the address
// of one of their rows.

#include "passes/hopper_to_thread/Matrices.h"

#include "compiler/layout/Reduction.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Where each pair of a thread's values is its part of an 8x8 matrix as
/// stmatrix has it, lane l two neighbours of its row l / 4 (PTX ISA,
/// "stmatrix"): how far one of these rows is from the next one, 1 or 2. Else 0.
int64_t matrixRowStep(const FragmentType &type) {
  if (tile::elementBytes(type.element) != 2 || type.values % 2 ||
      type.layout.shape.size() != 2)
    return 0;
  const auto origin = layout::coordinate(type.layout, 0, 0);
  const int64_t step = layout::coordinate(type.layout, 4, 0)[0] - origin[0];
  if (step != 1 && step != 2)
    return 0;
  for (int64_t lane = 0; lane < 32; ++lane) {
    auto at = layout::coordinate(type.layout, lane, 0);
    if (at[0] - origin[0] != lane / 4 * step ||
        at[1] - origin[1] != lane % 4 * 2)
      return 0;
  }
  for (int64_t value = 0; value < type.values; value += 2) {
    auto at = layout::coordinate(type.layout, 0, value);
    auto next = layout::coordinate(type.layout, 0, value + 1);
    if (at[0] % (8 * step) >= step || at[1] % 8 || next[0] != at[0] ||
        next[1] != at[1] + 1)
      return 0;
  }
  return step;
}

/// The matrices of a fragment in a tile.
class Matrices {
public:
  Matrices(const FragmentType &type, const layout::SwizzledLayout &tile,
           bool transposed)
      : type(type), tile(tile), transposed(transposed),
        rowStep(matrixRowStep(type)) {
    if (!rowStep)
      return;
    for (int64_t value = 0; value < type.values; value += 2) {
      auto at = layout::coordinate(type.layout, 0, value);
      offsets.push_back(offsetOf(at[0], at[1]));
    }
    group();
  }

  /// The rows of a matrix in memory are 8 consecutive elements, evenly apart.
  bool haveRows() const {
    if (!rowStep || (transposed && rowStep != 1))
      return false;
    return (transposed ? offsetOf(7, 0) : offsetOf(0, 7)) == 14 &&
           (transposed ? offsetOf(0, 7) : offsetOf(7 * rowStep, 0)) ==
               7 * pitch();
  }

  int64_t size() const { return offsets.size(); }
  int64_t atATime() const { return count; }

  /// "m8n8.x4.trans.shared::cta.b16"
  std::string suffix() const {
    return "m8n8.x" + std::to_string(count) + (transposed ? ".trans" : "") +
           ".shared::cta.b16";
  }
  /// "{$1, $2, $3, $4}"
  std::string list(int64_t first) const {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return "{" + text + "}";
  }

  /// What this lane's row of the first matrices is behind the tile.
  Value base(ThreadBuilder &b) const {
    Value lane = b.laneOfWarp(), base = b.i32(0);
    Place place = placeOf(b, type, b.sub(b.threadOfRole(), lane));
    for (auto [i, coordinate] : llvm::enumerate(place.thread))
      base = b.add(
          base, image(b, tile.layout.mode(transposed ? 1 - i : i), coordinate));
    base = b.add(base, b.mul(b.rem(lane, 8), pitch()));
    if (count > 1)
      base = b.add(base, b.mul(b.rem(b.div(lane, 8), 2), second));
    if (count > 2)
      base = b.add(base, b.mul(b.div(lane, 16), third));
    return base;
  }

  /// The address of this lane's row of the matrices from a number on.
  Value address(ThreadBuilder &b, Value start, Value base,
                int64_t first) const {
    return swizzledAddress(b, start, tile.swizzle, base, offsets[first]);
  }

private:
  int64_t pitch() const {
    return transposed ? offsetOf(0, 1) : offsetOf(rowStep, 0);
  }
  int64_t offsetOf(int64_t row, int64_t column) const {
    return transposed ? tile.layout.at({column, row})
                      : tile.layout.at({row, column});
  }

  /// As many at a time as lie alike in every group: lanes 8 to 15 are `second`
  /// behind lanes 0 to 7, lanes 16 to 31 `third` behind lanes 0 to 15.
  void group() {
    for (count = 4; count > 1; count /= 2) {
      second = size() > 1 ? offsets[1] - offsets[0] : 0;
      third = count == 4 && size() > 3 ? offsets[2] - offsets[0] : 0;
      bool alike = size() % count == 0;
      for (int64_t i = 0; alike && i < size(); i += count)
        for (int64_t j = 1; j < count; ++j)
          alike &=
              offsets[i + j] - offsets[i] == j % 2 * second + j / 2 * third;
      if (alike)
        return;
    }
  }

  const FragmentType &type;
  const layout::SwizzledLayout &tile;
  bool transposed;
  int64_t rowStep;
  std::vector<int64_t> offsets; ///< of the first thread's, before the swizzle
  int64_t count = 1, second = 0, third = 0;
};

/// Pairs of values as words of 32 bits, and back.
SmallVector<Value> toPairs(ThreadBuilder &b, const FragmentType &type,
                           ValueRange registers) {
  SmallVector<Value> words;
  if (type.packed == 2) {
    for (Value pair : registers)
      words.push_back(LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), pair));
    return words;
  }
  const SmallVector<Value> scalars(registers);
  for (size_t i = 0; i < scalars.size(); i += 2)
    words.push_back(toWords(b, Words(4), ArrayRef(scalars).slice(i, 2))[0]);
  return words;
}
Registers fromPairs(ThreadBuilder &b, const FragmentType &type,
                    ArrayRef<Value> words) {
  Registers registers;
  for (Value word : words)
    if (type.packed == 2)
      registers.push_back(
          LLVM::BitcastOp::create(b, b.loc, type.registerType, word));
    else
      llvm::append_range(registers, fromWords(b, word, type.registerType, 2));
  return registers;
}

} // namespace

bool storeMatrices(hopper::SharedStoreOp op, Operands<hopper::SharedStoreOp> in,
                   ThreadBuilder &b, const FragmentType &type) {
  if (op.getPeer() || !layout::copiesAmongThreads(type.layout).empty())
    return false;
  const Matrices matrices(type, *op.getTarget().getType().getLayout(),
                          op.getTransposed());
  if (!matrices.haveRows())
    return false;
  const int64_t count = matrices.atATime();
  const std::string text = "stmatrix.sync.aligned." + matrices.suffix() +
                           " [$0], " + matrices.list(1) + ";";
  const Value base = matrices.base(b);
  const SmallVector<Value> words = toPairs(b, type, in.getValue());
  for (int64_t i = 0; i < matrices.size(); i += count) {
    SmallVector<Value> operands{
        matrices.address(b, one(in.getTarget()), base, i)};
    llvm::append_range(operands, ArrayRef(words).slice(i, count));
    b.ptx(text, operands);
  }
  return true;
}

std::optional<Registers> loadMatrices(hopper::SharedLoadOp op,
                                      Operands<hopper::SharedLoadOp> in,
                                      ThreadBuilder &b,
                                      const FragmentType &type) {
  if (op.getPeer())
    return std::nullopt;
  const Matrices matrices(type, *op.getSource().getType().getLayout(),
                          op.getTransposed());
  if (!matrices.haveRows())
    return std::nullopt;
  const int64_t count = matrices.atATime();
  const std::string text = "ldmatrix.sync.aligned." + matrices.suffix() + " " +
                           matrices.list(0) + ", [$" + std::to_string(count) +
                           "];";
  const Value base = matrices.base(b);
  const SmallVector<Type> types(count, b.getI32Type());
  SmallVector<Value> words;
  for (int64_t i = 0; i < matrices.size(); i += count)
    llvm::append_range(
        words,
        b.ptx(text, types, matrices.address(b, one(in.getSource()), base, i)));
  return fromPairs(b, type, words);
}

} // namespace ashlar
