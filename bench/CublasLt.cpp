#include "bench/CublasLt.h"
#include "ashlar/error.h"

#include <cstddef>
#include <dlfcn.h>
#include <string>

namespace ashlar::bench {

namespace {

using Handle = void *;

// Of cublasLt.h and library_types.h, CUDA 13.
constexpr int compute32f = 68, real32f = 0, real16bf = 14, transpose = 1;
constexpr int attributeTransposeA = 3, preferenceWorkspace = 1;

struct HeuristicResult {
  uint64_t algorithm[8];
  size_t workspaceBytes;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96);

void check(int status, const char *what) {
  if (status)
    throw Error(std::string("cuBLASLt refused ") + what + ", status " +
                std::to_string(status));
}

} // namespace

struct CublasLt::Library {
  void *file = nullptr;
  Handle handle = nullptr, matmul = nullptr, preference = nullptr;

  int (*create)(Handle *);
  int (*matmulCreate)(Handle *, int compute, int scale);
  int (*matmulSet)(Handle, int attribute, const void *, size_t);
  int (*layoutCreate)(Handle *, int type, uint64_t rows, uint64_t columns,
                      int64_t stride);
  int (*layoutDestroy)(Handle);
  int (*preferenceCreate)(Handle *);
  int (*preferenceSet)(Handle, int attribute, const void *, size_t);
  int (*heuristic)(Handle, Handle matmul, Handle a, Handle b, Handle c,
                   Handle d, Handle preference, int requested,
                   HeuristicResult *, int *returned);
  int (*multiply)(Handle, Handle matmul, const void *alpha, const void *a,
                  Handle layoutA, const void *b, Handle layoutB,
                  const void *beta, const void *c, Handle layoutC, void *d,
                  Handle layoutD, const void *algorithm, void *workspace,
                  size_t workspaceBytes, void *stream);

  template <typename Function> void find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    if (!function)
      throw Error(std::string("libcublasLt has no ") + name);
  }

  /// cuBLASLt counts columns first: Dᵀ = B · Aᵀ, where a row-major matrix is
  /// its own transpose.
  struct Layouts {
    Library &library;
    Handle a, b, d;
    Layouts(Library &library, int64_t m, int64_t n, int64_t k)
        : library(library) {
      check(library.layoutCreate(&a, real16bf, k, m, k), "a layout");
      check(library.layoutCreate(&b, real16bf, k, n, k), "a layout");
      check(library.layoutCreate(&d, real16bf, n, m, n), "a layout");
    }
    ~Layouts() {
      for (Handle layout : {a, b, d})
        library.layoutDestroy(layout);
    }
  };
};

CublasLt::CublasLt() : library(std::make_unique<Library>()) {
  for (const char *name :
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
        "/usr/local/cuda/lib64/libcublasLt.so"})
    if ((library->file = dlopen(name, RTLD_NOW)))
      break;
  if (!library->file)
    throw Error("no libcublasLt to compare with: install the CUDA toolkit");
  library->find(library->create, "cublasLtCreate");
  library->find(library->matmulCreate, "cublasLtMatmulDescCreate");
  library->find(library->matmulSet, "cublasLtMatmulDescSetAttribute");
  library->find(library->layoutCreate, "cublasLtMatrixLayoutCreate");
  library->find(library->layoutDestroy, "cublasLtMatrixLayoutDestroy");
  library->find(library->preferenceCreate, "cublasLtMatmulPreferenceCreate");
  library->find(library->preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
  library->find(library->heuristic, "cublasLtMatmulAlgoGetHeuristic");
  library->find(library->multiply, "cublasLtMatmul");
  check(library->create(&library->handle), "a handle");
  check(library->matmulCreate(&library->matmul, compute32f, real32f),
        "a descriptor");
  check(library->matmulSet(library->matmul, attributeTransposeA, &transpose,
                           sizeof transpose),
        "the transposition");
  check(library->preferenceCreate(&library->preference), "a preference");
  uint64_t workspace = 64 << 20;
  check(library->preferenceSet(library->preference, preferenceWorkspace,
                               &workspace, sizeof workspace),
        "the workspace");
}

CublasLt::~CublasLt() = default;

std::vector<CublasLt::Algorithm> CublasLt::heuristics(int64_t m, int64_t n,
                                                      int64_t k, int count) {
  Library::Layouts layouts(*library, m, n, k);
  std::vector<HeuristicResult> results(count);
  int found = 0;
  check(library->heuristic(library->handle, library->matmul, layouts.b,
                           layouts.a, layouts.d, layouts.d, library->preference,
                           count, results.data(), &found),
        "a heuristic");
  std::vector<Algorithm> algorithms;
  for (int i = 0; i < found; ++i) {
    Algorithm algorithm;
    std::copy(std::begin(results[i].algorithm), std::end(results[i].algorithm),
              algorithm.data);
    algorithm.workspaceBytes = results[i].workspaceBytes;
    algorithms.push_back(algorithm);
  }
  return algorithms;
}

void CublasLt::run(const Algorithm &algorithm, int64_t m, int64_t n, int64_t k,
                   const void *a, const void *b, void *d, void *workspace,
                   void *stream) {
  Library::Layouts layouts(*library, m, n, k);
  float alpha = 1, beta = 0;
  check(library->multiply(library->handle, library->matmul, &alpha, b,
                          layouts.b, a, layouts.a, &beta, d, layouts.d, d,
                          layouts.d, algorithm.data, workspace,
                          algorithm.workspaceBytes, stream),
        "a launch");
}

} // namespace ashlar::bench
