#include "tool/RunSaved.h"

#include "ashlar/device.h"
#include "ashlar/module.h"
#include "tool/Execute.h"
#include "tool/MakeProblem.h"
#include "tool/SimulatedSizes.h"

namespace ashlar::harness {

bool runSaved(const Artifact &artifact, const RunOptions &options, bool bench) {
  const bool simulated = isSimulated(options.device);
  if (simulated && bench)
    throw Error("the simulator has no speed to measure: --bench needs a GPU");
  std::vector<NamedSize> sizes;
  if (simulated)
    sizes = simulatedSizes(artifact, {});
  sizes.insert(sizes.end(), options.sizes.begin(), options.sizes.end());
  Problem problem = nameProblem(artifact, sizes, options.scalars);
  if (simulated && options.sizes.empty())
    checkSimulated(artifact, problem.sizes);
  Device device = open(options.device);
  addTensors(artifact, problem);
  if (bench) {
    printBenchmark(device, artifact, problem, {}, timeLimit(options.device));
    return true;
  }
  try {
    return runAndCheck(device, artifact, problem, {},
                       timeLimit(options.device));
  } catch (...) {
    if (simulated)
      printFurtherReports();
    throw;
  }
}

} // namespace ashlar::harness
