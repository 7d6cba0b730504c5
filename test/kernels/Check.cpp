#include "test/kernels/Check.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/DeviceProblem.h"
#include "tool/MakeProblem.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>

namespace ashlar::test {

bool isSimulated() {
  static const bool noGpu = Device::unavailable().has_value();
  return noGpu;
}

Device &device() {
  static Device opened =
      isSimulated() ? Device::open(sim::simulatorDriver()) : Device::open();
  return opened;
}

Artifact compileCleanly(const Kernel &kernel) {
  Compilation compilation = compile(kernel);
  if (!compilation.warnings.empty())
    throw Error(compilation.warnings.front().where,
                compilation.warnings.front().message);
  return compilation.artifact;
}

std::vector<std::string> workspacesOf(const GemmTypes &types,
                                      const GemmConfig &config,
                                      const GemmForm &form) {
  std::vector<std::string> names;
  for (const GemmWorkspace &workspace :
       gemm_workspace({}, types, config, form, 1))
    names.emplace_back(workspace.name);
  return names;
}

Problem randomProblem(const Artifact &artifact,
                      const std::vector<NamedSize> &sizes,
                      const std::vector<NamedScalar> &scalars,
                      const std::vector<std::string> &zeros,
                      const std::vector<Input> &inputs) {
  Problem problem = harness::nameProblem(artifact, sizes, scalars);
  harness::addTensors(artifact, problem, zeros, inputs);
  return problem;
}

std::vector<HostTensor> launchForAll(Module &module, const Problem &problem) {
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  // The kernel's line is what is asked for, not this one.
  module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(10), {});
  return onDevice.results();
}

HostTensor launch(Module &module, const Problem &problem,
                  const std::string &output) {
  for (HostTensor &result : launchForAll(module, problem))
    if (result.name() == output)
      return std::move(result);
  throw Error("the kernel has no output '" + output + "'");
}

void launchAndExit(const Kernel &kernel, const std::vector<NamedSize> &sizes,
                   const std::vector<Input> &inputs, CompileOptions options,
                   const std::vector<NamedScalar> &scalars) {
  options.check_expectations = true;
  try {
    Module module(device(), compile(kernel, options).artifact);
    launchForAll(module,
                 randomProblem(module.artifact(), sizes, scalars, {}, inputs));
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(3);
  }
  std::_Exit(0);
}

namespace {

/// Calls `work(i)` for i below `count` on every core.
void parallelFor(int64_t count, const std::function<void(int64_t)> &work) {
  std::atomic<int64_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::thread::hardware_concurrency(); ++t)
    threads.emplace_back([&] {
      for (int64_t i; (i = next++) < count;)
        work(i);
    });
}

double ratio(double difference, double reference) {
  if (!std::isfinite(difference))
    return INFINITY;
  return reference > 0 ? std::sqrt(difference / reference)
                       : std::sqrt(difference);
}

/// A matrix as rows of float, each row along K.
std::vector<float> rowsAlongK(const HostTensor &tensor, bool transposed,
                              int64_t rows, int64_t k) {
  std::vector<float> values(rows * k);
  parallelFor(rows, [&](int64_t row) {
    for (int64_t i = 0; i < k; ++i)
      values[row * k + i] = float(transposed ? tensor(i, row) : tensor(row, i));
  });
  return values;
}

double dot(const float *a, const float *b, int64_t k) {
  double total = 0;
  for (int64_t at = 0; at < k;) {
    // Products are exact in double; short float sums would not be.
    double sum = 0;
    int64_t end = std::min(at + 512, k);
    for (; at < end; ++at)
      sum += double(a[at]) * b[at];
    total += sum;
  }
  return total;
}

/// A whole row or column of D.
struct Line {
  bool isRow;
  int64_t at;
};

/// Every row, or, where that is more than some 10^10 multiplications, random
/// rows and columns and the last ones.
std::vector<Line> checkedLines(const HostTensor &a, bool transposeA,
                               const HostTensor &d) {
  const int64_t m = d.shape()[0], n = d.shape()[1];
  const int64_t k = a.shape()[transposeA ? 0 : 1];
  std::vector<Line> lines;
  if (double(m) * n * k <= 1e10) {
    for (int64_t row = 0; row < m; ++row)
      lines.push_back({true, row});
    return lines;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    lines.push_back({true, int64_t(random() % m)});
    lines.push_back({false, int64_t(random() % n)});
  }
  lines.push_back({true, m - 1});
  lines.push_back({false, n - 1});
  return lines;
}

bool allFinite(const HostTensor &d) {
  std::atomic<bool> finite = true;
  parallelFor(d.shape()[0], [&](int64_t row) {
    for (int64_t column = 0; column < d.shape()[1]; ++column)
      if (!std::isfinite(d(row, column)))
        finite = false;
  });
  return finite;
}

/// Calls `visit(line, coordinate, product)` for each element of the lines, of
/// which several are under way at once. False, and no call, where some element
/// of D is not finite.
bool forEachProduct(const HostTensor &a, bool transposeA, const HostTensor &b,
                    bool transposeB, const HostTensor &d,
                    const std::vector<Line> &lines, auto visit) {
  const int64_t m = d.shape()[0], n = d.shape()[1];
  const int64_t k = a.shape()[transposeA ? 0 : 1];
  if (!allFinite(d))
    return false;
  const auto rowsA = rowsAlongK(a, transposeA, m, k);
  const auto rowsB = rowsAlongK(b, transposeB, n, k);
  parallelFor(int64_t(lines.size()), [&](int64_t line) {
    const auto [isRow, fixed] = lines[line];
    for (int64_t i = 0; i < (isRow ? n : m); ++i) {
      const int64_t at[] = {isRow ? fixed : i, isRow ? i : fixed};
      visit(line, Coordinate(at), dot(&rowsA[at[0] * k], &rowsB[at[1] * k], k));
    }
  });
  return true;
}

} // namespace

double relativeError(const HostTensor &result,
                     const std::function<double(Coordinate)> &reference) {
  double difference = 0, norm = 0;
  std::vector<int64_t> at(result.shape().size(), 0);
  for (int64_t i = 0; i < result.elements(); ++i) {
    double expected = reference(at);
    double off = result(Coordinate(at)) - expected;
    difference += off * off;
    norm += expected * expected;
    for (size_t d = at.size(); d-- > 0 && ++at[d] == result.shape()[d];)
      at[d] = 0;
  }
  return ratio(difference, norm);
}

double gemmError(const HostTensor &a, bool transposeA, const HostTensor &b,
                 bool transposeB, const HostTensor &d) {
  const std::vector<Line> lines = checkedLines(a, transposeA, d);
  std::vector<double> differences(lines.size(), 0), norms(lines.size(), 0);
  if (!forEachProduct(a, transposeA, b, transposeB, d, lines,
                      [&](size_t line, Coordinate at, double product) {
                        const double off = d(at) - product;
                        differences[line] += off * off;
                        norms[line] += product * product;
                      }))
    return INFINITY;
  return ratio(std::reduce(differences.begin(), differences.end()),
               std::reduce(norms.begin(), norms.end()));
}

double worstOfGemm(
    const HostTensor &a, bool transposeA, const HostTensor &b, bool transposeB,
    const HostTensor &d,
    const std::function<Expected(double product, Coordinate at)> &expected) {
  const std::vector<Line> lines = checkedLines(a, transposeA, d);
  std::vector<double> worst(lines.size() + 1, 0);
  if (!forEachProduct(a, transposeA, b, transposeB, d, lines,
                      [&](size_t line, Coordinate at, double product) {
                        const Expected right = expected(product, at);
                        worst[line] = std::max(worst[line],
                                               std::abs(d(at) - right.value) /
                                                   right.tolerance);
                      }))
    return INFINITY;
  return std::ranges::max(worst);
}

} // namespace ashlar::test
