// cuBLASLt, opened when the program runs: the peer that GEMM is measured with.
#ifndef ASHLAR_BENCH_CUBLASLT_H
#define ASHLAR_BENCH_CUBLASLT_H

#include <cstdint>
#include <memory>
#include <vector>

namespace ashlar::bench {

/// D = A · Bᵀ of row-major bf16 matrices, accumulated in f32.
class CublasLt {
public:
  /// Throws `Error` when there is no libcublasLt.
  CublasLt();
  ~CublasLt();

  struct Algorithm {
    uint64_t data[8];
    uint64_t workspaceBytes;
  };

  /// The heuristic's choices for a problem, best first.
  std::vector<Algorithm> heuristics(int64_t m, int64_t n, int64_t k, int count);

  /// Launches one. Addresses are of device memory.
  void run(const Algorithm &algorithm, int64_t m, int64_t n, int64_t k,
           const void *a, const void *b, void *d, void *workspace,
           void *stream);

private:
  struct Library;
  std::unique_ptr<Library> library;
};

} // namespace ashlar::bench

#endif
