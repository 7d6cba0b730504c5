// What an mma requires, in the author's words.

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

} // namespace

LogicalResult checkMma(Operation *op, Type a, SharedType b,
                       RankedTensorType result, bool transposeA,
                       bool transposeB, StringRef role, int64_t warps) {
  auto fragment = dyn_cast<RankedTensorType>(a);
  ArrayRef<int64_t> shapeA =
      fragment ? fragment.getShape() : cast<SharedType>(a).getShape();
  Type elementA = fragment ? fragment.getElementType()
                           : cast<SharedType>(a).getElementType();
  if (shapeA.size() != 2 || b.getShape().size() != 2 || result.getRank() != 2)
    return op->emitOpError("multiplies tiles of two dimensions; A has ")
           << shapeA.size() << ", B has " << b.getShape().size()
           << ", the accumulator has " << result.getRank();
  int64_t m = shapeA[transposeA ? 1 : 0];
  int64_t k = shapeA[transposeA ? 0 : 1];
  int64_t kOfB = b.getShape()[transposeB ? 1 : 0];
  int64_t n = b.getShape()[transposeB ? 0 : 1];
  Type elementB = b.getElementType();

  if (k != kOfB)
    return op->emitOpError("multiplies A with K = ")
           << k << " and B with K = " << kOfB
           << ": the inner extents must agree (is a .T() missing?)";
  if (result.getDimSize(0) != m || result.getDimSize(1) != n)
    return op->emitOpError("adds a product of ")
           << m << "x" << n << " to an accumulator of "
           << dimensions(result.getShape());
  if (!canMultiply(elementA, elementB, result.getElementType()))
    return op->emitOpError("multiplies ")
           << elementName(elementA) << " by " << elementName(elementB)
           << " into " << elementName(result.getElementType())
           << "; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or "
              "f16, 8-bit integers into s32, with both inputs of one kind: use "
              "one of these";
  bool sixteenBit = elementBytes(elementA) == 2;
  if (fragment && !sixteenBit)
    return op->emitOpError("takes A of ")
           << elementName(elementA)
           << " from registers, where it lies otherwise than a sum does; of "
              "16-bit types it lies alike: store it to a shared tile";
  if (fragment && transposeA)
    return op->emitOpError("takes A transposed from registers; only a shared "
                           "tile is read so");
  if (!sixteenBit && (transposeA || !transposeB))
    return op->emitOpError("reads ")
           << (transposeA ? "A with M" : "B with N")
           << " contiguous; wgmma can transpose only 16-bit types: store it "
              "with K contiguous";

  int64_t step = target::wgmmaDepthBytes / elementBytes(elementA);
  if (k % step)
    return op->emitOpError("has K = ") << k << "; for " << elementName(elementA)
                                       << " wgmma needs a multiple of " << step
                                       << ": use " << around(k, step);
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

LogicalResult MmaOp::verify() {
  RoleOp role = roleOf(*this);
  if (!role)
    return emitOpError("stands outside a role; move it into one");
  return checkMma(*this, getA().getType(), getB().getType(),
                  cast<RankedTensorType>(getResult().getType()),
                  getTransposeA(), getTransposeB(), role.getName(),
                  role.getWarps());
}

} // namespace ashlar::tile
