#include "tool/Benchmark.h"

#include <algorithm>
#include <functional>

namespace ashlar::harness {

namespace {

constexpr double totalMilliseconds = 500;
/// Clocks follow what the card has just done: in turns both see the same ones.
constexpr int turns = 5;

using Launch = std::function<void(Stream &)>;

double median(std::vector<float> times) {
  std::ranges::sort(times);
  return 1e3 * times[times.size() / 2];
}

class Stopwatch {
public:
  Stopwatch(Device &device, std::string kernel, SourceLine where,
            std::chrono::milliseconds limit)
      : device(device), kernel(std::move(kernel)), where(std::move(where)),
        limit(limit) {}

  /// Adds the time of each launch in milliseconds.
  void time(const Launch &launch, int count, std::vector<float> &times) {
    Stream stream(device);
    std::vector<Event> events;
    for (int i = 0; i <= count; ++i)
      events.emplace_back(device);
    events[0].record(stream);
    for (int i = 1; i <= count; ++i) {
      launch(stream);
      events[i].record(stream);
    }
    if (!stream.wait_for(limit))
      throw TimeoutError(where, "kernel '" + kernel +
                                    "': " + std::to_string(count) +
                                    " launches took more than " +
                                    std::to_string(limit.count()) + " ms");
    for (int i = 1; i <= count; ++i)
      times.push_back(events[i].milliseconds_since(events[i - 1]));
  }

private:
  Device &device;
  std::string kernel;
  SourceLine where;
  std::chrono::milliseconds limit;
};

} // namespace

Timing benchmark(Device &device, Module &module, const DeviceProblem &problem,
                 std::chrono::milliseconds limit) {
  Stopwatch stopwatch(device, module.artifact().name, module.artifact().where,
                      limit);
  const Launch launch = [&](Stream &stream) {
    module.launch(problem.arguments(), stream, {});
  };
  const int64_t bytes = problem.bytesMoved() / 2;
  const Buffer from(device, bytes);
  Buffer to(device, bytes);
  const Launch copy = [&](Stream &stream) { to.copy_from(from, stream); };

  std::vector<float> times, ofCopies;
  stopwatch.time(launch, turns, times);
  const float estimate = std::ranges::min(times);
  const int count = static_cast<int>(std::clamp(
      totalMilliseconds / turns / std::max(estimate, 1e-3f), 1.0, 200.0));
  times.clear();
  for (int turn = 0; turn < turns; ++turn) {
    stopwatch.time(launch, count, times);
    stopwatch.time(copy, count, ofCopies);
  }
  return {static_cast<int>(times.size()), median(times),
          1e3 * std::ranges::min(times), median(ofCopies)};
}

} // namespace ashlar::harness
