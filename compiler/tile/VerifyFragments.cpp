// What operations on fragments require.

#include "compiler/layout/Pairs.h"
#include "compiler/layout/Reduction.h"
#include "compiler/target/Elements.h"
#include "compiler/tile/Verify.h"

using namespace mlir;

namespace ashlar::tile {

LogicalResult SplatOp::verify() {
  if (cast<RankedTensorType>(getResult().getType()).getElementType() !=
      getValue().getType())
    return emitOpError("makes ")
           << getResult().getType() << " of a " << getValue().getType();
  return success();
}

LogicalResult checkBroadcast(Operation *op, RankedTensorType source,
                             RankedTensorType result, ArrayRef<int64_t> along) {
  if (static_cast<int64_t>(along.size()) != source.getRank())
    return op->emitOpError("names ")
           << along.size() << " dimensions for a fragment of rank "
           << source.getRank();
  int64_t previous = -1;
  for (auto [extent, dimension] : llvm::zip(source.getShape(), along)) {
    if (dimension <= previous || dimension >= result.getRank() ||
        (extent != 1 && result.getDimSize(dimension) != extent))
      return op->emitOpError("spreads ")
             << dimensions(source.getShape()) << " over "
             << dimensions(result.getShape())
             << ": each source dimension runs along a result dimension of the "
                "same extent, or has an extent of 1, in order";
    previous = dimension;
  }
  if (source.getElementType() != result.getElementType())
    return op->emitOpError("changes the element type");
  return success();
}

LogicalResult BroadcastOp::verify() {
  return checkBroadcast(*this, cast<RankedTensorType>(getValue().getType()),
                        cast<RankedTensorType>(getResult().getType()),
                        getDimensions());
}

LogicalResult checkSlice(Operation *op, RankedTensorType source,
                         RankedTensorType result, ArrayRef<int64_t> offsets) {
  if (source.getElementType() != result.getElementType())
    return op->emitOpError("changes the element type");
  if (source.getRank() != result.getRank() ||
      source.getRank() != int64_t(offsets.size()))
    return op->emitOpError("takes a part of ")
           << result.getRank() << " dimensions, from " << offsets.size()
           << " offsets, of a fragment of " << source.getRank();
  for (auto [whole, part, offset] :
       llvm::zip(source.getShape(), result.getShape(), offsets))
    if (offset < 0 || offset > whole - part)
      return op->emitOpError("takes ")
             << part << " from " << offset << " of a dimension of " << whole;
  return success();
}

LogicalResult SliceOp::verify() {
  return checkSlice(*this, cast<RankedTensorType>(getValue().getType()),
                    cast<RankedTensorType>(getResult().getType()),
                    getOffsets());
}

LogicalResult checkConvert(Operation *op, RankedTensorType source,
                           RankedTensorType result) {
  Type from = source.getElementType(), to = result.getElementType();
  auto fromType = elementType(from), toType = elementType(to);
  if (!fromType || !toType || !target::canConvert(*fromType, *toType))
    return op->emitOpError("makes ")
           << elementName(to) << " of " << elementName(from)
           << ", which no instructions do at once";
  SmallVector<int64_t> ofSource(source.getShape()), ofResult(result.getShape());
  if (!ofSource.empty() && !ofResult.empty()) {
    ofSource.back() *= elementsIn(from);
    ofResult.back() *= elementsIn(to);
  }
  if (ofSource != ofResult)
    return op->emitOpError("makes a fragment of ")
           << dimensions(ofResult) << " of one of " << dimensions(ofSource);
  FragmentAttr sourceLies = fragmentOf(source), resultLies = fragmentOf(result);
  if (!sourceLies || !resultLies)
    return success();
  auto elementsOf = [](Type type, FragmentAttr lies) {
    return isPair(type) ? layout::elementsOf(lies.getLayout())
                        : lies.getLayout();
  };
  if (layout::lieAlike(elementsOf(from, sourceLies),
                       elementsOf(to, resultLies)))
    return success();
  return op->emitOpError("gives a fragment that lies as ")
         << resultLies.getLayout().str() << " of one that lies as "
         << sourceLies.getLayout().str()
         << ": each element is to be where it was";
}

LogicalResult ConvertOp::verify() {
  return checkConvert(*this, cast<RankedTensorType>(getValue().getType()),
                      cast<RankedTensorType>(getResult().getType()));
}

LogicalResult checkCoordinate(Operation *op, RankedTensorType result,
                              int64_t dimension) {
  if (dimension < 0 || dimension >= result.getRank())
    return op->emitOpError("counts along dimension ")
           << dimension << " of a fragment of " << result.getRank();
  if (!result.getElementType().isInteger(32))
    return op->emitOpError("gives ") << result << "; coordinates are i32";
  return success();
}

LogicalResult CoordinateOp::verify() {
  return checkCoordinate(*this, cast<RankedTensorType>(getResult().getType()),
                         getDimension());
}

LogicalResult checkReduced(Operation *op, RankedTensorType source,
                           ArrayRef<int64_t> along) {
  if (along.empty())
    return op->emitOpError("combines along no dimension");
  int64_t previous = -1;
  for (int64_t dimension : along) {
    if (dimension <= previous || dimension >= source.getRank())
      return op->emitOpError("combines along dimension ")
             << dimension << " of a fragment of " << source.getRank()
             << ": name each once, in ascending order";
    previous = dimension;
  }
  Type element = source.getElementType();
  if (element.isF32() || element.isInteger(32))
    return success();
  return op->emitOpError("combines ")
         << elementName(element)
         << "; what is combined is f32 or s32: convert it first";
}

RankedTensorType ReduceOp::resultType(RankedTensorType source,
                                      ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> shape;
  for (int kept : layout::keptDimensions(
           source.getRank(), {dimensions.begin(), dimensions.end()}))
    shape.push_back(source.getDimSize(kept));
  if (shape.empty())
    shape.push_back(1);
  return RankedTensorType::get(shape, source.getElementType());
}

LogicalResult ReduceOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(checkReduced(*this, source, getDimensions())))
    return failure();
  const RankedTensorType expected = resultType(source, getDimensions());
  if (result.getShape() == expected.getShape() &&
      result.getElementType() == expected.getElementType())
    return success();
  return emitOpError("gives ")
         << result << "; combined it is " << dimensions(expected.getShape())
         << " " << elementName(expected.getElementType());
}

LogicalResult ScanOp::verify() {
  return checkReduced(*this, cast<RankedTensorType>(getValue().getType()),
                      getDimension());
}

LogicalResult checkPrinted(Operation *op, StringRef text, ValueRange values,
                           Value condition) {
  if (text.count("{}") != values.size())
    return op->emitOpError("prints ")
           << values.size() << " values at " << text.count("{}")
           << " places: each {} is one";
  RankedTensorType first;
  SmallVector<Value> all(values);
  if (condition)
    all.push_back(condition);
  for (Value value : all)
    if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
      if (first && type.getShape() != first.getShape())
        return op->emitOpError("prints fragments of ")
               << dimensions(first.getShape()) << " and "
               << dimensions(type.getShape()) << "; their shapes must agree";
      first = type;
    }
  return success();
}

LogicalResult PrintOp::verify() {
  return checkPrinted(*this, getText(), getValues(), getCondition());
}

LogicalResult RelayOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (source.getShape() == result.getShape() &&
      source.getElementType() == result.getElementType())
    return success();
  return emitOpError("gives ") << result << " of " << source;
}

LogicalResult checkElement(Operation *op, RankedTensorType source,
                           Type result) {
  if (source.getNumElements() != 1)
    return op->emitOpError("takes the element of a fragment of ")
           << dimensions(source.getShape()) << "; it has one";
  if (source.getElementType() != result)
    return op->emitOpError("gives a ") << result << " of " << source;
  return success();
}

LogicalResult ElementOp::verify() {
  return checkElement(*this, cast<RankedTensorType>(getValue().getType()),
                      getResult().getType());
}

int64_t ClusterReduceOp::parts() {
  return (*getOperation()
               ->getParentOfType<KernelOp>()
               .getCluster())[getDimension()];
}

bool ClusterReduceOp::isWhole() {
  return cast<RankedTensorType>(getValue().getType()).getShape() ==
         cast<RankedTensorType>(getResult().getType()).getShape();
}

LogicalResult ClusterReduceOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!roleOf(*this))
    return emitOpError("stands outside a kernel's roles");
  auto kernel = getOperation()->getParentOfType<KernelOp>();
  auto cluster = kernel ? kernel.getCluster() : std::nullopt;
  if (!cluster)
    return emitOpError("combines over a cluster, and the kernel has none: call "
                       "cluster({...}) before the roles");
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= int64_t(cluster->size()))
    return emitOpError("combines along dimension ")
           << dimension << " of a cluster of " << cluster->size();
  if (source.getElementType() != result.getElementType())
    return emitOpError("changes the element type");
  if (elementBytes(source.getElementType()) != 4)
    return emitOpError("combines ")
           << elementName(source.getElementType())
           << "; clusters combine f32 or s32: convert it first";
  if (isWhole())
    return success();
  SmallVector<int64_t> expected(source.getShape());
  if (expected.empty() || expected.back() % parts())
    return emitOpError("shares out ")
           << (expected.empty() ? 1 : expected.back()) << " columns among "
           << parts() << " CTAs: make the columns a multiple of " << parts();
  expected.back() /= parts();
  if (ArrayRef(expected) != result.getShape())
    return emitOpError("gives ")
           << result << ", neither " << source << " nor a part of it";
  return success();
}

} // namespace ashlar::tile
