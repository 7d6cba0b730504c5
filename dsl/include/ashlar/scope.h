// Who sees what is done to memory that others share.
#pragma once

#include <cstdint>

namespace ashlar {

/// The CTAs of this GPU, or those of all GPUs and the host: for memory of a
/// peer, and memory that a peer or the host reads.
enum class Scope : uint8_t { gpu, system };

} // namespace ashlar
