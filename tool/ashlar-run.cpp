// Runs a kernel that was saved by `--save`, with nothing but the runtime.
#include "ashlar/device.h"
#include "ashlar/module.h"
#include "tool/Assignments.h"
#include "tool/ChooseDevice.h"
#include "tool/Execute.h"
#include "tool/Failure.h"
#include "tool/MakeProblem.h"
#include "tool/SimulatedSizes.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>

using namespace ashlar;

namespace {

struct Request {
  std::string file;
  std::vector<std::string> sizes, scalars;
  harness::DeviceChoice device;
  bool bench = false;
  int64_t timeLimit = 10000;
};

bool execute(const Request &request) {
  const Artifact artifact = load(request.file);
  const bool simulated = harness::isSimulated(request.device);
  std::vector<NamedSize> sizes;
  if (simulated)
    sizes = harness::simulatedSizes(artifact, {});
  for (const std::string &text : request.sizes)
    sizes.push_back(harness::parseSize(text));
  std::vector<NamedScalar> scalars;
  for (const std::string &text : request.scalars)
    scalars.push_back(harness::parseScalar(text));
  Problem problem = harness::nameProblem(artifact, sizes, scalars);
  if (simulated && request.bench)
    throw Error("the simulator has no speed to measure: --bench needs a GPU");
  Device device = harness::open(request.device);
  harness::addTensors(artifact, problem);
  const std::chrono::milliseconds limit(request.timeLimit);
  if (request.bench) {
    harness::printBenchmark(device, artifact, problem, {}, limit);
    return true;
  }
  try {
    return harness::runAndCheck(device, artifact, problem, {}, limit);
  } catch (...) {
    if (simulated)
      harness::printFurtherReports();
    throw;
  }
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  CLI::App app("Runs a saved kernel on random data and checks that it writes "
               "its outputs and nothing else.");
  app.add_option("file", request.file, "What a kernel program's --save wrote")
      ->required();
  app.add_option("--size", request.sizes, "Set a size of the problem: M=128")
      ->allow_extra_args(false);
  app.add_option("--scalar", request.scalars, "Set a scalar: alpha=0.5")
      ->allow_extra_args(false);
  app.add_option("--device", request.device.name,
                 "Where to run: cuda, a GPU, or sim, the simulator; without it "
                 "the simulator where there is no GPU")
      ->check(CLI::IsMember({"cuda", "sim"}));
  app.add_option("--seed", request.device.seed,
                 "The schedule that the simulator executes, or the first");
  app.add_option("--seeds", request.device.seeds,
                 "Simulate this many schedules and compare their results")
      ->check(CLI::PositiveNumber);
  app.add_option("--trace", request.device.trace,
                 "Write what was simulated when, for https://ui.perfetto.dev");
  app.add_flag("--bench", request.bench,
               "Print the median time of many launches instead");
  app.add_option("--time-limit", request.timeLimit,
                 "Milliseconds after which a launch on a GPU counts as hanging")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
    return execute(request) ? 0 : 1;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (...) {
    return harness::reportFailure();
  }
}
