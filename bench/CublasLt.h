// cuBLASLt, opened when the program runs: the peer that GEMM is measured with.
#pragma once

#include "ashlar/gemm.h"
#include "bench/GemmPointers.h"

#include <memory>
#include <vector>

namespace ashlar::bench {

/// D = A · Bᵀ of matrices in any layout, accumulated in f32, or in s32.
class CublasLt {
public:
  /// `scale` is the address of an f32 in device memory by which fp8 operands
  /// are multiplied. Throws `Error` when there is no libcublasLt.
  CublasLt(const GemmTypes &types, const void *scale);
  ~CublasLt();

  struct Algorithm {
    uint64_t data[8];
    uint64_t workspaceBytes;
  };

  /// The heuristic's choices for a problem, best first; none when it has no
  /// algorithm for it.
  std::vector<Algorithm> heuristics(const GemmSizes &sizes, int count);

  void run(const Algorithm &algorithm, const GemmSizes &sizes,
           const GemmPointers &pointers, void *stream);

private:
  struct Library;
  std::unique_ptr<Library> library;
};

} // namespace ashlar::bench
