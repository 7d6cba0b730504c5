// The library's GEMM of any of the benchmark's types, in any layout and
// configuration: library_gemm bf16 NT "128x192x64 s4 w2 c2x1" --run

#include "Reference.h"
#include "ashlar/gemm_cost.h"

#include <cstdio>
#include <map>

using namespace ashlar;

static const std::map<std::string_view, GemmTypes> typesByName{
    {"bf16", {}},
    {"fp8", {e4m3, e4m3, bf16, Accumulation::fast}},
    {"fp8full", {e4m3, e4m3, bf16, Accumulation::full}},
    {"f16", {f16, f16, f16}},
    {"tf32", {tf32, tf32, f32}},
    {"f32", {f32, f32, f32}},
    {"s8", {s8, s8, s32}}};

/// Element (m, n) of A · Bᵀ, wherever the layout has it.
static auto reference(const GemmLayout &layout) {
  return [layout](const Problem &problem, std::span<const int64_t> at) {
    const HostTensor &a = problem["A"], &b = problem["B"];
    const int64_t m = at[layout.d_m_major], n = at[!layout.d_m_major];
    double sum = 0;
    for (int64_t k = 0; k < problem.size("K"); ++k)
      sum += (layout.a_m_major ? a(k, m) : a(m, k)) *
             (layout.b_n_major ? b(k, n) : b(n, k));
    return sum;
  };
}

static std::vector<GemmWorkspace>
workspaceOf(const std::vector<NamedSize> &sizes, const GemmTypes &types,
            const GemmConfig &config) {
  return gemm_workspace({sizes[0].value, sizes[1].value, sizes[2].value}, types,
                        config, {}, h200().sm_count);
}

/// M, N and K, and the sizes that only the workspace has.
static std::vector<NamedSize> withWorkspace(std::vector<NamedSize> sizes,
                                            const GemmTypes &types,
                                            const GemmConfig &config) {
  std::map<std::string_view, int64_t> more;
  for (const GemmWorkspace &each : workspaceOf(sizes, types, config))
    for (size_t i = 0; i < each.shape.size(); ++i)
      more[each.extents[i]] = each.shape[i];
  for (std::string_view known : {"", "M", "N", "K"})
    more.erase(known);
  for (auto [name, value] : more)
    sizes.push_back({std::string(name), value});
  return sizes;
}

static int run(int argc, char **argv) {
  GemmConfig config;
  GemmTypes types;
  GemmLayout layout;
  for (; argc > 1 && argv[1][0] != '-'; ++argv, --argc)
    if (auto named = typesByName.find(argv[1]); named != typesByName.end())
      types = named->second;
    else if (argv[1][0] == 'T' || argv[1][0] == 'N')
      layout = GemmLayout::parse(argv[1]);
    else
      config = GemmConfig::parse(argv[1]);
  types.layout = layout;
  const std::vector<NamedSize> sizes{{"M", 4096}, {"N", 4096}, {"K", 4096}},
      simulated{{"M", 201}, {"N", 203}, {"K", 205}};
  std::vector<std::string> zeros;
  for (const GemmWorkspace &each : workspaceOf(sizes, types, config))
    zeros.emplace_back(each.name);
  return tool(argc, argv, gemm(types, config),
              {.sizes = withWorkspace(sizes, types, config),
               .simulated_sizes = withWorkspace(simulated, types, config),
               .zeros = zeros,
               .references = {{"D", reference(layout)}},
               .operations = examples::operations});
}

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
