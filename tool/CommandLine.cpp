#include "tool/CommandLine.h"

#include "tool/Assignments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <stdexcept>

namespace ashlar::tooling {

namespace {

void addFlags(CLI::App &app, Request &request) {
  app.add_option("--emit", request.emit,
                 "Print the program at a level: tile, hopper, thread, llvm, "
                 "ptx, sass or cubin")
      ->check(CLI::IsMember(
          {"tile", "hopper", "thread", "llvm", "ptx", "sass", "cubin"}));
  app.add_option("-o", request.output, "Write what --emit prints to a file");
  app.add_option("--print-after", request.printAfter,
                 "Print the IR after a pass, such as tile-plan-memory")
      ->allow_extra_args(false);
  app.add_flag("--resources", request.resources,
               "Print registers, spills, shared memory, stages, roles and the "
               "time of each compilation step; of a simulated --run also what "
               "each element takes in instructions and bytes");
  app.add_flag("--run", request.run, "Run the kernel and check the result");
  app.add_flag("--bench", request.bench,
               "Print the median time of many launches");
  app.add_flag("--check", request.check,
               "Check what the kernel expects on a GPU too, and that single "
               "values lie in their tensors");
  app.add_flag("--check-indices", request.checkIndices,
               "Report an index of rows, of a gather or of a scatter, or a "
               "tile at coordinates of memory, that is passed by since it lies "
               "outside");
  app.add_flag("--verify-each", request.verifyEach,
               "Verify the IR after each pass");
  app.add_option_function<std::vector<std::string>>(
         "--constant",
         [&request](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             request.constants.push_back(harness::parseSize(text));
         },
         "Set a constant that the kernel is built with: most=8192")
      ->allow_extra_args(false);
  harness::addRunOptions(app, request);
  app.add_option("--save", request.save,
                 "Write the compiled kernel to a file that a program with the "
                 "runtime alone can load");
  app.add_flag("--no-cache", request.noCache,
               "Neither look for compiled code on disk nor leave any");
}

} // namespace

std::optional<int> parse(int argc, char **argv, const std::string &kernel,
                         Request &request) {
  CLI::App app("Compiles the kernel '" + kernel +
               "'. Without options: prints a summary, runs the kernel and "
               "checks the result.");
  addFlags(app, request);
  try {
    app.parse(argc, argv);
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
