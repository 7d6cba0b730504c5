// Loads of a value that is only a guess, as in a loop around atom.cas.
#pragma once

#include "runtime/sim/ptx/Module.h"

#include <vector>

namespace ashlar::sim {

/// What is known of an instruction in such a loop.
struct Guessing {
  /// A load after which an atom.cas at the same address compares with what was
  /// loaded, and nothing but that address, and the end of a loop, depends on
  /// the value. A wrong guess is noticed there, so that such a load need not be
  /// ordered after the atomic operations of others (atomicAdd of a type that
  /// has none is made of it: CUDA C++ Programming Guide, "Atomic Functions").
  bool isGuess = false;
  /// A load, or the atom.cas or store behind it at the same address: some bits
  /// of what was loaded are put back beside others, and no more is done with
  /// them, as to store an element of 4 bits. They need not have been written.
  bool replacesBits = false;
};

/// For each instruction of the body.
std::vector<Guessing> findGuessedLoads(const ptx::Function &function);

} // namespace ashlar::sim
