// Copies between addresses, with a check of their direction.
#pragma once

#include "runtime/sim/cudart/Errors.h"

namespace ashlar::sim::cudart {

/// cudaMemcpyKind.
enum class CopyKind : int {
  hostToHost = 0,
  hostToDevice = 1,
  deviceToHost = 2,
  deviceToDevice = 3,
  byAddress = 4,
};

/// Whether both addresses lead to where `kind` says.
Error checkDirection(const void *to, const void *from, CopyKind kind);

/// One row after the other: `widthBytes` of each, from pitch to pitch.
struct PitchedCopy {
  void *to;
  size_t toPitch;
  const void *from;
  size_t fromPitch;
  size_t widthBytes, height;
};

Error copy(void *to, const void *from, size_t size, CopyKind kind,
           StreamHandle stream);
Error copy(const PitchedCopy &copy, CopyKind kind, StreamHandle stream);

} // namespace ashlar::sim::cudart
