#include "passes/SharedLayouts.h"

#include "compiler/layout/SharedTile.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/IndexFacts.h"
#include "passes/SharedMemory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

namespace ashlar {

using namespace mlir;

namespace {

layout::Result<layout::SwizzledLayout> layoutOf(tile::SharedType type) {
  return layout::sharedTileLayout(type.getShape().vec(), type.elementBytes());
}

/// Whether the tiles that a view counts reach its number.
LogicalResult checkView(tile::ViewOp view) {
  tile::SharedType type = view.getResult().getType();
  auto layout = layoutOf(type);
  if (!layout)
    return view.emitError(layout.why());
  int64_t pitch =
      llvm::alignTo(type.sizeBytes(), layout::alignmentBytes(*layout));
  const int64_t bytes = view.getSource().getType().sizeBytes();
  const int64_t fit =
      bytes < type.sizeBytes() ? 0 : (bytes - type.sizeBytes()) / pitch + 1;
  if (int64_t(view.getNumber()) < fit)
    return success();
  std::string each;
  llvm::raw_string_ostream text(each);
  llvm::interleave(type.getShape(), text, "x");
  text << " " << tile::elementName(type.getElementType());
  if (!fit)
    return view.emitError("a tile of ")
           << each << " has " << type.sizeBytes()
           << " bytes, and the shared tile that it is to lie in " << bytes
           << ": use a smaller shape";
  return view.emitError("the shared tile has ")
         << bytes << " bytes, room for " << fit
         << (fit == 1 ? " tile of " : " tiles of ") << each
         << ", counted from 0; there is no tile " << view.getNumber();
}

/// Whether a part begins with a swizzle atom where an index chooses its place.
LogicalResult checkPlaces(tile::PartOp part) {
  tile::SharedType source = part.getSource().getType();
  for (auto [index, dimension] :
       llvm::zip(part.getPlaces(), part.getChosenDimensions())) {
    const auto [elements, bytes] =
        layout::partPlaces(*source.getLayout(), dimension);
    const IndexFacts facts(index);
    const auto [low, high, divisor] = facts.of(index);
    if ((low == high ? low : divisor) % elements == 0)
      continue;
    const int64_t each = authorsElements(source, dimension);
    InFlightDiagnostic error =
        part.emitError("the part begins along dimension ")
        << dimension << " at an index";
    if (elements >= source.getShape()[dimension])
      return error << ", and of the " << source.getShape()[dimension] * each
                   << " elements there only the first begins a swizzle atom of "
                      "the tile: write 0";
    return error << " that is not known to be a multiple of " << elements * each
                 << ", as the swizzle atoms of the tile do: promise it with "
                    "multiple_of(index, "
                 << elements * each << ")";
  }
  return success();
}

/// A part lies as the tile does that it is cut from.
LogicalResult assignPart(tile::PartOp part, tile::SharedType type) {
  tile::SharedType source = part.getSource().getType();
  const SmallVector<int64_t> offsets = part.getKnownOffsets();
  auto layout = layout::partOfTile(
      *source.getLayout(), std::vector<int64_t>(offsets.begin(), offsets.end()),
      type.getShape().vec(), type.elementBytes());
  if (!layout)
    return part.emitError(layout.why());
  if (failed(checkPlaces(part)))
    return failure();
  part.getResult().setType(tile::SharedType::get(
      type.getContext(), type.getShape(), type.getElementType(), *layout));
  return success();
}

/// Tiles whose columns are interleaved, or whose rows are apart, are a B of
/// some products: no A, and no B of others.
LogicalResult checkProduct(tile::MmaOp mma) {
  auto isMisplaced = [&](bool (*lies)(const layout::SwizzledLayout &),
                         bool asB) {
    auto isOne = [&](Value factor) {
      auto tile = dyn_cast<tile::SharedType>(factor.getType());
      return tile && lies(*tile.getLayout());
    };
    return isOne(mma.getA()) || (!asB && isOne(mma.getB()));
  };
  const tile::Product product = mma.product();
  if (isMisplaced(layout::hasInterleavedColumns,
                  product.depthOrder() == layout::DepthOrder::interleaved &&
                      isa<RankedTensorType>(mma.getA().getType()) &&
                      !mma.getMetadata()))
    return mma.emitError("this multiplies a tile that has its columns "
                         "interleaved other than as B of a dense A in "
                         "registers, mma(fragment, tile.T()): use the tile as "
                         "it is");
  if (isMisplaced(layout::areRowsApart,
                  product.columnOrder() == layout::ColumnOrder::even_first))
    return mma.emitError("this multiplies a tile that has its even rows first "
                         "other than as a whole B by columns, mma(a, "
                         "tile.T()): use the tile as it is");
  return success();
}

/// Who reads a tile in an order of its rows and columns in which nobody writes
/// it finds what is written out of order. A ring's stages may take turns.
LogicalResult checkOrders(tile::KernelOp kernel) {
  struct Use {
    Operation *op;
    layout::SwizzledLayout layout;
  };
  struct Uses {
    SmallVector<Use> writes, reads;
  };
  // By the memory, of any stage of a pipeline the same, and the type.
  llvm::MapVector<std::tuple<Value, int64_t, Type>, Uses> tiles;
  auto add = [&](Operation *op, Value whole) {
    auto toPeer = dyn_cast<tile::CopyToPeerOp>(op);
    const bool isWrite =
        writtenTile(op) || (toPeer && toPeer.getTarget() == whole);
    while (isa_and_present<tile::PartOp, tile::PeerOp>(whole.getDefiningOp()))
      whole = whole.getDefiningOp()->getOperand(0);
    auto type = cast<tile::SharedType>(whole.getType());
    auto plain = tile::SharedType::get(type.getContext(), type.getShape(),
                                       type.getElementType());
    auto buffer = tile::bufferOf(whole);
    Uses &uses = buffer ? tiles[{tile::pipelineOf(buffer.getStage()),
                                 int64_t(buffer.getIndex()), plain}]
                        : tiles[{tile::memoryOf(whole), int64_t(0), plain}];
    (isWrite ? uses.writes : uses.reads)
        .push_back(
            {op, type.getLayout() ? *type.getLayout() : *layoutOf(type)});
  };
  kernel.walk([&](Operation *op) {
    if (!isa<tile::PartOp, tile::ViewOp, tile::PeerOp>(op))
      for (Value operand : op->getOperands())
        if (isa<tile::SharedType>(operand.getType()))
          add(op, operand);
  });
  for (const auto &[tile, uses] : tiles)
    for (const Use &read : uses.reads) {
      auto isSame = [&](const Use &write) {
        return write.layout == read.layout;
      };
      if (uses.writes.empty() || llvm::any_of(uses.writes, isSame))
        continue;
      InFlightDiagnostic error = read.op->emitError(
          "this reads a tile in another order of its rows or columns than it "
          "is written in: call even_rows_first or interleaved_columns for "
          "both, or for neither");
      error.attachNote(uses.writes.front().op->getLoc()) << "written here";
      return error;
    }
  return success();
}

} // namespace

LogicalResult assignSharedLayouts(tile::KernelOp kernel) {
  auto check = [](Operation *op, tile::SharedType type) -> LogicalResult {
    auto layout = layoutOf(type);
    if (!layout)
      return op->emitError(layout.why());
    return success();
  };
  for (auto alloc : kernel.getBody().getOps<tile::AllocOp>())
    if (failed(check(alloc, alloc.getResult().getType())))
      return failure();
  for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
    for (Type type : pipeline.getResult().getType().getTiles())
      if (failed(check(pipeline, cast<tile::SharedType>(type))))
        return failure();
  auto views = kernel.walk(
      [&](tile::ViewOp view) { return WalkResult(checkView(view)); });
  if (views.wasInterrupted() || failed(checkOrders(kernel)))
    return failure();
  // A part's type says not how it lies: below it gets the layout of its tile.
  SmallVector<std::pair<tile::PartOp, tile::SharedType>> parts;
  kernel.walk([&](tile::PartOp part) {
    parts.push_back({part, part.getResult().getType()});
    part.getResult().setType(part.getSource().getType());
  });

  AttrTypeReplacer replacer;
  replacer.addReplacement([](tile::SharedType type) -> Type {
    if (type.getLayout())
      return type;
    return tile::SharedType::get(type.getContext(), type.getShape(),
                                 type.getElementType(), *layoutOf(type));
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  for (auto [part, type] : parts)
    if (failed(assignPart(part, type)))
      return failure();
  auto products = kernel.walk(
      [&](tile::MmaOp mma) { return WalkResult(checkProduct(mma)); });
  return failure(products.wasInterrupted());
}

} // namespace ashlar
