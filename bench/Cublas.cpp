#include "bench/Cublas.h"

#include "ashlar/error.h"

#include <string>

namespace ashlar::bench {

namespace {

// Of cublas_api.h and library_types.h, CUDA 13.
constexpr int transpose = 1, asIs = 0;
constexpr int real32f = 0, real16f = 2, real16bf = 14, compute32f = 68,
              defaultAlgorithm = 99;

int typeNumber(ElementType type) {
  return type == f32 ? real32f : type == f16 ? real16f : real16bf;
}

void check(int status, const char *what) {
  if (status)
    throw Error(std::string("cuBLAS refused ") + what + ", status " +
                std::to_string(status));
}

} // namespace

Cublas::Cublas(const GemmTypes &types) : types(types), library("cublas") {
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
  const bool a_m_major = types.layout.a_m_major,
             b_n_major = types.layout.b_n_major;
  check(multiply(handle, b_n_major ? asIs : transpose,
                 a_m_major ? transpose : asIs, n, m, k, &alpha, pointers.b,
                 typeNumber(types.b), b_n_major ? n : k, pointers.a,
                 typeNumber(types.a), a_m_major ? m : k, &beta, pointers.d,
                 typeNumber(types.d), n, compute32f, defaultAlgorithm),
        "a launch");
}

} // namespace ashlar::bench
