#include "bench/Cublas.h"

#include "ashlar/error.h"

#include <string>

namespace ashlar::bench {

namespace {

// Of cublas_api.h and library_types.h, CUDA 13.
constexpr int transpose = 1, asIs = 0;
constexpr int real16bf = 14, compute32f = 68, defaultAlgorithm = 99;

void check(int status, const char *what) {
  if (status)
    throw Error(std::string("cuBLAS refused ") + what + ", status " +
                std::to_string(status));
}

} // namespace

Cublas::Cublas() : library("cublas") {
  int (*create)(void **) = nullptr;
  library.find(create, "cublasCreate_v2");
  library.find(setStream, "cublasSetStream_v2");
  library.find(setWorkspace, "cublasSetWorkspace_v2");
  library.find(multiply, "cublasGemmEx");
  check(create(&handle), "a handle");
}

void Cublas::run(const GemmSizes &sizes, const GemmPointers &pointers,
                 void *stream) {
  const auto m = static_cast<int>(sizes.m), n = static_cast<int>(sizes.n),
             k = static_cast<int>(sizes.k);
  const float alpha = 1, beta = 0;
  // Setting the stream puts the workspace back to cuBLAS's own, which a graph
  // can't capture.
  check(setStream(handle, stream), "a stream");
  check(setWorkspace(handle, pointers.workspace, workspaceBytes),
        "a workspace");
  // cuBLAS counts columns first: Dᵀ = B · Aᵀ, where a row-major matrix is its
  // own transpose.
  check(multiply(handle, transpose, asIs, n, m, k, &alpha, pointers.b, real16bf,
                 k, pointers.a, real16bf, k, &beta, pointers.d, real16bf, n,
                 compute32f, defaultAlgorithm),
        "a launch");
}

} // namespace ashlar::bench
