#include "test/mutants/References.h"

#include "tool/MakeProblem.h"

#include <algorithm>
#include <cmath>

namespace ashlar::test {

namespace {

std::vector<double> values(const HostTensor &tensor) {
  std::vector<double> result;
  harness::forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    result.push_back(tensor(at));
  });
  return result;
}

/// The sum of n products; the elements of b lie some way apart.
Expected dot(const double *a, const double *b, int64_t n, int64_t bStride = 1) {
  Expected sum;
  for (int64_t i = 0; i < n; ++i) {
    const double term = a[i] * b[i * bStride];
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

std::vector<double> softmax(std::vector<double> scores) {
  const double top = std::ranges::max(scores);
  double sum = 0;
  for (double &score : scores)
    sum += score = std::exp(score - top);
  for (double &score : scores)
    score /= sum;
  return scores;
}

} // namespace

std::vector<Expected> product(const Problem &problem) {
  const int64_t depth = problem.size("K");
  const std::vector<double> a = values(problem["A"]), b = values(problem["B"]);
  std::vector<Expected> result;
  for (int64_t m = 0; m < problem.size("M"); ++m)
    for (int64_t n = 0; n < problem.size("N"); ++n)
      result.push_back(dot(&a[m * depth], &b[n * depth], depth));
  return result;
}

std::vector<Expected> weightedSums(const Problem &problem) {
  const int64_t queries = problem.size("Sq"), keys = problem.size("Sk");
  const int64_t d = problem["Q"].shape().back();
  const std::vector<double> q = values(problem["Q"]), k = values(problem["K"]),
                            v = values(problem["V"]);
  std::vector<Expected> result;
  for (int64_t h = 0; h < problem.size("H"); ++h)
    for (int64_t m = 0; m < queries; ++m) {
      std::vector<double> scores;
      for (int64_t n = 0; n < keys; ++n)
        scores.push_back(
            dot(&q[(h * queries + m) * d], &k[(h * keys + n) * d], d).value /
            std::sqrt(d));
      const std::vector<double> weights = softmax(scores);
      for (int64_t i = 0; i < d; ++i)
        result.push_back(dot(weights.data(), &v[h * keys * d + i], keys, d));
    }
  return result;
}

double worstError(const std::vector<Expected> &expected,
                  const HostTensor &result) {
  double worst = 0;
  auto next = expected.begin();
  harness::forEachCoordinate(result.shape(), [&](std::span<const int64_t> at) {
    const double error =
        std::abs(result(at) - next->value) / (next->magnitude + 1e-9);
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
    ++next;
  });
  return worst;
}

} // namespace ashlar::test
