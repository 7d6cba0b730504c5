// The library's GEMM in any configuration and any of the benchmark's types:
// library_gemm fp8full "128x192x128 s4 w2 c2x1" --run

#include "Reference.h"
#include "ashlar/gemm_cost.h"

#include <cstdio>
#include <map>

using namespace ashlar;

static const std::map<std::string_view, GemmTypes> typesByName{
    {"bf16", {}},
    {"fp8", {e4m3, e4m3, bf16, Accumulation::fast}},
    {"fp8full", {e4m3, e4m3, bf16, Accumulation::full}}};

int main(int argc, char **argv) {
  GemmConfig config;
  GemmTypes types;
  try {
    for (; argc > 1 && argv[1][0] != '-'; ++argv, --argc)
      if (auto named = typesByName.find(argv[1]); named != typesByName.end())
        types = named->second;
      else
        config = GemmConfig::parse(argv[1]);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::vector<NamedSize> sizes{{"M", 4096}, {"N", 4096}, {"K", 4096}};
  std::vector<std::string> zeros;
  for (const GemmWorkspace &each : gemm_workspace(config, h200().sm_count))
    zeros.emplace_back(each.name);
  if (config.stream_k)
    sizes.push_back({"CTAs", h200().sm_count});
  return tool(argc, argv, gemm(types, config),
              {.sizes = sizes,
               .zeros = zeros,
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
