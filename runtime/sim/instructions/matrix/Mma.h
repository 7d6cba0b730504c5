// mma: what its shapes share.
#pragma once

#include "runtime/sim/instructions/matrix/MatrixOperands.h"
#include "runtime/sim/machine/Warp.h"

namespace ashlar::sim {

struct MmaMultiply : Instruction {
  MatrixType typeA = MatrixType::f16, typeB = MatrixType::f16;
  MatrixType typeC = MatrixType::f32, typeD = MatrixType::f32;
  unsigned halves = 2, k = 0;
  std::vector<Slot> d, a, b, c;
  // mma.sp:
  bool sparse = false, orderedMetadata = false;
  Slot metadata;
  unsigned selector = 0;

  /// The rows of A as packed elements, with the zeros of a sparse A.
  void gatherA(Warp &warp, uint8_t *out) const;
};

/// .dtype.atype.btype.ctype
void takeMmaTypes(Decoder &decoder, MmaMultiply &form);
/// The operands D, A, B and C, which have so many registers.
void takeMmaRegisters(Decoder &decoder, MmaMultiply &form, unsigned registersA,
                      unsigned registersB, unsigned registersC,
                      unsigned registersD);

/// .m8n8k4 of f16, behind the layouts.
Decoded decodeMmaQuads(Decoder &decoder, bool columnMajorA, bool rowMajorB);

} // namespace ashlar::sim
