// What an mma requires, in the author's words.

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

bool isFp8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// The accumulator types that wgmma has for an input type.
bool canAccumulate(Type a, Type b, Type accumulator) {
  bool f32 = accumulator.isF32(), f16 = accumulator.isF16();
  if (isFp8(a) && isFp8(b))
    return f32 || f16;
  if (a.isF16() && b.isF16())
    return f32 || f16;
  if ((a.isBF16() && b.isBF16()) || (a.isTF32() && b.isTF32()))
    return f32;
  if (a.isInteger(8) && b.isInteger(8))
    return accumulator.isInteger(32);
  return false;
}

} // namespace

LogicalResult MmaOp::verify() {
  SharedType a = getA().getType(), b = getB().getType();
  auto result = cast<RankedTensorType>(getResult().getType());
  if (a.getShape().size() != 2 || b.getShape().size() != 2 ||
      result.getRank() != 2)
    return emitOpError("multiplies tiles of two dimensions; A has ")
           << a.getShape().size() << ", B has " << b.getShape().size()
           << ", the accumulator has " << result.getRank();
  int64_t m = a.getShape()[getTransposeA() ? 1 : 0];
  int64_t k = a.getShape()[getTransposeA() ? 0 : 1];
  int64_t kOfB = b.getShape()[getTransposeB() ? 1 : 0];
  int64_t n = b.getShape()[getTransposeB() ? 0 : 1];
  Type elementA = a.getElementType(), elementB = b.getElementType();

  if (k != kOfB)
    return emitOpError("multiplies A with K = ")
           << k << " and B with K = " << kOfB
           << ": the inner extents must agree (is a .T() missing?)";
  if (result.getDimSize(0) != m || result.getDimSize(1) != n)
    return emitOpError("adds a product of ")
           << m << "x" << n << " to an accumulator of "
           << dimensions(result.getShape());
  if (!canAccumulate(elementA, elementB, result.getElementType()))
    return emitOpError("multiplies ")
           << elementName(elementA) << " by " << elementName(elementB)
           << " into " << elementName(result.getElementType())
           << "; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or "
              "f16, 8-bit integers into s32, with both inputs of one kind: use "
              "one of these";
  bool sixteenBit = elementBytes(elementA) == 2;
  if (!sixteenBit && (getTransposeA() || !getTransposeB()))
    return emitOpError("reads ")
           << (getTransposeA() ? "A with M" : "B with N")
           << " contiguous; wgmma can transpose only 16-bit types: store it "
              "with K contiguous";

  int64_t step = target::wgmmaDepthBytes / elementBytes(elementA);
  if (k % step)
    return emitOpError("has K = ") << k << "; for " << elementName(elementA)
                                   << " wgmma needs a multiple of " << step
                                   << ": use " << around(k, step);
  int64_t columns = target::wgmmaColumnStep;
  if (n % columns)
    return emitOpError("has N = ") << n << "; wgmma needs a multiple of "
                                   << columns << ": use " << around(n, columns);
  columns = target::wgmmaStep(elementA.isInteger(8));
  if (n % columns && !target::isWgmmaColumns(n, elementA.isInteger(8)))
    return emitOpError("has N = ")
           << n << "; wgmma on 8-bit integers needs 8, 24 or a multiple of "
           << columns << ": use " << around(n, columns);
  RoleOp role = roleOf(*this);
  if (!role)
    return emitOpError("stands outside a role; move it into one");
  if (role.getWarps() % target::warpgroupWarps)
    return emitOpError("stands in role '")
           << role.getName() << "' of " << role.getWarps()
           << " warps; wgmma needs whole warpgroups: use warpgroups("
           << llvm::divideCeil(role.getWarps(), target::warpgroupWarps) << ")";
  int64_t warpgroups = role.getWarps() / target::warpgroupWarps,
          rows = target::wgmmaRows * warpgroups;
  if (m % rows)
    return emitOpError("has M = ")
           << m << " in role '" << role.getName() << "' of " << warpgroups
           << (warpgroups == 1 ? " warpgroup" : " warpgroups")
           << "; each needs a multiple of " << target::wgmmaRows
           << " rows: use " << around(m, rows)
           << (warpgroups == 1 ? "" : ", or fewer warpgroups");
  return success();
}

} // namespace ashlar::tile
