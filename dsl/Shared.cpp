#include "ashlar/shared.h"
#include "Describe.h"
#include "SharedType.h"

#include "compiler/layout/SharedTile.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

mlir::TypedValue<tile::SharedType> readOwn(Trace &trace, const SharedTile &tile,
                                           const char *what,
                                           SourceLocation where) {
  auto value = readPlain(trace, tile, what, where);
  refusePeer(value, what, where);
  return value;
}

void refusePeer(mlir::Value tile, const char *what, SourceLocation where) {
  if (tile::peerOf(tile))
    fail(where,
         std::string(what) +
             " is given the tile of another CTA, which only load, store, "
             "slice and a copy to it reach: load it, or store it to a "
             "tile of this CTA first");
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
  auto source = readOwn(trace, *this, "as", where);
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

/// The same memory, in another layout of its type's.
static SharedTile viewed(
    const SharedTile &tile, const char *call, SourceLocation where,
    llvm::function_ref<layout::Result<layout::SwizzledLayout>(tile::SharedType)>
        layoutOf) {
  Trace &trace = Trace::current(where);
  auto source = readOwn(trace, tile, call, where);
  if (source.getDefiningOp<tile::PartOp>())
    fail(where, std::string(call) +
                    " is given a part of a shared tile; call it on "
                    "the whole tile");
  tile::SharedType type = source.getType();
  auto layout = layoutOf(type);
  if (!layout)
    fail(where, layout.why());
  auto view = trace.create<tile::ViewOp>(
      where,
      tile::SharedType::get(trace.context(), type.getShape(),
                            type.getElementType(), *layout),
      source, 0);
  return trace.declare<SharedTile>(HandleKind::sharedTile, view, where);
}

SharedTile SharedTile::even_rows_first(SourceLocation where) const {
  return viewed(*this, "even_rows_first", where, [&](tile::SharedType type) {
    if (tile::pairOf(type.getElementType()))
      fail(where, "even_rows_first is of elements of 8 bits and more, and the "
                  "tile's have 4");
    return layout::evenRowsFirst(type.getShape().vec(), type.elementBytes());
  });
}

SharedTile SharedTile::interleaved_columns(SourceLocation where) const {
  return viewed(
      *this, "interleaved_columns", where, [&](tile::SharedType type) {
        if (tile::pairOf(type.getElementType()) || type.elementBytes() != 2)
          fail(where, "interleaved_columns is of elements of 16 bits, and the "
                      "tile's are " +
                          tile::elementName(type.getElementType()));
        return layout::interleavedColumns(type.getShape().vec(),
                                          type.elementBytes());
      });
}

SharedTile SharedTile::peer(IndexOperand rank) const {
  SourceLocation where = rank.where;
  Trace &trace = Trace::current(where);
  auto source = readOwn(trace, *this, "peer", where);
  auto cluster = trace.kernel().getCluster();
  if (!cluster)
    fail(where, "peer is of a cluster, and the kernel has none: call "
                "cluster({...}) before the roles");
  if (tile::bufferOf(source))
    fail(where, "peer is given a tile of a stage, which only this CTA's roles "
                "fill and drain; give it a tile that shared() made");
  if (source.getDefiningOp<tile::PartOp>())
    fail(where,
         "peer is given a part; slice what peer gives of the whole tile");
  mlir::Value number = trace.read(rank);
  auto known = mlir::getConstantIntValue(number);
  int64_t ctas = 1;
  for (int64_t extent : *cluster)
    ctas *= extent;
  if (known && (*known < 0 || *known >= ctas))
    fail(where, "peer names the CTA " + std::to_string(*known) +
                    " of a cluster of " + std::to_string(ctas) +
                    "; they are numbered from 0");
  return trace.declare<SharedTile>(
      HandleKind::sharedTile,
      trace.create<tile::PeerOp>(where, source, number, /*checked=*/false),
      where);
}

namespace {

/// The part from `offset` on; where that is dynamic `places` has the index.
SharedTile partOf(Trace &trace, const SharedTile &tile,
                  llvm::ArrayRef<int64_t> offset, mlir::ValueRange places,
                  const Shape &shape, SourceLocation where) {
  auto source = readPlain(trace, tile, "slice", where);
  mlir::Type element = source.getType().getElementType();
  auto extents = checkedShape("the part", shape, where);
  auto known = llvm::map_to_vector(offset, [](int64_t number) {
    return mlir::ShapedType::isDynamic(number) ? 0 : number;
  });
  checkPart(source.getType().getShape(), "a shared tile", known, extents,
            where);
  checkRows("the part", extents, element, where);
  checkRows("the offset of the part", known, element, where);
  auto part = tile::SharedType::get(trace.context(), extents, element);
  auto op = trace.create<tile::PartOp>(where, part, source, places, offset,
                                       /*checked=*/false);
  return trace.declare<SharedTile>(HandleKind::sharedTile, op, where);
}

} // namespace

SharedTile slice(const SharedTile &tile, std::initializer_list<int64_t> offset,
                 const Shape &shape, SourceLocation where) {
  return partOf(Trace::current(where), tile, offset, {}, shape, where);
}

SharedTile slice(const SharedTile &tile, std::initializer_list<Index> offset,
                 const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<mlir::Value> places;
  for (const Index &index : offset) {
    mlir::Value place = trace.read(index, where);
    auto number = mlir::getConstantIntValue(place);
    offsets.push_back(number.value_or(mlir::ShapedType::kDynamic));
    if (!number)
      places.push_back(place);
  }
  return partOf(trace, tile, offsets, places, shape, where);
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
