// What a reducing copy does with each element (PTX ISA, cp.reduce.async.bulk
// and cp.reduce.async.bulk.tensor).
#pragma once

#include "runtime/sim/machine/copies/TensorMap.h"
#include "runtime/sim/ptx/Type.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ashlar::sim {

/// In the order add, min, max, inc, dec, and, or, xor.
enum class CopyOperation : uint8_t {
  add,
  minimum,
  maximum,
  increment,
  decrement,
  bitAnd,
  bitOr,
  bitXor,
};
struct CopyReduction {
  CopyOperation operation = CopyOperation::add;
  ptx::Type type = ptx::Type::u32;
  /// Sums of f32 flush subnormal operands and results: where a tensor is
  /// reduced, not a stretch of bytes (as an H200 does).
  bool flushes = false;
  /// Replaces each element of `target` by what the operation makes of it and of
  /// that of `source`. `bytes` is a multiple of the element.
  void apply(uint8_t *target, const uint8_t *source, size_t bytes) const;
};

/// Whether cp.reduce.async.bulk has the operation on the type, to global memory
/// or to another CTA's shared memory.
bool hasCopyReduction(CopyReduction reduction, bool toGlobal);

/// The type as which the operation takes elements of a tensor; none when a
/// tensor of these can't be reduced so.
std::optional<ptx::Type> tensorReductionType(CopyOperation operation,
                                             TensorElement element);

} // namespace ashlar::sim
