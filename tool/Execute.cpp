#include "tool/Execute.h"

#include "ashlar/module.h"
#include "tool/Benchmark.h"
#include "tool/DeviceProblem.h"

#include <cstdio>

namespace ashlar::harness {

namespace {

void print(const std::string &kernel, const HostTensor &tensor,
           const CheckResult &outcome, bool compared) {
  const char *name = tensor.name().c_str();
  if (outcome.unwritten || outcome.wrong) {
    std::printf("%s: %s is wrong: %s (of %lld elements %lld never written, of "
                "%lld compared %lld wrong)\n",
                kernel.c_str(), name, outcome.first.c_str(),
                static_cast<long long>(outcome.elements),
                static_cast<long long>(outcome.unwritten),
                static_cast<long long>(outcome.compared),
                static_cast<long long>(outcome.wrong));
    return;
  }
  if (!compared) {
    std::printf("%s: %s was written whole (there is no reference)\n",
                kernel.c_str(), name);
    return;
  }
  std::printf("%s: %s is right: relative error %.2e over %lld of %lld "
              "elements\n",
              kernel.c_str(), name, outcome.relativeError,
              static_cast<long long>(outcome.compared),
              static_cast<long long>(outcome.elements));
}

} // namespace

std::string describe(const Problem &problem) {
  std::string text;
  for (const NamedSize &size : problem.sizes)
    text += (text.empty() ? "" : " ") + size.name + "=" +
            std::to_string(size.value);
  for (const NamedScalar &scalar : problem.scalars) {
    char value[32];
    std::snprintf(value, sizeof(value), "%g", scalar.value);
    text += (text.empty() ? "" : " ") + scalar.name + "=" + value;
  }
  return text;
}

bool runAndCheck(Device &device, const Artifact &artifact,
                 const Problem &problem, const Expectation &expected,
                 std::chrono::milliseconds limit) {
  Module module(device, artifact);
  DeviceProblem onDevice(device, artifact, problem);
  module.launch_and_wait(onDevice.arguments(), limit);
  bool right = true;
  for (const HostTensor &result : onDevice.results()) {
    auto found = expected.references.find(result.name());
    const bool compared = found != expected.references.end();
    const CheckResult outcome =
        check(problem, result, compared ? found->second : ElementReference(),
              expected.tolerance);
    print(artifact.name, result, outcome, compared);
    right &= outcome.passed();
  }
  return right;
}

void printBenchmark(Device &device, const Artifact &artifact,
                    const Problem &problem, const Expectation &expected,
                    std::chrono::milliseconds limit) {
  Module module(device, artifact);
  DeviceProblem onDevice(device, artifact, problem);
  module.launch_and_wait(onDevice.arguments(), limit);
  const Timing timing = benchmark(device, module, onDevice, limit);
  std::printf("%s: %s: median %.2f us, fastest %.2f us of %d launches",
              artifact.name.c_str(), describe(problem).c_str(),
              timing.medianMicroseconds, timing.fastestMicroseconds,
              timing.launches);
  if (expected.operations)
    std::printf(", %.1f TFLOP/s", expected.operations(problem) /
                                      timing.medianMicroseconds * 1e-6);
  std::printf("\n");
}

} // namespace ashlar::harness
