#include "ashlar/tensor.h"
#include "Describe.h"
#include "TileRef.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ashlar {

using namespace detail;

namespace {

Tensor declareTensor(std::string_view name, ElementType type,
                     tile::Access access, std::initializer_list<Index> extents,
                     Alignment alignment, SourceLocation where) {
  Trace &trace = Trace::current(where);
  std::string what = "tensor '" + std::string(name) + "'";
  trace.requireKernelFrame(what, where);
  trace.takeName(what, name, where);
  if (extents.size() < 1 || extents.size() > 5)
    fail(where,
         what + " has " + std::to_string(extents.size()) +
             " dimensions; a tensor has 1 to 5: merge dimensions that are "
             "contiguous");
  int64_t bytes = alignment.bytes;
  if (bytes < size_bytes(type) || bytes > 128 || (bytes & (bytes - 1)))
    fail(where, what + " is aligned to " + std::to_string(bytes) +
                    " bytes; the alignment is a power of two from the size of "
                    "an element (" +
                    std::to_string(size_bytes(type)) + ") to 128");
  llvm::SmallVector<mlir::Value> values;
  for (const Index &extent : extents)
    values.push_back(trace.read(extent, where));
  auto columns = mlir::getConstantIntValue(values.back());
  if (columns && *columns % pack_length(type))
    fail(where, what + " has rows of " + std::to_string(*columns) +
                    " elements, and two of " + std::string(ashlar::name(type)) +
                    " share a byte: make them even");
  auto op = trace.create<tile::TensorOp>(
      where,
      tile::TensorType::get(trace.context(),
                            tile::memoryType(trace.context(), type),
                            extents.size()),
      llvm::StringRef(name), access, values, bytes);
  return trace.declare<Tensor>(HandleKind::tensor, op, where);
}

TileRef refer(const Tensor &tensor, TileRef::Unit unit,
              std::initializer_list<Index> coordinates, const char *call,
              SourceLocation where) {
  Trace &trace = Trace::current(where);
  tile::TensorOp op = readTensor(trace, tensor, where);
  int64_t rank = op.getResult().getType().getRank();
  if (static_cast<int64_t>(coordinates.size()) != rank)
    fail(where, "tensor '" + op.getName().str() + "' has " +
                    std::to_string(rank) + " dimensions and " + call +
                    " gives " + std::to_string(coordinates.size()) +
                    " coordinates; give one for each dimension");
  return {tensor, unit, coordinates, where};
}

} // namespace

Tensor input(std::string_view name, ElementType type,
             std::initializer_list<Index> extents, Alignment alignment,
             SourceLocation where) {
  return declareTensor(name, type, tile::Access::input, extents, alignment,
                       where);
}

Tensor output(std::string_view name, ElementType type,
              std::initializer_list<Index> extents, Alignment alignment,
              SourceLocation where) {
  return declareTensor(name, type, tile::Access::output, extents, alignment,
                       where);
}

Tensor inout(std::string_view name, ElementType type,
             std::initializer_list<Index> extents, Alignment alignment,
             SourceLocation where) {
  return declareTensor(name, type, tile::Access::inout, extents, alignment,
                       where);
}

TileRef TileRef::T() const {
  TileRef result = *this;
  result.is_transposed = !is_transposed;
  return result;
}

TileRef TileRef::rows(const TileRef &indices) const {
  TileRef result = *this;
  result.row_indices.push_back(indices);
  return result;
}

TileRef Tensor::tile(std::initializer_list<Index> coordinates,
                     SourceLocation where) const {
  return refer(*this, TileRef::Unit::tiles, coordinates, "tile()", where);
}

TileRef Tensor::at(std::initializer_list<Index> coordinates,
                   SourceLocation where) const {
  return refer(*this, TileRef::Unit::elements, coordinates, "at()", where);
}

} // namespace ashlar
