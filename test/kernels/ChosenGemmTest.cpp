// Every configuration that the chooser picks for some problem: it compiles
// without a spill or a remark, and runs on a small ragged problem, in the
// simulator without a report.

#include "ashlar/gemm_auto.h"
#include "test/kernels/Check.h"
#include "test/kernels/GemmCase.h"
#include "test/kernels/Register.h"

#include <map>
#include <set>

namespace ashlar::test {
namespace {

/// By what tells them apart.
using Choices = std::map<std::string, GemmCase>;

/// On less than a tile of most, ragged in every direction, with a last part of
/// K that is shorter than a stage.
std::vector<NamedSize> raggedSizes(const GemmConfig &c, const GemmForm &form) {
  std::vector<NamedSize> sizes{
      {"M", 67}, {"N", 136}, {"K", 2 * c.bk * c.split + c.bk / 2}};
  if (form.batched)
    sizes.push_back({"batch", 2});
  if (c.stream_k)
    sizes.push_back({"CTAs", 4});
  return sizes;
}

void choose(Choices &found, const std::string &name, const GemmSizes &sizes,
            const GemmTypes &types, const GemmForm &form) {
  const GemmConfig c = gemm_auto(sizes, types, form);
  found.try_emplace(name + " " + c.str(),
                    GemmCase{types, c, form, raggedSizes(c, form)});
}

using Types = std::pair<const std::string, GemmTypes>;
const std::map<std::string, GemmTypes> types{
    {"bf16", {}},
    {"fp8", {e4m3, e4m3, bf16, Accumulation::fast}},
    {"fp8full", {e4m3, e4m3, bf16, Accumulation::full}},
    {"f32", {f32, f32, f32}}};

Choices products(const Types &given) {
  const auto &[name, type] = given;
  constexpr int64_t rows[] = {1,   8,   16,  33,   64,   100,  128,
                              256, 500, 512, 1024, 2048, 4096, 8192};
  constexpr std::pair<int64_t, int64_t> weights[] = {
      {512, 512},     {1024, 1024},  {2048, 2048},  {4096, 4096},
      {8192, 8192},   {14336, 4096}, {4096, 14336}, {6144, 4096},
      {7168, 16384},  {3584, 18944}, {28672, 3584}, {10240, 8192},
      {49152, 12288}, {1536, 24576}, {73728, 4608}, {24576, 1536},
      {32768, 512},   {7168, 2048},  {576, 7168},   {1536, 7168}};
  Choices found;
  for (int64_t m : rows)
    for (auto [n, k] : weights)
      // f32 has three products for each, and takes the simulator as long.
      if (type.a != f32 || n == k)
        choose(found, name, {m, n, k}, type, {});
  return found;
}

Choices forms(const Types &given) {
  const auto &[name, type] = given;
  GemmForm blended;
  blended.alpha = blended.c = true;
  GemmForm everything;
  everything.row_scales = everything.column_scales = everything.alpha = true;
  everything.c = everything.bias = everything.auxiliary = everything.amax =
      everything.scale_d = true;
  everything.activation = Activation::silu;
  Choices found;
  for (int64_t m : {1, 64, 512, 4096})
    for (auto [n, k] : {std::pair{1024, 1024}, {14336, 4096}, {3584, 18944}})
      for (int64_t batch : {1, 8})
        for (GemmForm form : {blended, everything}) {
          form.batched = batch > 1;
          choose(found,
                 name + (form.c && form.bias ? " everything" : " blended") +
                     (form.batched ? " batched" : ""),
                 {m, n, k, batch}, type, form);
        }
  return found;
}

/// What TMA or wgmma does not take as it lies: RandomGemm runs such kernels.
void compilesAsItLies(GemmTypes type) {
  std::set<std::string> seen;
  for (const char *layout : {"TN", "NN", "TT", "NT"})
    for (int64_t m : {1, 64, 4096})
      for (auto [n, k] : {std::pair{1001, 1027},
                          {14336, 4096},
                          {3583, 18945},
                          {8200, 8184}}) {
        type.layout = GemmLayout::parse(layout);
        const GemmSizes sizes{m, n, k};
        const GemmTypes aligned = aligned_as(sizes, type);
        const GemmConfig config = gemm_auto(sizes, aligned);
        const std::string text = aligned.layout.str() + " " + config.str();
        if (seen.insert(text).second)
          EXPECT_NO_THROW(compileCleanly(gemm(aligned, config))) << text;
      }
}

/// One part of the choices is a test: to name each by its configuration would
/// choose them all whenever the program starts.
void registerParts(const char *suite, Choices (*choices)(const Types &)) {
  constexpr int parts = 8;
  for (const Types &given : types)
    for (int part = 0; part < parts; ++part)
      registerTest(suite, given.first + ", part " + std::to_string(part), [=] {
        int number = 0;
        for (const auto &[name, choice] : choices(given)) {
          if (number++ % parts != part)
            continue;
          runPart(name, [&choice] {
            expectRight(choice, compileCleanly(gemm(choice.types, choice.config,
                                                    choice.form)));
          });
        }
        EXPECT_GT(number, 0);
      });
}

[[maybe_unused]] const bool registered = [] {
  registerParts("ChosenGemm", products);
  registerParts("ChosenForm", forms);
  for (const GemmTypes &type :
       {GemmTypes{}, GemmTypes{tf32, tf32, f32}, GemmTypes{s8, s8, s32},
        GemmTypes{e4m3, e4m3, bf16, Accumulation::full},
        GemmTypes{f32, f32, f32}})
    registerTest("ChosenGemmCompiles",
                 std::string(name(type.a)) + " as it lies",
                 [type] { compilesAsItLies(type); });
  return true;
}();

} // namespace
} // namespace ashlar::test
