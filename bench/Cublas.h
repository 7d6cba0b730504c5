// cuBLAS, opened when the program runs: what torch.mm calls.
#pragma once

#include "ashlar/gemm.h"
#include "bench/GemmPointers.h"
#include "bench/SharedLibrary.h"

namespace ashlar::bench {

/// D = A · Bᵀ of matrices of 16 bits, accumulated in f32, by cublasGemmEx and
/// the algorithm that it chooses. D is stored M×N.
class Cublas {
public:
  /// Throws `Error` when there is no libcublas.
  explicit Cublas(const GemmTypes &types);

  void run(const GemmSizes &sizes, const GemmPointers &pointers, void *stream);

private:
  GemmTypes types;
  SharedLibrary library;
  void *handle = nullptr;
  int (*setStream)(void *handle, void *stream) = nullptr;
  int (*setWorkspace)(void *handle, void *workspace, size_t bytes) = nullptr;
  int (*multiply)(void *handle, int transposeA, int transposeB, int m, int n,
                  int k, const void *alpha, const void *a, int typeA, int lda,
                  const void *b, int typeB, int ldb, const void *beta, void *d,
                  int typeD, int ldd, int compute, int algorithm) = nullptr;
};

} // namespace ashlar::bench
