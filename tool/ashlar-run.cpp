// Runs a kernel that was saved by `--save`, with nothing but the runtime.
#include "tool/Failure.h"
#include "tool/RunSaved.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <csignal>
#include <cstdio>

using namespace ashlar;

namespace {

struct Request : harness::RunOptions {
  std::string file;
  std::vector<std::string> zeros;
  bool bench = false;
};

} // namespace

int main(int argc, char **argv) {
  // A file that grows beyond `ulimit -f` is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  Request request;
  CLI::App app("Runs a saved kernel on random data and checks that it writes "
               "all of its outputs, and of other memory nothing.");
  app.add_option("file", request.file, "What a kernel program's --save wrote")
      ->required();
  harness::addRunOptions(app, request);
  app.add_option("--zeros", request.zeros,
                 "Tensors that hold zeros before the launch: its counters")
      ->delimiter(',');
  app.add_flag("--bench", request.bench,
               "Print the median time of many launches instead");
  try {
    app.parse(argc, argv);
    const bool right = harness::runSaved(load(request.file), request,
                                         request.zeros, request.bench);
    return harness::finished(right ? 0 : 1);
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return harness::finished(0);
  } catch (...) {
    return harness::reportFailure();
  }
}
