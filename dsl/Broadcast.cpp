#include "Broadcast.h"
#include "Describe.h"
#include "Elementwise.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <numeric>

namespace ashlar::detail {

using namespace mlir;

namespace {

Value broadcastAlong(Trace &trace, Value value, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> along, SourceLocation where) {
  refuseStorage(value, where);
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [extent, dimension] : llvm::zip(type.getShape(), along))
    if (dimension < 0 || (extent != 1 && extent != shape[dimension]))
      fail(where, "the shapes " + dimensions(type.getShape()) + " and " +
                      dimensions(shape) +
                      " don't broadcast: trailing extents must agree or be 1; "
                      "a vector of row values is written along_rows(vector)");
  return trace.emit<tile::BroadcastOp>(
      where, RankedTensorType::get(shape, type.getElementType()), value, along);
}

} // namespace

Value broadcastColumn(Trace &trace, Value rows, llvm::ArrayRef<int64_t> shape,
                      SourceLocation where) {
  const auto given = cast<RankedTensorType>(rows.getType()).getShape();
  const auto meets = [](int64_t extent, int64_t other) {
    return extent == 1 || extent == other;
  };
  if (given.size() >= shape.size() ||
      !std::ranges::equal(given, shape.take_front(given.size()), meets))
    fail(where, "along_rows of " + dimensions(given) + " meets a fragment of " +
                    dimensions(shape) +
                    "; it takes one value for each row, a vector for a matrix: "
                    "its extents are the fragment's first ones");
  return broadcastAlong(trace, rows, shape,
                        llvm::to_vector(llvm::seq<int64_t>(given.size())),
                        where);
}

Value broadcastLeading(Trace &trace, Value value, llvm::ArrayRef<int64_t> shape,
                       SourceLocation where) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  llvm::SmallVector<int64_t> along(type.getRank());
  std::iota(along.begin(), along.end(),
            static_cast<int64_t>(shape.size()) - type.getRank());
  return broadcastAlong(trace, value, shape, along, where);
}

llvm::SmallVector<int64_t> broadcastShape(llvm::ArrayRef<int64_t> a,
                                          llvm::ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  llvm::SmallVector<int64_t> shape(a);
  const size_t leading = a.size() - b.size();
  for (auto [i, extent] : llvm::enumerate(b))
    if (shape[leading + i] == 1)
      shape[leading + i] = extent;
  return shape;
}

mlir::Value readTile(Trace &trace, const TileOperand &operand) {
  if (operand.fragment || operand.column) {
    mlir::Value value = trace.read(
        operand.fragment ? *operand.fragment : *operand.column, operand.where);
    refuseStorage(value, operand.where);
    return value;
  }
  if (operand.index)
    return trace.read(*operand.index, operand.where);
  return operand.scalar ? trace.read(*operand.scalar, operand.where)
                        : mlir::Value();
}

mlir::Value spread(Trace &trace, const TileOperand &operand, mlir::Value value,
                   mlir::RankedTensorType type, SourceLocation where) {
  if (!value)
    return emitNumber(trace, operand.number, type, where);
  if (operand.index)
    return emitSplat(trace,
                     emitNumberOf(trace, value, type.getElementType(), where),
                     type, where);
  if (mlir::getElementTypeOrSelf(value) != type.getElementType())
    fail(where, "the operands are " + describe(type) + " and " +
                    describe(value.getType()) + "; convert one of them");
  if (operand.scalar)
    return emitSplat(trace, value, type, where);
  if (operand.column)
    return broadcastColumn(trace, value, type.getShape(), where);
  return broadcastLeading(trace, value, type.getShape(), where);
}

} // namespace ashlar::detail
