// Runs a kernel that was saved by `--save`, with nothing but the runtime.
#include "ashlar/device.h"
#include "ashlar/module.h"
#include "tool/Execute.h"
#include "tool/Failure.h"
#include "tool/MakeProblem.h"
#include "tool/RunOptions.h"
#include "tool/SimulatedSizes.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>

using namespace ashlar;

namespace {

struct Request : harness::RunOptions {
  std::string file;
  bool bench = false;
};

bool execute(const Request &request) {
  const Artifact artifact = load(request.file);
  const bool simulated = harness::isSimulated(request.device);
  std::vector<NamedSize> sizes;
  if (simulated)
    sizes = harness::simulatedSizes(artifact, {});
  sizes.insert(sizes.end(), request.sizes.begin(), request.sizes.end());
  Problem problem = harness::nameProblem(artifact, sizes, request.scalars);
  if (simulated && request.bench)
    throw Error("the simulator has no speed to measure: --bench needs a GPU");
  Device device = harness::open(request.device);
  harness::addTensors(artifact, problem);
  if (request.bench) {
    harness::printBenchmark(device, artifact, problem, {}, request.timeLimit);
    return true;
  }
  try {
    return harness::runAndCheck(device, artifact, problem, {},
                                request.timeLimit);
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
  harness::addRunOptions(app, request);
  app.add_flag("--bench", request.bench,
               "Print the median time of many launches instead");
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
