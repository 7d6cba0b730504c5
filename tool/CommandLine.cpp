#include "tool/CommandLine.h"

#include "tool/Assignments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <stdexcept>

namespace ashlar::tooling {

namespace {

void addFlags(CLI::App &app, Request &request, std::vector<std::string> &sizes,
              std::vector<std::string> &scalars, int64_t &timeLimit) {
  app.add_option("--emit", request.emit,
                 "Print the program at a level: tile, hopper, nvvm, llvm, "
                 "ptx, sass or cubin")
      ->check(CLI::IsMember(
          {"tile", "hopper", "nvvm", "llvm", "ptx", "sass", "cubin"}));
  app.add_option("-o", request.output, "Write what --emit prints to a file");
  app.add_option("--print-after", request.printAfter,
                 "Print the IR after a pass, such as tile-plan-memory")
      ->allow_extra_args(false);
  app.add_flag("--resources", request.resources,
               "Print registers, spills, shared memory, stages, roles and the "
               "time of each compilation step");
  app.add_flag("--run", request.run, "Run the kernel and check the result");
  app.add_flag("--bench", request.bench,
               "Print the median time of many launches");
  app.add_flag("--verify-each", request.verifyEach,
               "Verify the IR after each pass");
  app.add_option("--size", sizes, "Set a size of the problem: M=128")
      ->allow_extra_args(false);
  app.add_option("--scalar", scalars, "Set a scalar: alpha=0.5")
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
  app.add_option("--time-limit", timeLimit,
                 "Milliseconds after which a launch on a GPU counts as hanging")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--save", request.save,
                 "Write the compiled kernel to a file that a program with the "
                 "runtime alone can load");
  app.add_flag("--no-cache", request.noCache,
               "Neither look for compiled code on disk nor leave any");
}

} // namespace

std::optional<int> parse(int argc, char **argv, const std::string &kernel,
                         Request &request) {
  std::vector<std::string> sizes, scalars;
  int64_t timeLimit = request.timeLimit.count();
  CLI::App app("Compiles the kernel '" + kernel +
               "'. Without options: prints a summary, runs the kernel and "
               "checks the result.");
  addFlags(app, request, sizes, scalars, timeLimit);
  try {
    app.parse(argc, argv);
    for (const std::string &text : sizes)
      request.sizes.push_back(harness::parseSize(text));
    for (const std::string &text : scalars)
      request.scalars.push_back(harness::parseScalar(text));
    request.timeLimit = std::chrono::milliseconds(timeLimit);
    if (!request.output.empty() && request.emit.empty())
      throw CLI::ValidationError("-o", "there is no --emit to write");
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return std::nullopt;
}

} // namespace ashlar::tooling
