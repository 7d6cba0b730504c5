// Times what is launched on a stream, cold and hot.
#pragma once

#include "ashlar/device.h"

#include <functional>
#include <string>
#include <vector>

namespace ashlar::bench {

/// Something to be timed.
struct Contender {
  std::string name;
  std::function<void(Stream &)> launch;
};

/// A launch that hangs or fails on the device ends the program, for the device
/// is then of no use any more; one that is refused before throws `Error`.
class Timer {
public:
  explicit Timer(Device &device);

  /// Launches once and waits.
  void once(const Contender &contender);

  /// Microseconds of one launch among many back to back, from a graph; median
  /// of several graphs, which take `milliseconds` together.
  double hot(const Contender &contender, double milliseconds);
  /// Microseconds of one launch after L2 has been overwritten; the median over
  /// `milliseconds`.
  double cold(const Contender &contender, double milliseconds);

private:
  /// The time of one launch in milliseconds, roughly.
  double estimate(const Contender &contender);
  void wait(const Contender &contender);

  Device &device;
  Stream stream;
  Buffer flush;
};

double median(std::vector<double> values);

} // namespace ashlar::bench
