// Matrices that lie in the registers of a warp (PTX ISA, "Matrix Fragments for
// mma.*" and "Register Fragments and Shared Memory Matrix Layouts").
//
// All shapes of mma.sync but m8n8k4 of f16 follow one rule. A register holds
// elements that are neighbours along K. Lane 4 r + c has row r of A (column r
// of B); its first register has K-neighbours number c, four lanes making up a
// stretch of K. The next register of A has row r + 8, where A has 16 rows; the
// following ones the next stretch of K.
#pragma once

#include "runtime/sim/machine/Instruction.h"
#include "runtime/sim/machine/matrix/MatrixType.h"

#include <span>

namespace ashlar::sim {

class Warp;

/// The rows of A (8 * halves of them) or, with `halves` 1, the columns of B, as
/// packed elements one after the other, `rowBytes` for each.
void gatherRows(Warp &warp, std::span<const Slot> registers, unsigned halves,
                unsigned rowBytes, uint8_t *out);

/// Accumulators of the type, in the form that multiplyAdd takes: f16 and f32
/// as float, s32 as int32_t, f64 as double.
template <class T>
void loadAccumulator(Warp &warp, std::span<const Slot> registers,
                     MatrixType type, T *out);
/// f16 is rounded to nearest even; a NaN is the canonical one.
template <class T>
void storeAccumulator(Warp &warp, std::span<const Slot> registers,
                      MatrixType type, const T *in);

/// Registers of an accumulator with 8 * halves rows and 8 * blocks columns.
inline unsigned accumulatorRegisters(MatrixType type, unsigned halves,
                                     unsigned blocks) {
  return halves * blocks * (type == MatrixType::f16 ? 1 : 2);
}

/// value + product, each clamped to what s32 can hold (.satfinite).
void addSaturated(const int32_t *value, int32_t *product, unsigned count);

} // namespace ashlar::sim
