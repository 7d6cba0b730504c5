#include "test/mutants/Kernels.h"
#include "test/mutants/Mutant.h"

#include "ashlar/device.h"
#include "ashlar/error.h"
#include "ashlar/module.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/DeviceProblem.h"
#include "tool/MakeProblem.h"

#include <regex>

namespace ashlar::test {

static std::string change(const std::string &ptx, const Edit &edit,
                          const std::string &mutant) {
  const std::regex pattern(edit.pattern);
  std::string result;
  auto end = std::sregex_iterator();
  size_t copied = 0;
  int index = 0;
  for (auto it = std::sregex_iterator(ptx.begin(), ptx.end(), pattern);
       it != end; ++it, ++index) {
    if (edit.occurrence >= 0 && index != edit.occurrence)
      continue;
    const auto begin = static_cast<size_t>(it->position());
    result += ptx.substr(copied, begin - copied);
    result += it->format(edit.replacement);
    copied = begin + static_cast<size_t>(it->length());
  }
  if (copied == 0)
    throw Error("the PTX has nothing to plant '" + mutant + "' in");
  return result + ptx.substr(copied);
}

std::string mutate(const std::string &ptx, const Mutant &mutant) {
  std::string result =
      change(ptx, {mutant.pattern, mutant.replacement, mutant.occurrence},
             mutant.name);
  for (const Edit &edit : mutant.also)
    result = change(result, edit, mutant.name);
  return result;
}

std::vector<sim::Report> run(const NamedKernel &kernel,
                             const Artifact &artifact, uint64_t seed,
                             bool moreTilesThanCtas) {
  sim::resetSimulator();
  sim::settings().seed = seed;
  sim::settings().quiet = true;
  sim::takeReports();
  std::vector<sim::Report> reports;
  try {
    Device device = Device::open(sim::simulatorDriver());
    Module module(device, artifact);
    Problem problem = harness::nameProblem(
        artifact, moreTilesThanCtas ? kernel.manyTiles : kernel.fewTiles, {});
    harness::addTensors(artifact, problem);
    harness::DeviceProblem onDevice(device, artifact, problem);
    module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(60));
    reports = sim::takeReports();
    for (const HostTensor &result : onDevice.results())
      if (worstError(kernel.reference(problem), result) > 0.01)
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
      const std::string line = lineOf(mark);
      for (const sim::Site &site : report.sites)
        if (site.source.ends_with(line))
          return &report;
    }
  }
  return nullptr;
}

} // namespace ashlar::test
