// Static shared memory: a kernel has that of its own code and of the functions
// that it may call, not all that the module declares.
#pragma once

#include "runtime/sim/instructions/Reach.h"

namespace ashlar::sim {

inline bool isDynamicShared(const ptx::Variable &variable) {
  return variable.space == ptx::StateSpace::shared && variable.elements == 0;
}

/// In the order of ptxas 13.0: the kernel's own variables, the module's, those
/// of functions; last what functions declare and nobody uses, while of the
/// module's only those count that are used. Throws DecodeError where a CTA has
/// less.
SharedLayout layOutShared(const ptx::Module &module, uint32_t kernel,
                          const Reach &reach);

} // namespace ashlar::sim
