// Where a GEMM's matrices lie in device memory.
#pragma once

#include <cstdint>

namespace ashlar::bench {

/// Addresses are of device memory, aligned to 256 bytes.
struct GemmPointers {
  const void *a = nullptr, *b = nullptr;
  void *d = nullptr;
  void *workspace = nullptr;
};

inline constexpr int64_t workspaceBytes = 64 << 20;

} // namespace ashlar::bench
