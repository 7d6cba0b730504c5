// Which buffer in shared memory an address of the hopper level points into.
#ifndef ASHLAR_PASSES_SHAREDBUFFER_H
#define ASHLAR_PASSES_SHAREDBUFFER_H

#include "compiler/hopper/Hopper.h"

#include <optional>

namespace ashlar {

/// The offset of the buffer's first byte, of an address or a view; nothing
/// where the address comes from elsewhere.
std::optional<int64_t> bufferOf(mlir::Value address);

} // namespace ashlar

#endif
