// Which fragments are known to be zero.
#ifndef ASHLAR_PASSES_ZEROFRAGMENT_H
#define ASHLAR_PASSES_ZEROFRAGMENT_H

#include "compiler/hopper/Hopper.h"
#include "mlir/IR/Matchers.h"

namespace ashlar {

/// Whether every element is a constant zero, of either sign.
inline bool isZero(mlir::Value fragment) {
  if (auto splat = fragment.getDefiningOp<hopper::SplatOp>())
    fragment = splat->getOperand(0);
  return mlir::matchPattern(fragment, mlir::m_AnyZeroFloat()) ||
         mlir::matchPattern(fragment, mlir::m_Zero());
}

} // namespace ashlar

#endif
