#include "ashlar/shared.h"
#include "Describe.h"
#include "SharedType.h"

namespace ashlar {

namespace detail {

tile::SharedType sharedType(Trace &trace, ElementType type, const Shape &shape,
                            SourceLocation where) {
  auto extents = checkedShape("the shared tile", shape, where);
  mlir::Type element = tile::memoryType(trace.context(), type);
  checkRows("the shared tile", extents, element, where);
  return tile::SharedType::get(trace.context(), extents, element);
}

mlir::TypedValue<tile::SharedType>
readTile(Trace &trace, const SharedTile &tile, SourceLocation where) {
  return llvm::cast<mlir::TypedValue<tile::SharedType>>(
      trace.read(tile, where));
}

mlir::TypedValue<tile::SharedType> readPlain(Trace &trace,
                                             const SharedTile &tile,
                                             const char *what,
                                             SourceLocation where) {
  if (tile.is_transposed())
    fail(where,
         std::string(what) +
             " is given a transposed view; only load, store and mma accept "
             ".T()");
  return readTile(trace, tile, where);
}

} // namespace detail

using namespace detail;

SharedTile shared(ElementType type, const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.requireKernelFrame("the shared tile", where);
  mlir::Type result = sharedType(trace, type, shape, where);
  auto op = trace.declareOp<tile::AllocOp>(where, result);
  return trace.declare<SharedTile>(HandleKind::sharedTile, op.getResult(),
                                   where);
}

SharedTile SharedTile::T(SourceLocation where) const {
  int64_t rank = shape(where).rank();
  if (rank != 2)
    fail(where, "the shared tile has " + std::to_string(rank) +
                    " dimensions; .T() exchanges the two of a matrix");
  SharedTile view = *this;
  view.transposed = !transposed;
  return view;
}

SharedTile SharedTile::as(ElementType type, const Shape &shape, int64_t number,
                          SourceLocation where) const {
  Trace &trace = Trace::current(where);
  auto source = readPlain(trace, *this, "as", where);
  if (number < 0)
    fail(where,
         "as counts tiles from 0; there is no tile " + std::to_string(number));
  if (source.getDefiningOp<tile::PartOp>())
    fail(where, "the part of a shared tile that slice gave has no memory of "
                "its own; call as on the whole tile, and slice what it gives");
  auto op = trace.create<tile::ViewOp>(
      where, sharedType(trace, type, shape, where), source, number);
  return trace.declare<SharedTile>(HandleKind::sharedTile, op, where);
}

SharedTile slice(const SharedTile &tile, std::initializer_list<int64_t> offset,
                 const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto source = readPlain(trace, tile, "slice", where);
  auto extents = checkedShape("the part", shape, where);
  checkPart(source.getType().getShape(), "a shared tile",
            llvm::SmallVector<int64_t>(offset), extents, where);
  checkRows("the part", extents, source.getType().getElementType(), where);
  checkRows("the offset of the part", llvm::SmallVector<int64_t>(offset),
            source.getType().getElementType(), where);
  auto part = tile::SharedType::get(trace.context(), extents,
                                    source.getType().getElementType());
  auto op = trace.create<tile::PartOp>(where, part, source,
                                       llvm::SmallVector<int64_t>(offset));
  return trace.declare<SharedTile>(HandleKind::sharedTile, op, where);
}

Shape SharedTile::shape(SourceLocation where) const {
  Trace &trace = Trace::current(where);
  auto type = llvm::cast<tile::SharedType>(trace.read(*this, where).getType());
  std::vector<int64_t> extents = type.getShape().vec();
  if (transposed)
    std::swap(extents[0], extents[1]);
  return Shape(std::move(extents));
}

} // namespace ashlar
