// What the decoders of matrix instructions share.
#pragma once

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/matrix/MatrixType.h"

namespace ashlar::sim {

struct MatrixShape {
  unsigned m = 0, n = 0, k = 0;
  bool operator==(const MatrixShape &) const = default;
};

/// Takes ".m16n8k16"; refuses when the next modifier is no shape.
MatrixShape takeShape(Decoder &decoder);
/// Takes a type of matrix elements.
MatrixType takeMatrixType(Decoder &decoder);
/// Takes ".sync.aligned", which every matrix instruction has.
void takeSyncAligned(Decoder &decoder);

/// The registers of a fragment: `{...}` of as many as `count`, each of 32 bits,
/// or 64 where the elements are f64. `what` names it for a message: "A".
std::vector<Slot> fragment(Decoder &decoder, const ptx::Operand &operand,
                           unsigned count, bool isTarget, const char *what,
                           ptx::Type type = ptx::Type::b32);

// Parts of addMatrixInstructions.
void addMatrixMoves(OpcodeTable &table);    // ldmatrix, stmatrix, movmatrix
void addMatrixMultiply(OpcodeTable &table); // mma
void addWmma(OpcodeTable &table);           // wmma

} // namespace ashlar::sim
