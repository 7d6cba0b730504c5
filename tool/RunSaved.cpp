#include "tool/RunSaved.h"

#include "ashlar/device.h"
#include "ashlar/module.h"
#include "tool/Execute.h"
#include "tool/MakeProblem.h"
#include "tool/SimulatedSizes.h"
#include "tool/SimulatedSms.h"

namespace ashlar::harness {

/// Sizes that are chosen here take a tenth of a second.
static constexpr std::chrono::milliseconds enough{5000};

bool runSaved(const Artifact &artifact, const RunOptions &options,
              const std::vector<std::string> &zeros, bool bench) {
  const bool simulated = isSimulated(options.device);
  if (simulated && bench)
    throw Error("the simulator has no speed to measure: --bench needs a GPU");
  std::vector<NamedSize> sizes;
  if (simulated)
    sizes = simulatedSizes(artifact, {});
  sizes.insert(sizes.end(), options.sizes.begin(), options.sizes.end());
  Problem problem = nameProblem(artifact, sizes, options.scalars);
  DeviceChoice where = options.device;
  if (simulated && options.sizes.empty()) {
    checkSimulated(artifact, problem.sizes);
    where.timeLimit = where.timeLimit.value_or(enough);
  }
  const SimulatedSms sms(where.sms.value_or(
      simulated ? simulatedSms(artifact, problem.sizes) : sim::mostSms));
  Device device = open(where);
  demandMemory(artifact, problem, simulated);
  addTensors(artifact, problem, zeros);
  if (bench) {
    printBenchmark(device, artifact, problem, {}, timeLimit(where));
    return true;
  }
  try {
    return runAndCheck(device, artifact, problem, {}, timeLimit(where));
  } catch (...) {
    if (simulated)
      throwFinding();
    throw;
  }
}

} // namespace ashlar::harness
