#include "bench/Timer.h"

#include "ashlar/error.h"
#include "runtime/Context.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ashlar::bench {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

namespace {

/// Several times the 50 MB of L2, and the time to write it.
constexpr int64_t flushBytes = 256 << 20;
constexpr double flushMilliseconds = 0.08;

constexpr std::chrono::seconds hangLimit(10);

[[noreturn]] void giveUp(const Contender &contender, const std::string &what) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "%s %s; the GPU can't be used any more: leave it out, and look "
               "for the reason in the simulator\n",
               contender.name.c_str(), what.c_str());
  std::_Exit(1);
}

/// Launches recorded once and replayed without the host.
class Graph {
public:
  Graph(Device &device, Stream &stream, const Contender &contender, int count)
      : context(*device.shared_context()), driver(device.driver()) {
    driver::GraphHandle graph = nullptr;
    context.check(driver.streamBeginCapture(
                      static_cast<driver::StreamHandle>(stream.handle()),
                      driver::StreamCaptureMode::relaxed),
                  "begin a capture");
    try {
      for (int i = 0; i < count; ++i)
        contender.launch(stream);
    } catch (...) {
      endCapture(stream, graph);
      driver.graphDestroy(graph);
      throw;
    }
    context.check(endCapture(stream, graph), "end a capture");
    context.check(driver.graphInstantiate(&exec, graph, 0),
                  "instantiate a graph");
    driver.graphDestroy(graph);
  }
  ~Graph() { driver.graphExecDestroy(exec); }
  Graph(const Graph &) = delete;

  void replay(Stream &stream) {
    context.check(driver.graphLaunch(
                      exec, static_cast<driver::StreamHandle>(stream.handle())),
                  "launch a graph");
  }

private:
  driver::Result endCapture(Stream &stream, driver::GraphHandle &graph) {
    return driver.streamEndCapture(
        static_cast<driver::StreamHandle>(stream.handle()), &graph);
  }

  Context &context;
  const DriverTable &driver;
  driver::GraphExecHandle exec = nullptr;
};

} // namespace

Timer::Timer(Device &device)
    : device(device), stream(device), flush(device, flushBytes) {}

void Timer::wait(const Contender &contender) {
  try {
    if (stream.wait_for(hangLimit))
      return;
    giveUp(contender,
           "has not finished in " + std::to_string(hangLimit.count()) + " s");
  } catch (const Error &error) {
    giveUp(contender, std::string("has failed: ") + error.what());
  }
}

void Timer::once(const Contender &contender) {
  contender.launch(stream);
  wait(contender);
}

double Timer::estimate(const Contender &contender) {
  Event start(device), end(device);
  contender.launch(stream);
  start.record(stream);
  contender.launch(stream);
  end.record(stream);
  wait(contender);
  return std::max(end.milliseconds_since(start), 0.002f);
}

double Timer::hot(const Contender &contender, double milliseconds) {
  // A graph is so long that neither its start nor one launch counts.
  const double single = estimate(contender);
  const double graphMilliseconds = std::min(5.0, milliseconds / 3);
  const int count = std::clamp<int>(
      static_cast<int>(std::lround(graphMilliseconds / single)), 1, 500);
  const int replays = std::clamp<int>(
      static_cast<int>(std::lround(milliseconds / (count * single))), 3, 7);
  Graph graph(device, stream, contender, count);
  Event start(device), end(device);
  // What L2 holds after the lead-in is this contender's doing.
  flush.fill(std::byte(0), stream);
  graph.replay(stream);
  wait(contender);
  std::vector<double> times;
  for (int i = 0; i < replays; ++i) {
    start.record(stream);
    graph.replay(stream);
    end.record(stream);
    wait(contender);
    times.push_back(end.milliseconds_since(start) * 1e3 / count);
  }
  return median(times);
}

double Timer::cold(const Contender &contender, double milliseconds) {
  const double single = estimate(contender) + flushMilliseconds;
  const int count = std::clamp<int>(
      static_cast<int>(std::lround(milliseconds / single)), 5, 201);
  std::vector<Event> starts, ends;
  for (int i = 0; i < count; ++i) {
    starts.emplace_back(device);
    ends.emplace_back(device);
    // The host is ahead of the device: it queues all while the first runs.
    flush.fill(std::byte(i), stream);
    starts[i].record(stream);
    contender.launch(stream);
    ends[i].record(stream);
  }
  wait(contender);
  std::vector<double> times;
  times.reserve(count);
  for (int i = 0; i < count; ++i)
    times.push_back(ends[i].milliseconds_since(starts[i]) * 1e3);
  return median(times);
}

} // namespace ashlar::bench
