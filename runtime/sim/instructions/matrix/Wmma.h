// Fragments of wmma.
#pragma once

#include "runtime/sim/instructions/matrix/MatrixOperands.h"

namespace ashlar::sim {

/// A fragment: `which` is 'a', 'b' (kept as the rows of its transpose), or 'c'
/// for accumulators.
struct WmmaFragment {
  char which = 'a';
  MatrixType type = MatrixType::f16;
  unsigned rows = 0, columns = 0;

  unsigned registerBits() const { return type == MatrixType::f64 ? 64 : 32; }
  ptx::Type registerType() const {
    return type == MatrixType::f64 ? ptx::Type::b64 : ptx::Type::b32;
  }
  /// Registers that hold each element once.
  unsigned storedRegisters() const;
  unsigned registerCount() const;
};

/// Refuses what sm_90a does not have.
WmmaFragment wmmaFragment(Decoder &decoder, char which, MatrixShape shape,
                          MatrixType type);

/// wmma.mma, behind the opcode and `.mma`.
Decoded decodeWmmaMultiply(Decoder &decoder);

} // namespace ashlar::sim
