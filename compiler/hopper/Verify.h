// What the verifiers of the hopper dialect share.
#ifndef ASHLAR_COMPILER_HOPPER_VERIFY_H
#define ASHLAR_COMPILER_HOPPER_VERIFY_H

#include "compiler/hopper/Hopper.h"

namespace ashlar::hopper {

/// What a role's threads do together stands in a role, of this dialect or of
/// `tile` before it is lowered.
mlir::LogicalResult demandRole(mlir::Operation *op);

} // namespace ashlar::hopper

#endif
