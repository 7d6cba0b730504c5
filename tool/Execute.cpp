#include "tool/Execute.h"

#include "ashlar/module.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/Benchmark.h"
#include "tool/DeviceProblem.h"
#include "tool/Elements.h"
#include "tool/MakeProblem.h"

#include <cmath>
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

/// A note for each line whose copies mostly move nothing. Some do in right
/// kernels, too: behind the last tile, or the last tile of a cluster.
void printOutside() {
  for (const auto &[line, boxes] : sim::takeCopies())
    if (2 * boxes.outside > boxes.all)
      std::printf("%s%snote: %llu of %llu boxes that TMA copies lie wholly "
                  "outside of their tensor; if that is not meant: tile() "
                  "counts in tiles, at() in elements\n",
                  line.c_str(), line.empty() ? "" : ": ",
                  static_cast<unsigned long long>(boxes.outside),
                  static_cast<unsigned long long>(boxes.all));
}

} // namespace

namespace {

/// Whether two results that are to be compared with a reference are as near to
/// one another as it asks for.
bool areAlike(const HostTensor &a, const HostTensor &b,
              std::optional<double> tolerance) {
  double difference = 0, size = 0;
  forEachCoordinate(a.shape(), [&](std::span<const int64_t> at) {
    difference += std::pow(a(at) - b(at), 2);
    size += std::pow(a(at), 2);
  });
  return std::sqrt(difference) <=
         tolerance.value_or(defaultTolerance(a.type())) * std::sqrt(size);
}

/// Lets sums of floats depend on the schedules of the simulator, as far as
/// what is expected of them allows.
class SumsMayDiffer {
public:
  SumsMayDiffer(const DeviceProblem &problem, const Expectation &expected) {
    sim::settings().mayDiffer = [&](const std::string &, uint64_t address,
                                    const uint8_t *first,
                                    const uint8_t *other) {
      auto tensor = [&](const uint8_t *image) {
        return problem.tensorAt(address,
                                reinterpret_cast<const std::byte *>(image));
      };
      const std::optional<HostTensor> a = tensor(first), b = tensor(other);
      return a && b && !isInteger(a->type()) &&
             expected.references.contains(a->name()) &&
             areAlike(*a, *b, expected.tolerance);
    };
  }
  SumsMayDiffer(const SumsMayDiffer &) = delete;
  SumsMayDiffer &operator=(const SumsMayDiffer &) = delete;
  ~SumsMayDiffer() { sim::settings().mayDiffer = nullptr; }
};

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
  const SumsMayDiffer sums(onDevice, expected);
  sim::takeCopies(); // of launches before
  module.launch_and_wait(onDevice.arguments(), limit, {});
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
  if (!right)
    printOutside();
  return right;
}

void printBenchmark(Device &device, const Artifact &artifact,
                    const Problem &problem, const Expectation &expected,
                    std::chrono::milliseconds limit) {
  Module module(device, artifact);
  DeviceProblem onDevice(device, artifact, problem);
  module.launch_and_wait(onDevice.arguments(), limit, {});
  const Timing timing = benchmark(device, module, onDevice, limit);
  std::printf("%s: %s: median %.2f us, fastest %.2f us of %d launches; a copy "
              "of its bytes %.2f us, %.2f of it",
              artifact.name.c_str(), describe(problem).c_str(),
              timing.medianMicroseconds, timing.fastestMicroseconds,
              timing.launches, timing.copyMicroseconds,
              timing.copyMicroseconds / timing.medianMicroseconds);
  if (expected.operations)
    std::printf(", %.1f TFLOP/s", expected.operations(problem) /
                                      timing.medianMicroseconds * 1e-6);
  std::printf("\n");
}

} // namespace ashlar::harness
