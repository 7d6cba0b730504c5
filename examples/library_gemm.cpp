// The library's GEMM in the configuration of the first argument:
// library_gemm "128x128x64 s6 w2 c1x2" --run

#include "ashlar/ashlar.h"
#include "ashlar/gemm.h"
#include "ashlar/tool.h"

#include <cstdio>
#include <cstring>

using namespace ashlar;

static double dotProduct(const Problem &problem, std::span<const int64_t> at) {
  const HostTensor &a = problem["A"], &b = problem["B"];
  const int64_t length = problem.size("K");
  double sum = 0;
  for (int64_t k = 0; k < length; ++k)
    sum += a(at[0], k) * b(at[1], k);
  return sum;
}

static double operations(const Problem &problem) {
  return 2.0 * problem.size("M") * problem.size("N") * problem.size("K");
}

int main(int argc, char **argv) {
  GemmConfig config;
  GemmTypes types;
  try {
    for (; argc > 1 && argv[1][0] != '-'; ++argv, --argc) {
      argv[1] = argv[1];
      if (!std::strncmp(argv[1], "fp8", 3))
        types = {e4m3, e4m3, bf16,
                 std::strcmp(argv[1], "fp8full") ? Accumulation::fast
                                                 : Accumulation::full};
      else
        config = GemmConfig::parse(argv[1]);
    }
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return tool(argc, argv, gemm(types, config),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", dotProduct}},
               .operations = operations});
}
