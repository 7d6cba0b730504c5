// The passes of the lowering, in the order in which the driver runs them.
#ifndef ASHLAR_PASSES_PASSES_H
#define ASHLAR_PASSES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ashlar {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace ashlar

#endif
