// Every configuration that the chooser picks for some problem: it compiles
// without a spill or a remark, and runs on a small ragged problem, in the
// simulator without a report.

#include "ashlar/gemm_auto.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include <map>

namespace ashlar::test {
namespace {

struct Choice {
  GemmTypes types;
  GemmConfig config;
};

/// By what tells them apart.
std::map<std::string, Choice> choices() {
  const std::map<std::string, GemmTypes> types{
      {"bf16", {}},
      {"fp8", {e4m3, e4m3, bf16, Accumulation::fast}},
      {"fp8full", {e4m3, e4m3, bf16, Accumulation::full}}};
  constexpr int64_t rows[] = {1,   8,   16,  33,   64,   100,  128,
                              256, 500, 512, 1024, 2048, 4096, 8192};
  constexpr std::pair<int64_t, int64_t> weights[] = {
      {512, 512},     {1024, 1024},  {2048, 2048},  {4096, 4096},
      {8192, 8192},   {14336, 4096}, {4096, 14336}, {6144, 4096},
      {7168, 16384},  {3584, 18944}, {28672, 3584}, {10240, 8192},
      {49152, 12288}, {1536, 24576}, {73728, 4608}};
  std::map<std::string, Choice> found;
  for (const auto &[name, type] : types)
    for (int64_t m : rows)
      for (auto [n, k] : weights) {
        const GemmConfig config = gemm_auto({m, n, k}, type);
        found.try_emplace(name + " " + config.str(), Choice{type, config});
      }
  return found;
}

/// On less than a tile of most, ragged in every direction, with a last part of
/// K that is shorter than a stage.
void runs(const Choice &choice) {
  const GemmConfig &c = choice.config;
  Module module(device(), compileCleanly(gemm(choice.types, c)));
  const int64_t depth = c.bk * c.split;
  std::vector<NamedSize> sizes{
      {"M", 67}, {"N", 136}, {"K", 2 * depth + c.bk / 2}};
  if (c.stream_k)
    sizes.push_back({"CTAs", 4});
  Problem problem =
      randomProblem(module.artifact(), sizes, {}, workspacesOf(c));
  EXPECT_LE(gemmError(problem["A"], false, problem["B"], false,
                      launch(module, problem)),
            1e-2);
}

[[maybe_unused]] const bool registered = [] {
  for (const auto &[name, choice] : choices())
    registerTest("ChosenGemm", name, [choice] { runs(choice); });
  return true;
}();

} // namespace
} // namespace ashlar::test
