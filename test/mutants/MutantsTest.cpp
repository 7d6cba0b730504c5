// Every planted bug is found where it is, and the kernels themselves are clean.
#include "test/mutants/Kernels.h"
#include "test/mutants/Mutant.h"

#include "ashlar/compile.h"

#include <gtest/gtest.h>
#include <map>

namespace ashlar::test {
namespace {

const Artifact &artifactOf(const std::string &name) {
  static std::map<std::string, Artifact> artifacts;
  auto [entry, isNew] = artifacts.try_emplace(name);
  if (isNew) {
    CompileOptions options;
    options.assemble = false;
    entry->second = compile(mutantKernel(name).make(), options).artifact;
  }
  return entry->second;
}

class MutantFinding : public testing::TestWithParam<Mutant> {};

TEST_P(MutantFinding, NamesTheLine) {
  const Mutant &mutant = GetParam();
  Artifact artifact = artifactOf(mutant.kernel);
  artifact.ptx = mutate(artifact.ptx, mutant);
  std::string all;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto reports = run(mutantKernel(mutant.kernel), artifact, seed,
                             mutant.moreTilesThanCtas);
    if (!reports.empty())
      EXPECT_NE(reports[0].sentence.find(mutant.headline), std::string::npos)
          << "seed " << seed << ": the first report is\n"
          << reports[0].text();
    if (findExpected(mutant, reports))
      return;
    for (const sim::Report &report : reports)
      all += report.text() + "\n";
  }
  FAIL() << mutant.name << ": nothing as expected in\n" << all;
}

std::string identifier(const testing::TestParamInfo<Mutant> &info) {
  std::string text;
  for (char c : info.param.name)
    text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, MutantFinding, testing::ValuesIn(mutants()),
                         identifier);

class CleanKernel : public testing::TestWithParam<NamedKernel> {};

TEST_P(CleanKernel, HasNoReportUnderFiftySeeds) {
  for (uint64_t seed = 0; seed < 50; ++seed)
    for (const sim::Report &report :
         run(GetParam(), artifactOf(GetParam().name), seed))
      ADD_FAILURE() << report.text();
}

TEST_P(CleanKernel, HasNoReportWithMoreTilesThanCtas) {
  for (const sim::Report &report : run(GetParam(), artifactOf(GetParam().name),
                                       3, /*moreTilesThanCtas=*/true))
    ADD_FAILURE() << report.text();
}

INSTANTIATE_TEST_SUITE_P(All, CleanKernel, testing::ValuesIn(mutantKernels()),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::erase(name, '.');
                           return name;
                         });

} // namespace
} // namespace ashlar::test
