// Times what is launched on a stream, cold and hot.
#ifndef ASHLAR_BENCH_TIMER_H
#define ASHLAR_BENCH_TIMER_H

#include "ashlar/device.h"

#include <functional>

namespace ashlar::bench {

class Timer {
public:
  explicit Timer(Device &device);

  using Launch = std::function<void(Stream &)>;

  /// Microseconds of one launch among many back to back, from a graph; median
  /// of several graphs.
  double hot(const Launch &launch);
  /// Microseconds of one launch after L2 has been overwritten; the median.
  double cold(const Launch &launch);

private:
  Device &device;
  Stream stream;
  Buffer flush;
};

double median(std::vector<double> values);

} // namespace ashlar::bench

#endif
