#include "test/mutants/Kernels.h"
#include "test/mutants/Mutant.h"

#include "ashlar/device.h"
#include "ashlar/error.h"
#include "ashlar/module.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/DeviceProblem.h"
#include "tool/MakeProblem.h"

#include <algorithm>
#include <cmath>
#include <regex>

namespace ashlar::test {

std::string mutate(const std::string &ptx, const Mutant &mutant) {
  const std::regex pattern(mutant.pattern);
  std::string result;
  auto end = std::sregex_iterator();
  size_t copied = 0;
  int index = 0;
  for (auto it = std::sregex_iterator(ptx.begin(), ptx.end(), pattern);
       it != end; ++it, ++index) {
    if (mutant.occurrence >= 0 && index != mutant.occurrence)
      continue;
    const auto begin = static_cast<size_t>(it->position());
    result += ptx.substr(copied, begin - copied);
    result += it->format(mutant.replacement);
    copied = begin + static_cast<size_t>(it->length());
  }
  if (copied == 0)
    throw Error("the PTX has nothing to plant '" + mutant.name + "' in");
  return result + ptx.substr(copied);
}

namespace {

std::vector<double> values(const HostTensor &tensor, int64_t rows,
                           int64_t columns) {
  std::vector<double> result;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      result.push_back(tensor(row, column));
  return result;
}

double worstError(const Problem &problem, const HostTensor &d) {
  const int64_t rows = problem.size("M"), columns = problem.size("N"),
                depth = problem.size("K");
  const auto a = values(problem["A"], rows, depth);
  const auto b = values(problem["B"], columns, depth);
  double worst = 0;
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const double product = a[m * depth + k] * b[n * depth + k];
        sum += product;
        magnitude += std::abs(product);
      }
      const double error = std::abs(d(m, n) - sum) / (magnitude + 1e-9);
      worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
    }
  return worst;
}

} // namespace

std::vector<sim::Report> run(const Artifact &artifact, uint64_t seed,
                             bool moreTilesThanCtas) {
  sim::resetSimulator();
  sim::settings().seed = seed;
  sim::settings().quiet = true;
  sim::takeReports();
  std::vector<sim::Report> reports;
  try {
    Device device = Device::open(sim::simulatorDriver());
    Module module(device, artifact);
    const std::vector<NamedSize> sizes =
        moreTilesThanCtas
            ? std::vector<NamedSize>{{"M", 260}, {"N", 2888}, {"K", 200}}
            : std::vector<NamedSize>{{"M", 260}, {"N", 136}, {"K", 328}};
    Problem problem = harness::nameProblem(artifact, sizes, {});
    harness::addTensors(artifact, problem);
    harness::DeviceProblem onDevice(device, artifact, problem);
    module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(60));
    reports = sim::takeReports();
    for (const HostTensor &result : onDevice.results())
      if (result.name() == "D" && worstError(problem, result) > 0.01)
        reports.push_back(
            {sim::Finding::other, "the result is wrong", {}, seed});
  } catch (const Error &error) {
    reports = sim::takeReports();
    if (reports.empty())
      reports.push_back({sim::Finding::other, error.what(), {}, seed});
  }
  return reports;
}

const sim::Report *findExpected(const Mutant &mutant,
                                const std::vector<sim::Report> &reports) {
  for (const sim::Report &report : reports) {
    if (report.finding != mutant.finding)
      continue;
    for (const std::string &mark : mutant.marks) {
      const std::string line = "Kernels.cpp:" + std::to_string(lineOf(mark));
      for (const sim::Site &site : report.sites)
        if (site.source.ends_with(line))
          return &report;
    }
  }
  return nullptr;
}

} // namespace ashlar::test
