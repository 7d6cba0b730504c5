// Kernels in the manner of other compilers are not reported, and their mutants
// are.
#include "test/unit/sim/ForeignKernels.h"

#include "runtime/sim/machine/copies/TensorMap.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

std::vector<Report> run(const ForeignKernel &kernel, const std::string &ptx,
                        uint64_t seed) {
  PtxRunner runner;
  runner.options.seed = seed;
  runner.shape.block.x = kernel.threads;
  runner.shape.grid.x = runner.shape.cluster.x = kernel.cluster;
  auto data = runner.memory.allocate(8192);
  data->setInitialised(0, 8192);
  TensorMap map;
  map.element = static_cast<uint32_t>(TensorElement::bf16);
  map.rank = 2;
  map.address = data->address;
  map.extents = {64, 64, 1, 1, 1};
  map.strideBytes = {128};
  map.box = {64, 8, 1, 1, 1};
  struct Opaque {
    uint64_t words[16] = {};
  } opaque;
  EXPECT_EQ(encodeTensorMap(opaque.words, map), std::nullopt);
  runner.pass(opaque);
  runner.pass(data->address);
  runner.uninitialisedBuffer(8192);
  return runner.run(ptx);
}

std::string mutated(std::string ptx, const ForeignMutant &mutant) {
  size_t at = ptx.find(mutant.from);
  EXPECT_NE(at, std::string::npos) << mutant.name;
  for (; at != std::string::npos;
       at = ptx.find(mutant.from, at + mutant.to.size()))
    ptx.replace(at, mutant.from.size(), mutant.to);
  return ptx;
}

TEST(ForeignKernels, AreNotReported) {
  for (const ForeignKernel &kernel : foreignKernels())
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const auto reports = run(kernel, kernel.text(), seed);
      EXPECT_TRUE(reports.empty()) << kernel.name << ", seed " << seed << "\n"
                                   << text(reports);
    }
}

TEST(ForeignKernels, AreReportedWhenTheyAreMutants) {
  for (const ForeignKernel &kernel : foreignKernels())
    for (const ForeignMutant &mutant : kernel.mutants) {
      std::string all;
      bool isFound = false;
      for (uint64_t seed = 0; seed < 6; ++seed) {
        const auto reports = run(kernel, mutated(kernel.text(), mutant), seed);
        all += text(reports);
        isFound |= !reports.empty() && reports[0].finding == mutant.finding &&
                   reports[0].text().find(mutant.words) != std::string::npos;
      }
      EXPECT_TRUE(isFound) << kernel.name << ": " << mutant.name << "\n" << all;
    }
}

} // namespace
} // namespace ashlar::sim
