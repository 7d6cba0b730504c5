// Loads of a value that is only a guess, as in a loop around atom.cas.
#pragma once

#include "runtime/sim/ptx/Module.h"

#include <vector>

namespace ashlar::sim {

/// Which instructions of the body are loads after which an atom.cas at the same
/// address compares with what was loaded, and nothing but that address, and the
/// end of a loop, depends on the value. A wrong guess is noticed there, so that
/// such a load need not be ordered after the atomic operations of others
/// (atomicAdd of a type that has none is made of it: CUDA C++ Programming
/// Guide, "Atomic Functions").
std::vector<bool> findGuessedLoads(const ptx::Function &function);

} // namespace ashlar::sim
