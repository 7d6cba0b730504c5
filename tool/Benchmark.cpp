#include "tool/Benchmark.h"

#include <algorithm>

namespace ashlar::harness {

namespace {

constexpr double totalMilliseconds = 500;

/// The time of each launch in milliseconds, sorted.
std::vector<float> timeLaunches(Device &device, Module &module,
                                const DeviceProblem &problem, int count,
                                std::chrono::milliseconds limit) {
  Stream stream(device);
  std::vector<Event> events;
  for (int i = 0; i <= count; ++i)
    events.emplace_back(device);
  events[0].record(stream);
  for (int i = 1; i <= count; ++i) {
    module.launch(problem.arguments(), stream);
    events[i].record(stream);
  }
  if (!stream.wait_for(limit))
    throw TimeoutError(module.artifact().where,
                       "kernel '" + module.artifact().name + "': " +
                           std::to_string(count) + " launches took more than " +
                           std::to_string(limit.count()) + " ms");
  std::vector<float> times;
  for (int i = 1; i <= count; ++i)
    times.push_back(events[i].milliseconds_since(events[i - 1]));
  std::ranges::sort(times);
  return times;
}

} // namespace

Timing benchmark(Device &device, Module &module, const DeviceProblem &problem,
                 std::chrono::milliseconds limit) {
  const float estimate =
      timeLaunches(device, module, problem, 5, limit).front();
  const int count = static_cast<int>(
      std::clamp(totalMilliseconds / std::max(estimate, 1e-3f), 5.0, 1000.0));
  const std::vector<float> times =
      timeLaunches(device, module, problem, count, limit);
  return {count, 1e3 * times[times.size() / 2], 1e3 * times.front()};
}

} // namespace ashlar::harness
