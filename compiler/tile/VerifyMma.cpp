// What an mma requires, in the author's words.

#include "compiler/layout/SharedTile.h"
#include "compiler/target/Elements.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"

using namespace mlir;

namespace ashlar::tile {

namespace {

/// "64 or 128": the multiples of `unit` next to an extent.
std::string around(int64_t extent, int64_t unit) {
  int64_t below = extent / unit * unit;
  return (below ? std::to_string(below) + " or " : "") +
         std::to_string(below + unit);
}

/// Whether wgmma has these types; one that the table lacks is none of them.
bool canMultiply(Type a, Type b, Type sum) {
  auto typeA = elementType(a), typeB = elementType(b),
       typeOfSum = elementType(sum);
  return typeA && typeB && typeOfSum &&
         target::canMultiply(*typeA, *typeB, *typeOfSum);
}

/// Whether there is an instruction for these types, so stored.
LogicalResult checkTypes(Operation *op, const Product &product) {
  Type a = product.elementA(), b = product.b.getElementType();
  if (!canMultiply(a, b, product.sum.getElementType()))
    return op->emitOpError("multiplies ")
           << elementName(a) << " by " << elementName(b) << " into "
           << elementName(product.sum.getElementType())
           << "; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or "
              "f16, 8-bit integers into s32, with both inputs of one kind: use "
              "one of these"
           << (a.isF32() || b.isF32()
                   ? ", of a tile of f32 tile.as(tf32, {rows, columns})"
                   : "");
  if (isa<RankedTensorType>(product.a) && product.transposeA)
    return op->emitOpError("takes A transposed from registers; only a shared "
                           "tile is read so");
  if (elementBytes(a) != 2 && (product.transposeA || !product.transposeB))
    return op->emitOpError("reads ")
           << (product.transposeA ? "A with M" : "B with N")
           << " contiguous; wgmma can transpose only 16-bit types: "
           << (product.transposeA && !a.isUnsignedInteger()
                   ? "multiply load(tile.T()), or "
                   : "")
           << "store it with K contiguous";
  return success();
}

/// Whether metadata are those of a sparse A of m rows and k columns.
LogicalResult checkMetadata(Operation *op, RankedTensorType metadata, int64_t m,
                            int64_t k, int64_t kOfElement) {
  SmallVector<int64_t> shape{m, k / kOfElement};
  if (metadata.getElementType().isInteger(16) &&
      metadata.getShape() == ArrayRef(shape))
    return success();
  return op->emitOpError("multiplies a sparse A of ")
         << m << "x" << k << " with metadata of "
         << dimensions(metadata.getShape()) << " "
         << elementName(metadata.getElementType())
         << "; an element has those of " << kOfElement << " columns: use "
         << dimensions(shape) << " s16";
}

} // namespace

layout::ColumnOrder Product::columnOrder() const {
  return transposeB && b.getLayout() && layout::hasEvenRowsFirst(*b.getLayout())
             ? layout::ColumnOrder::even_first
             : layout::ColumnOrder::ascending;
}

layout::DepthOrder Product::depthOrder() const {
  return transposeB && b.getLayout() &&
                 layout::hasInterleavedColumns(*b.getLayout())
             ? layout::DepthOrder::interleaved
             : layout::DepthOrder::ascending;
}

Type Product::elementA() const {
  if (auto tile = dyn_cast<SharedType>(a))
    return tile.getElementType();
  Type element = cast<RankedTensorType>(a).getElementType();
  return registerType(b.getElementType()) == element && element.isF32()
             ? b.getElementType()
             : element;
}

LogicalResult checkMma(Operation *op, const Product &product, StringRef role,
                       int64_t warps) {
  auto fragment = dyn_cast<RankedTensorType>(product.a);
  ArrayRef<int64_t> shapeA = fragment ? fragment.getShape()
                                      : cast<SharedType>(product.a).getShape(),
                    shapeB = product.b.getShape();
  if (shapeA.size() != 2 || shapeB.size() != 2 || product.sum.getRank() != 2)
    return op->emitOpError("multiplies tiles of two dimensions; A has ")
           << shapeA.size() << ", B has " << shapeB.size()
           << ", the accumulator has " << product.sum.getRank();
  const int64_t density = product.metadata ? target::sparseRatio : 1;
  int64_t m = shapeA[product.transposeA ? 1 : 0];
  int64_t k = density * shapeA[product.transposeA ? 0 : 1];
  int64_t kOfB = shapeB[product.transposeB ? 1 : 0];
  int64_t n = shapeB[product.transposeB ? 0 : 1];

  if (k != kOfB)
    return op->emitOpError("multiplies A with K = ")
           << k << (product.metadata ? ", zeros included," : "")
           << " and B with K = " << kOfB
           << ": the inner extents must agree (is a .T() missing?)";
  if (product.sum.getDimSize(0) != m || product.sum.getDimSize(1) != n)
    return op->emitOpError("adds a product of ")
           << m << "x" << n << " to an accumulator of "
           << dimensions(product.sum.getShape());
  if (failed(checkTypes(op, product)))
    return failure();
  Type elementA = product.elementA();

  int64_t step = density * target::wgmmaDepthBytes / elementBytes(elementA);
  if (k % step)
    return op->emitOpError("has K = ")
           << k << "; for " << (product.metadata ? "sparse " : "")
           << elementName(elementA) << " wgmma needs a multiple of " << step
           << ": use " << around(k, step);
  if (product.metadata &&
      failed(checkMetadata(op, product.metadata, m, k,
                           target::metadataColumns(elementBytes(elementA)))))
    return failure();
  int64_t columns = target::wgmmaColumnStep;
  if (n % columns)
    return op->emitOpError("has N = ")
           << n << "; wgmma needs a multiple of " << columns << ": use "
           << around(n, columns);
  bool integers = target::isInteger(*elementType(elementA));
  columns = target::wgmmaStep(integers);
  if (n % columns && !target::isWgmmaColumns(n, integers))
    return op->emitOpError("has N = ")
           << n << "; wgmma on 8-bit integers needs 8, 24 or a multiple of "
           << columns << ": use " << around(n, columns);
  if (warps % target::warpgroupWarps)
    return op->emitOpError("stands in role '")
           << role << "' of " << warps
           << " warps; wgmma needs whole warpgroups: use warpgroups("
           << llvm::divideCeil(warps, target::warpgroupWarps) << ")";
  int64_t warpgroups = warps / target::warpgroupWarps,
          rows = target::wgmmaRows * warpgroups;
  if (m % rows)
    return op->emitOpError("has M = ")
           << m << " in role '" << role << "' of " << warpgroups
           << (warpgroups == 1 ? " warpgroup" : " warpgroups")
           << "; each needs a multiple of " << target::wgmmaRows
           << " rows: use " << around(m, rows)
           << (warpgroups == 1 ? "" : ", or fewer warpgroups");
  return success();
}

Product MmaOp::product() {
  return {getA().getType(),
          getB().getType(),
          cast<RankedTensorType>(getResult().getType()),
          getMetadata() ? cast<RankedTensorType>(getMetadata().getType())
                        : RankedTensorType(),
          getTransposeA(),
          getTransposeB()};
}

LogicalResult MmaOp::verify() {
  RoleOp role = roleOf(*this);
  if (!role)
    return emitOpError("stands outside a kernel's roles");
  return checkMma(*this, product(), role.getName(), role.getWarps());
}

} // namespace ashlar::tile
