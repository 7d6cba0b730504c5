#include "bench/CublasLt.h"

#include "ashlar/error.h"
#include "bench/SharedLibrary.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace ashlar::bench {

namespace {

using Handle = void *;

// Of cublasLt.h and library_types.h, CUDA 13.
constexpr int compute32f = 68, compute32i = 72, computeTf32 = 77;
constexpr int real32f = 0, real16f = 2, integer8 = 3, integer32 = 10,
              real16bf = 14, real8e4m3 = 28;
constexpr int32_t transpose = 1;
constexpr int attributeTransposeA = 3, attributeTransposeB = 4,
              attributeScaleA = 17, attributeScaleB = 18,
              attributeFastAccumulation = 25;
constexpr int preferenceWorkspace = 1;
constexpr int statusNotSupported = 15;

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

int typeNumber(ElementType type) {
  for (auto [known, number] : {std::pair{bf16, real16bf},
                               {f16, real16f},
                               {f32, real32f},
                               {tf32, real32f},
                               {e4m3, real8e4m3},
                               {s8, integer8},
                               {s32, integer32}})
    if (type == known)
      return number;
  throw Error("there is no comparison with cuBLASLt for " +
              std::string(name(type)));
}

} // namespace

struct CublasLt::Library {
  SharedLibrary file{"cublasLt"};
  Handle handle = nullptr, matmul = nullptr, preference = nullptr;
  GemmTypes types;

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

  bool isSwapped() const { return types.layout.d_m_major; }

  void findFunctions() {
    file.find(create, "cublasLtCreate");
    file.find(matmulCreate, "cublasLtMatmulDescCreate");
    file.find(matmulSet, "cublasLtMatmulDescSetAttribute");
    file.find(layoutCreate, "cublasLtMatrixLayoutCreate");
    file.find(layoutDestroy, "cublasLtMatrixLayoutDestroy");
    file.find(preferenceCreate, "cublasLtMatmulPreferenceCreate");
    file.find(preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
    file.find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    file.find(multiply, "cublasLtMatmul");
  }

  template <typename Value>
  void set(int attribute, const Value &value, const char *what) {
    check(matmulSet(matmul, attribute, &value, sizeof value), what);
  }

  /// cuBLASLt counts columns first: Dᵀ = B · Aᵀ, where a row-major matrix is
  /// its own transpose. A D of which M is contiguous is A · Bᵀ.
  struct Layouts {
    Library &library;
    Handle a, b, d;
    Layouts(Library &library, const GemmSizes &sizes) : library(library) {
      const int64_t m = sizes.m, n = sizes.n, k = sizes.k;
      const GemmTypes &types = library.types;
      auto create = [&](Handle &layout, ElementType type, int64_t rows,
                        int64_t columns) {
        check(library.layoutCreate(&layout, typeNumber(type), rows, columns,
                                   rows),
              "a layout");
      };
      const GemmLayout &layout = types.layout;
      layout.a_m_major ? create(a, types.a, m, k) : create(a, types.a, k, m);
      layout.b_n_major ? create(b, types.b, n, k) : create(b, types.b, k, n);
      layout.d_m_major ? create(d, types.d, m, n) : create(d, types.d, n, m);
    }
    Handle first() const { return library.isSwapped() ? a : b; }
    Handle second() const { return library.isSwapped() ? b : a; }
    ~Layouts() {
      for (Handle layout : {a, b, d})
        library.layoutDestroy(layout);
    }
    Layouts(const Layouts &) = delete;
  };
};

CublasLt::CublasLt(const GemmTypes &types, const void *scale)
    : library(std::make_unique<Library>()) {
  library->types = types;
  library->findFunctions();
  check(library->create(&library->handle), "a handle");
  check(library->matmulCreate(&library->matmul,
                              types.a == tf32 ? computeTf32
                              : types.a == s8 ? compute32i
                                              : compute32f,
                              types.a == s8 ? integer32 : real32f),
        "a descriptor");
  const bool isSwapped = library->isSwapped();
  if (types.layout.b_n_major == isSwapped)
    library->set(isSwapped ? attributeTransposeB : attributeTransposeA,
                 transpose, "the transposition of B");
  if (types.layout.a_m_major != isSwapped)
    library->set(isSwapped ? attributeTransposeA : attributeTransposeB,
                 transpose, "the transposition of A");
  if (types.a == e4m3) {
    library->set(attributeScaleA, scale, "the scale of A");
    library->set(attributeScaleB, scale, "the scale of B");
    const int8_t fast = types.accumulation == Accumulation::fast;
    library->set(attributeFastAccumulation, fast, "the accumulation");
  }
  check(library->preferenceCreate(&library->preference), "a preference");
  const uint64_t workspace = workspaceBytes;
  check(library->preferenceSet(library->preference, preferenceWorkspace,
                               &workspace, sizeof workspace),
        "the workspace");
}

CublasLt::~CublasLt() = default;

std::vector<CublasLt::Algorithm> CublasLt::heuristics(const GemmSizes &sizes,
                                                      int count) {
  Library::Layouts layouts(*library, sizes);
  std::vector<HeuristicResult> results(count);
  int found = 0;
  const int status = library->heuristic(
      library->handle, library->matmul, layouts.first(), layouts.second(),
      layouts.d, layouts.d, library->preference, count, results.data(), &found);
  if (status == statusNotSupported)
    return {};
  check(status, "a heuristic");
  std::vector<Algorithm> algorithms;
  for (int i = 0; i < found; ++i) {
    if (results[i].status)
      continue;
    Algorithm algorithm;
    std::ranges::copy(results[i].algorithm, algorithm.data);
    algorithm.workspaceBytes = results[i].workspaceBytes;
    algorithms.push_back(algorithm);
  }
  return algorithms;
}

void CublasLt::run(const Algorithm &algorithm, const GemmSizes &sizes,
                   const GemmPointers &pointers, void *stream) {
  Library::Layouts layouts(*library, sizes);
  const float one = 1;
  const int32_t integerOne = 1;
  const int64_t zero = 0;
  const void *alpha =
      library->types.a == s8 ? static_cast<const void *>(&integerOne) : &one;
  const bool isSwapped = library->isSwapped();
  check(library->multiply(library->handle, library->matmul, alpha,
                          isSwapped ? pointers.a : pointers.b, layouts.first(),
                          isSwapped ? pointers.b : pointers.a, layouts.second(),
                          &zero, pointers.d, layouts.d, pointers.d, layouts.d,
                          algorithm.data, pointers.workspace,
                          algorithm.workspaceBytes, stream),
        "a launch");
}

} // namespace ashlar::bench
