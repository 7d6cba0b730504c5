#include "Describe.h"
#include "Trace.h"
#include "ashlar/fragment.h"

namespace ashlar {

using namespace detail;

Fragment mma(const SharedTile &a, const SharedTile &b,
             const Fragment &accumulator, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value left = trace.read(a, where), right = trace.read(b, where);
  mlir::Value sum = trace.read(accumulator, where);
  Shape shapeOfA = a.shape(where), shapeOfB = b.shape(where);
  auto type = llvm::cast<mlir::RankedTensorType>(sum.getType());
  Shape shapeOfSum(type.getShape().vec());

  std::string subject = "mma of A " + shapeOfA.str() + ", B " + shapeOfB.str() +
                        " and an accumulator of " + shapeOfSum.str() + ": ";
  if (shapeOfA.rank() != 2 || shapeOfB.rank() != 2 || shapeOfSum.rank() != 2)
    fail(where, subject + "give each two dimensions");
  if (shapeOfA[1] != shapeOfB[0])
    fail(where, subject + "A is M×K and B is K×N, and K is " +
                    std::to_string(shapeOfA[1]) + " and " +
                    std::to_string(shapeOfB[0]) + "; is a .T() missing?");
  if (shapeOfSum[0] != shapeOfA[0] || shapeOfSum[1] != shapeOfB[1])
    fail(where, subject + "the product is " + std::to_string(shapeOfA[0]) +
                    "x" + std::to_string(shapeOfB[1]) +
                    "; give the accumulator that shape");
  auto op = trace.create<tile::MmaOp>(where, type, left, right, sum,
                                      a.is_transposed(), b.is_transposed());
  return trace.declare<Fragment>(HandleKind::fragment, op, where);
}

} // namespace ashlar
