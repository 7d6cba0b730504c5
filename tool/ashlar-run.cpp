// Runs a kernel that was saved by `--save`, with nothing but the runtime.
#include "ashlar/device.h"
#include "ashlar/module.h"
#include "tool/Assignments.h"
#include "tool/Execute.h"
#include "tool/Failure.h"
#include "tool/MakeProblem.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>

using namespace ashlar;

namespace {

struct Request {
  std::string file;
  std::vector<std::string> sizes, scalars;
  bool bench = false;
  int64_t timeLimit = 10000;
};

bool execute(const Request &request) {
  const Artifact artifact = load(request.file);
  std::vector<NamedSize> sizes;
  for (const std::string &text : request.sizes)
    sizes.push_back(harness::parseSize(text));
  std::vector<NamedScalar> scalars;
  for (const std::string &text : request.scalars)
    scalars.push_back(harness::parseScalar(text));
  Problem problem = harness::nameProblem(artifact, sizes, scalars);
  Device device = Device::open();
  harness::addTensors(artifact, problem);
  const std::chrono::milliseconds limit(request.timeLimit);
  if (request.bench) {
    harness::printBenchmark(device, artifact, problem, {}, limit);
    return true;
  }
  return harness::runAndCheck(device, artifact, problem, {}, limit);
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
  app.add_flag("--bench", request.bench,
               "Print the median time of many launches instead");
  app.add_option("--time-limit", request.timeLimit,
                 "Milliseconds after which a launch counts as hanging")
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
