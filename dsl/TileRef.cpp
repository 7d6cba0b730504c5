#include "TileRef.h"
#include "Describe.h"
#include "Elementwise.h"

namespace ashlar::detail {

tile::TensorOp readTensor(Trace &trace, const Tensor &tensor,
                          SourceLocation where) {
  return trace.read(tensor, where).getDefiningOp<tile::TensorOp>();
}

bool holdsSame(mlir::Type memory, mlir::Type element) {
  return memory == element || (memory.isTF32() && element.isF32());
}

tile::ReductionAttr attributeOf(Trace &trace, Reduction reduction) {
  auto how = [&] {
    switch (reduction) {
    case Reduction::add:
      return tile::Reduction::add;
    case Reduction::min:
      return tile::Reduction::min;
    case Reduction::max:
      return tile::Reduction::max;
    }
    return tile::Reduction();
  };
  return tile::ReductionAttr::get(trace.context(), how());
}

namespace {

void chooseRows(Trace &trace, const TileRef &ref, size_t tileRank, Rows rows,
                Place &place, SourceLocation where) {
  const TileRef &indices = ref.row_indices.front();
  tile::TensorOp tensor = readTensor(trace, indices.tensor, where);
  const std::string subject = "tensor '" + tensor.getName().str() + "'";
  if (rows == Rows::asTheyLie)
    fail(where, "the rows are chosen by " + subject +
                    "; only load, store and copy into a stage take rows by "
                    "indices, and copy no multicast");
  if (ref.row_indices.size() > 1)
    fail(where, "the rows are chosen twice: call rows() once, with the indices "
                "that both steps give together");
  if (tileRank < 2)
    fail(where, std::string("rows are chosen of a tile of ") +
                    std::to_string(tileRank) +
                    " dimensions; it has two or more");
  if (!indices.row_indices.empty() || indices.is_transposed)
    fail(where, "the indices of rows are themselves chosen or transposed; give "
                "a place in a tensor, as at() does");
  mlir::Type element = tensor.getResult().getType().getElementType();
  Place first =
      resolve(trace, indices, {}, element, "an index", Direction::read, where);
  if (!element.isInteger(32))
    fail(where,
         subject + " holds " + describe(element) + "; indices of rows are s32");
  place.rows = first.tensor.getResult();
  place.rowOffsets = first.offsets;
}

} // namespace

void checkAccess(tile::TensorOp tensor, Direction direction,
                 SourceLocation where) {
  const std::string subject = "tensor '" + tensor.getName().str() + "'";
  const tile::Access access = tensor.getAccess();
  if (direction == Direction::combine && access != tile::Access::inout)
    fail(where, subject + " is an " + stringifyAccess(access).str() +
                    " and what it holds is combined with more here; declare "
                    "it with inout()");
  if (direction == Direction::exchange && access != tile::Access::inout)
    fail(where, subject + " is an " + stringifyAccess(access).str() +
                    " and CTAs hand fragments on through it here; declare it "
                    "with inout()");
  if (direction == Direction::write && access == tile::Access::input)
    fail(where, subject + " is an input and is written here; declare it with "
                          "output() or inout()");
  if (direction == Direction::read && access == tile::Access::output)
    fail(where, subject + " is an output and is read here; declare it with "
                          "input() or inout()");
}

Place resolve(Trace &trace, const TileRef &ref, llvm::ArrayRef<int64_t> shape,
              mlir::Type element, const char *what, Direction direction,
              SourceLocation where, Rows rows) {
  tile::TensorOp tensor = readTensor(trace, ref.tensor, where);
  llvm::SmallVector<int64_t> inMemory(shape);
  if (ref.is_transposed) {
    if (shape.size() != 2)
      fail(where, std::string(what) + " has " + std::to_string(shape.size()) +
                      " dimensions; .T() exchanges the two of a matrix: leave "
                      "it out");
    std::swap(inMemory[0], inMemory[1]);
  }
  std::string subject = "tensor '" + tensor.getName().str() + "'";
  checkAccess(tensor, direction, where);

  tile::TensorType type = tensor.getResult().getType();
  int64_t rank = type.getRank(), tileRank = shape.size();
  if (tileRank > rank)
    fail(where, subject + " has " + std::to_string(rank) + " dimensions and " +
                    what + " has " + std::to_string(tileRank) +
                    "; a tile has at most the dimensions of its tensor");
  if (!holdsSame(type.getElementType(), element))
    fail(where, subject + " holds " + describe(type.getElementType()) +
                    " and " + what + " holds " + describe(element) +
                    "; nothing is converted on the way: declare both with one "
                    "type, or convert a fragment");

  Place place{tensor, {}};
  int64_t leading = rank - tileRank;
  for (auto [dimension, coordinate] : llvm::enumerate(ref.coordinates)) {
    mlir::Value offset = trace.read(coordinate, ref.where);
    int64_t trailing = static_cast<int64_t>(dimension) - leading;
    if (ref.unit == TileRef::Unit::tiles && trailing >= 0)
      offset =
          emit(trace, Binary::mul, offset,
               trace.constantIndex(inMemory[trailing], ref.where), ref.where);
    place.offsets.push_back(offset);
  }
  if (!ref.row_indices.empty())
    chooseRows(trace, ref, shape.size(), rows, place, where);
  return place;
}

} // namespace ashlar::detail
