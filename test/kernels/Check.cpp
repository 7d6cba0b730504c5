#include "test/kernels/Check.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/DeviceProblem.h"
#include "tool/MakeProblem.h"

#include <atomic>
#include <cmath>
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

Problem randomProblem(const Artifact &artifact,
                      const std::vector<NamedSize> &sizes,
                      const std::vector<NamedScalar> &scalars,
                      const std::vector<std::string> &zeros) {
  Problem problem = harness::nameProblem(artifact, sizes, scalars);
  harness::addTensors(artifact, problem, zeros);
  return problem;
}

HostTensor launch(Module &module, const Problem &problem,
                  const std::string &output) {
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(10));
  for (HostTensor &result : onDevice.results())
    if (result.name() == output)
      return std::move(result);
  throw Error("the kernel has no output '" + output + "'");
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

} // namespace

double relativeError(
    const HostTensor &result,
    const std::function<double(std::span<const int64_t>)> &reference) {
  double difference = 0, norm = 0;
  std::vector<int64_t> at(result.shape().size(), 0);
  for (int64_t i = 0; i < result.elements(); ++i) {
    double expected = reference(at);
    double off = result(std::span<const int64_t>(at)) - expected;
    difference += off * off;
    norm += expected * expected;
    for (size_t d = at.size(); d-- > 0 && ++at[d] == result.shape()[d];)
      at[d] = 0;
  }
  return ratio(difference, norm);
}

double gemmError(const HostTensor &a, bool transposeA, const HostTensor &b,
                 bool transposeB, const HostTensor &d) {
  int64_t m = d.shape()[0], n = d.shape()[1];
  int64_t k = a.shape()[transposeA ? 0 : 1];
  auto rowsA = rowsAlongK(a, transposeA, m, k);
  auto rowsB = rowsAlongK(b, transposeB, n, k);

  std::vector<int64_t> rows, columns;
  bool all = double(m) * n * k <= 1e10;
  std::mt19937 random(7);
  for (int64_t row = 0; row < m; ++row)
    if (all || row == m - 1)
      rows.push_back(row);
  for (int i = 0; !all && i < 40; ++i) {
    rows.push_back(random() % m);
    columns.push_back(random() % n);
  }
  if (!all)
    columns.push_back(n - 1);

  std::atomic<bool> finite = true;
  parallelFor(m, [&](int64_t row) {
    for (int64_t column = 0; column < n; ++column)
      if (!std::isfinite(d(row, column)))
        finite = false;
  });
  if (!finite)
    return INFINITY;

  std::vector<double> differences(rows.size() + columns.size(), 0);
  std::vector<double> norms(differences.size(), 0);
  parallelFor(differences.size(), [&](int64_t i) {
    bool alongRow = i < int64_t(rows.size());
    int64_t fixed = alongRow ? rows[i] : columns[i - rows.size()];
    for (int64_t j = 0; j < (alongRow ? n : m); ++j) {
      int64_t row = alongRow ? fixed : j, column = alongRow ? j : fixed;
      double expected = dot(&rowsA[row * k], &rowsB[column * k], k);
      double off = d(row, column) - expected;
      differences[i] += off * off;
      norms[i] += expected * expected;
    }
  });
  double difference = 0, norm = 0;
  for (size_t i = 0; i < norms.size(); ++i) {
    difference += differences[i];
    norm += norms[i];
  }
  return ratio(difference, norm);
}

} // namespace ashlar::test
