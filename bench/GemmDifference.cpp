#include "bench/GemmDifference.h"

#include "bench/Parallel.h"

#include <cmath>
#include <mutex>

namespace ashlar::bench {

namespace {

/// Fast sums of fp8 keep about 14 bits of each partial sum; f32 has more than
/// tf32's.
constexpr double fastTolerance = 0.15, tolerance = 0.03, f32Tolerance = 1e-4;
constexpr int64_t grain = 1 << 18;

double rootMeanSquare(const std::vector<float> &values) {
  // A part shows the size of them all.
  const size_t step = std::max<size_t>(1, values.size() / 100000);
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < values.size(); i += step, ++count)
    sum += static_cast<double>(values[i]) * values[i];
  return std::sqrt(sum / static_cast<double>(count));
}

} // namespace

void DifferenceSums::add(double value, double reference, double scale) {
  const double off = value - reference;
  error += off * off;
  norm += reference * reference;
  const double here = std::fabs(off) / (std::fabs(reference) + scale);
  if (std::isnan(here)) // as far off as can be
    largest = INFINITY;
  else
    largest = std::max(largest, here);
}

void DifferenceSums::add(const DifferenceSums &other) {
  error += other.error;
  norm += other.norm;
  largest = std::max(largest, other.largest);
}

Difference DifferenceSums::difference() const {
  return {std::isfinite(largest) ? std::sqrt(error / norm) : INFINITY, largest};
}

Difference difference(const std::vector<float> &result,
                      const std::vector<float> &reference) {
  const double scale = rootMeanSquare(reference);
  DifferenceSums all;
  std::mutex mutex;
  inParallel(static_cast<int64_t>(result.size()), grain,
             [&](int64_t begin, int64_t end) {
               DifferenceSums part;
               for (int64_t i = begin; i < end; ++i)
                 part.add(result[i], reference[i], scale);
               std::lock_guard lock(mutex);
               all.add(part);
             });
  return all.difference();
}

bool isRight(const Difference &difference, const GemmTypes &types) {
  const bool fast =
      size_bytes(types.a) == 1 && types.accumulation == Accumulation::fast;
  return difference.largest <= (fast             ? fastTolerance
                                : types.a == f32 ? f32Tolerance
                                                 : tolerance);
}

} // namespace ashlar::bench
