#include "ashlar/copy.h"
#include "Describe.h"
#include "Elementwise.h"
#include "SharedType.h"
#include "TileRef.h"

#include <optional>

namespace ashlar {

using namespace detail;

namespace {

/// TMA copies rows to rows.
void refuseTransposed(const TileRef &tile, const char *call,
                      SourceLocation where) {
  if (tile.is_transposed)
    fail(where, std::string(call) +
                    " is given the transpose of a tile in global memory; only "
                    "load, store and inside accept its .T(): transpose the "
                    "shared tile instead");
}

/// Two elements that share a byte are next to each other in a row.
void refusePairsTransposed(mlir::Type element, bool transposed,
                           SourceLocation where) {
  if (transposed && tile::pairOf(element))
    fail(where, "rows of " + tile::elementName(element) +
                    " don't become columns on the way, since two elements of "
                    "a row share a byte: leave out .T(), or convert the "
                    "fragment");
}

void copyIn(const TileRef &source, const SharedTile &target, bool multicast,
            std::optional<CacheHint> hint, SourceLocation where) {
  Trace &trace = Trace::current(where);
  refuseTransposed(source, "copy", where);
  if (hint && !(hint->kept >= 0 && hint->kept <= 1))
    fail(where, "copy asks L2 to keep a part of " + std::to_string(hint->kept) +
                    " of its lines: give one from 0 to 1");
  auto tile = readOwn(trace, target, "copy", where);
  if (!tile::bufferOf(tile))
    fail(where, "copy writes the shared tile declared at " +
                    lineOf(target.declared_at()) +
                    ", which is in no pipeline; an asynchronous copy completes "
                    "on a stage: copy into a stage, or use store(tile, "
                    "load(...))");
  Place place = resolve(trace, source, tile.getType().getShape(),
                        tile.getType().getElementType(), "the shared tile",
                        Direction::read, where,
                        multicast ? Rows::asTheyLie : Rows::chosen);
  trace.create<tile::CopyOp>(
      where, place.tensor.getResult(), place.offsets, tile, place.rows,
      place.rowOffsets, multicast,
      hint ? mlir::Builder(tile.getContext())
                 .getF32FloatAttr(static_cast<float>(hint->kept))
           : mlir::FloatAttr());
}

void copyOut(const SharedTile &source, const TileRef &target,
             tile::ReductionAttr reduction, SourceLocation where) {
  Trace &trace = Trace::current(where);
  refuseTransposed(target, "copy", where);
  auto tile = readOwn(trace, source, "copy", where);
  Place place =
      resolve(trace, target, tile.getType().getShape(),
              tile.getType().getElementType(), "the shared tile",
              reduction ? Direction::combine : Direction::write, where);
  trace.create<tile::CopyOutOp>(where, tile, place.tensor.getResult(),
                                place.offsets, reduction);
}

/// A fragment that was read: u8 becomes s32, because a fragment of 8-bit
/// integers is signed.
template <class Op, class... Operands>
Fragment readFragment(Trace &trace, llvm::ArrayRef<int64_t> shape,
                      mlir::Type memory, SourceLocation where,
                      Operands... operands) {
  mlir::Builder types(trace.context());
  mlir::Type element = tile::registerType(memory);
  bool isUnsigned = memory.isUnsignedInteger() && element != memory;
  mlir::Value value = trace.create<Op>(
      where, mlir::RankedTensorType::get(shape, element), operands...);
  if (isUnsigned)
    value = emitZeroExtend(trace, value, types.getI32Type(), where);
  return trace.declare<Fragment>(HandleKind::fragment, value, where);
}

} // namespace

void copy(const TileRef &source, const SharedTile &target,
          SourceLocation where) {
  copyIn(source, target, false, std::nullopt, where);
}

void copy(const TileRef &source, const SharedTile &target, Multicast,
          SourceLocation where) {
  copyIn(source, target, true, std::nullopt, where);
}

void copy(const TileRef &source, const SharedTile &target, CacheHint hint,
          SourceLocation where) {
  copyIn(source, target, false, hint, where);
}

void copy(const TileRef &source, const SharedTile &target, Multicast,
          CacheHint hint, SourceLocation where) {
  copyIn(source, target, true, hint, where);
}

void copy(const SharedTile &source, const TileRef &target,
          SourceLocation where) {
  copyOut(source, target, {}, where);
}

void copy(const SharedTile &source, const TileRef &target, Reduction reduction,
          SourceLocation where) {
  Trace &trace = Trace::current(where);
  copyOut(source, target, attributeOf(trace, reduction), where);
}

void copy(const SharedTile &source, const SharedTile &target,
          SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto from = readOwn(trace, source, "copy", where);
  auto to = readPlain(trace, target, "copy", where);
  if (!tile::peerOf(to))
    fail(where,
         "copy is given two shared tiles of this CTA, and the copy "
         "engine moves them to peers only, copy(a, b.peer(rank)): within "
         "a CTA a tile goes through registers, store(b, load(a))");
  if (from.getType() != to.getType())
    fail(where, "the shared tile is " + describe(from.getType()) +
                    " and that of the peer " + describe(to.getType()) +
                    "; copy moves bytes as they lie: declare both alike");
  trace.create<tile::CopyToPeerOp>(where, from, to, mlir::Value());
}

void prefetch(const TileRef &source, const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  refuseTransposed(source, "prefetch", where);
  auto extents = checkedShape("the tile", shape, where);
  mlir::Type memory = readTensor(trace, source.tensor, where)
                          .getResult()
                          .getType()
                          .getElementType();
  checkRows("the tile", extents, memory, where);
  Place place = resolve(trace, source, extents, memory, "the tile",
                        Direction::read, where);
  trace.create<tile::PrefetchOp>(where, place.tensor.getResult(), place.offsets,
                                 extents);
}

void reduce(const TileRef &element, const Fragment &fragment,
            Reduction reduction, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
    fail(where, "reduce combines f32 or s32 with memory; this fragment is " +
                    describe(type) + ": convert it first");
  Place place = resolve(trace, element, {}, type.getElementType(),
                        "the fragment", Direction::combine, where);
  trace.create<tile::ReduceIntoOp>(where, value,
                                   attributeOf(trace, reduction).getValue(),
                                   place.tensor.getResult(), place.offsets);
}

Mask inside(const TileRef &tile, const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the tile", shape, where);
  tile::TensorOp tensor = readTensor(trace, tile.tensor, where);
  Direction direction = tensor.getAccess() == tile::Access::output
                            ? Direction::write
                            : Direction::read;
  Place place = resolve(trace, tile, extents,
                        tensor.getResult().getType().getElementType(),
                        "the tile", direction, where);
  auto type = mlir::RankedTensorType::get(
      extents, mlir::IntegerType::get(trace.context(), 1));
  auto op = trace.create<tile::InsideOp>(where, type, place.tensor.getResult(),
                                         place.offsets, tile.is_transposed);
  return trace.declare<Mask>(HandleKind::mask, op, where);
}

Fragment load(const TileRef &source, const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the fragment", shape, where);
  mlir::Type memory = readTensor(trace, source.tensor, where)
                          .getResult()
                          .getType()
                          .getElementType();
  checkRows("the fragment", extents, memory, where);
  refusePairsTransposed(memory, source.is_transposed, where);
  Place place = resolve(trace, source, extents, memory, "the fragment",
                        Direction::read, where, Rows::chosen);
  return readFragment<tile::LoadOp>(
      trace, extents, memory, where, place.tensor.getResult(), place.offsets,
      place.rows, place.rowOffsets, source.is_transposed);
}

Fragment load(const SharedTile &source, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto tile = readTile(trace, source, where);
  const Shape shape = source.shape(where);
  refusePairsTransposed(tile.getType().getElementType(), source.is_transposed(),
                        where);
  return readFragment<tile::ReadOp>(
      trace, llvm::SmallVector<int64_t>(shape.begin(), shape.end()),
      tile.getType().getElementType(), where, tile, source.is_transposed());
}

void store(const TileRef &target, const Fragment &fragment,
           SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  refusePairsTransposed(type.getElementType(), target.is_transposed, where);
  Place place = resolve(trace, target, type.getShape(), type.getElementType(),
                        "the fragment", Direction::write, where, Rows::chosen);
  trace.create<tile::StoreOp>(where, value, place.tensor.getResult(),
                              place.offsets, place.rows, place.rowOffsets,
                              target.is_transposed);
}

void store(const SharedTile &target, const Fragment &fragment,
           SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto tile = readTile(trace, target, where);
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  if (Shape(type.getShape().vec()) != target.shape(where) ||
      !holdsSame(tile.getType().getElementType(), type.getElementType()))
    fail(where, "the fragment is " + describe(type) +
                    " and the shared tile is " +
                    (target.is_transposed() ? "the transpose of " : "") +
                    describe(tile.getType()) +
                    "; store needs one shape and one element type: convert "
                    "the fragment, or declare the tile to match");
  refusePairsTransposed(type.getElementType(), target.is_transposed(), where);
  trace.create<tile::WriteOp>(where, value, tile, target.is_transposed());
}

} // namespace ashlar
