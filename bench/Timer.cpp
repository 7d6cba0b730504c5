#include "bench/Timer.h"
#include "ashlar/error.h"
#include "runtime/Context.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::bench {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

namespace {

/// Several times the 50 MB of L2.
constexpr int64_t flushBytes = 256 << 20;

void wait(Stream &stream) {
  if (!stream.wait_for(std::chrono::seconds(20)))
    throw Error("a measured kernel did not finish in 20 s");
}

/// Launches recorded once and replayed without the host.
class Graph {
public:
  Graph(Device &device, Stream &stream, const Timer::Launch &launch, int count)
      : context(*device.shared_context()), driver(device.driver()) {
    driver::GraphHandle graph = nullptr;
    context.check(driver.streamBeginCapture(
                      static_cast<driver::StreamHandle>(stream.handle()),
                      driver::StreamCaptureMode::relaxed),
                  "begin a capture");
    for (int i = 0; i < count; ++i)
      launch(stream);
    context.check(
        driver.streamEndCapture(
            static_cast<driver::StreamHandle>(stream.handle()), &graph),
        "end a capture");
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
  Context &context;
  const DriverTable &driver;
  driver::GraphExecHandle exec = nullptr;
};

} // namespace

Timer::Timer(Device &device)
    : device(device), stream(device), flush(device, flushBytes) {}

double Timer::hot(const Launch &launch) {
  launch(stream);
  wait(stream);
  // About 5 ms to a graph, so that neither its start nor one launch counts.
  Event start(device), end(device);
  start.record(stream);
  launch(stream);
  end.record(stream);
  wait(stream);
  double once = std::max(end.milliseconds_since(start), 0.002f);
  int count = std::clamp<int>(std::lround(5 / once), 5, 500);
  Graph graph(device, stream, launch, count);
  graph.replay(stream);
  wait(stream);
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) {
    start.record(stream);
    graph.replay(stream);
    end.record(stream);
    wait(stream);
    times.push_back(end.milliseconds_since(start) * 1e3 / count);
  }
  return median(times);
}

double Timer::cold(const Launch &launch) {
  std::vector<double> times;
  Event start(device), end(device);
  for (int i = 0; i < 21; ++i) {
    flush.fill(std::byte(i), stream);
    start.record(stream);
    launch(stream);
    end.record(stream);
    wait(stream);
    times.push_back(end.milliseconds_since(start) * 1e3);
  }
  return median(times);
}

} // namespace ashlar::bench
