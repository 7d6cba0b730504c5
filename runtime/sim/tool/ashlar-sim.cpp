// Executes a kernel of a PTX file on a machine without a GPU, as a JSON file
// describes it, and says what is wrong with it.
#include "runtime/sim/driver/SimulatorDriver.h"
#include "runtime/sim/driver/WholeNumber.h"
#include "runtime/sim/tool/RunDescription.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace ashlar::sim;
using namespace ashlar::sim::tool;

namespace {

enum Status { right = 0, wrong = 1, badInput = 2 };

struct Request {
  std::string ptx, description;
  bool list = false, json = false, noProgress = false;
};

void printText(const Outcome &outcome) {
  std::fflush(stdout);
  for (const Report &report : outcome.reports)
    std::fprintf(stderr, "%s\n", report.text().c_str());
  for (const Check &check : outcome.checks)
    if (!check.isMade)
      std::printf("%s is not checked: the launch ended before\n",
                  check.buffer.c_str());
    else if (check.wrong)
      std::printf("%s (of %llu elements %llu wrong)\n", check.first.c_str(),
                  static_cast<unsigned long long>(check.elements),
                  static_cast<unsigned long long>(check.wrong));
    else
      std::printf("%s is right (%llu elements, largest error %g)\n",
                  check.buffer.c_str(),
                  static_cast<unsigned long long>(check.elements),
                  check.largestError);
  std::printf("%llu instructions executed, one for all lanes of a warp\n",
              static_cast<unsigned long long>(outcome.instructions));
}

void printJson(const Outcome &outcome) {
  nlohmann::ordered_json document;
  document["right"] = outcome.isRight();
  document["instructions"] = outcome.instructions;
  document["reports"] = nlohmann::ordered_json::array();
  for (const Report &report : outcome.reports) {
    nlohmann::ordered_json &to = document["reports"].emplace_back();
    to["finding"] = name(report.finding);
    to["sentence"] = report.sentence;
    to["kernel"] = report.kernel;
    to["seed"] = report.seed;
    to["count"] = report.count;
    to["ends_launch"] = report.isEnd;
    to["harmless"] = report.isHarmless;
    to["sites"] = nlohmann::ordered_json::array();
    for (const Site &site : report.sites)
      to["sites"].push_back({{"who", site.who},
                             {"did", site.did},
                             {"source", site.source},
                             {"instruction", site.instruction}});
  }
  document["checks"] = nlohmann::ordered_json::array();
  for (const Check &check : outcome.checks)
    document["checks"].push_back({{"buffer", check.buffer},
                                  {"made", check.isMade},
                                  {"elements", check.elements},
                                  {"wrong", check.wrong},
                                  {"largest_error", check.largestError},
                                  {"first", check.first}});
  std::printf(
      "%s\n",
      document
          .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
          .c_str());
}

int execute(const Request &request) {
  if (request.list) {
    std::fputs(listKernels(request.ptx).c_str(), stdout);
    return right;
  }
  if (request.description.empty())
    throw InputError("there is no description of the launch (a JSON file); "
                     "--list shows the kernels");
  settings().quiet = true; // printed below
  if (!request.noProgress)
    showProgress();
  if (request.json)
    settings().print = [](const std::string &text) {
      std::fputs(text.c_str(), stderr);
    };
  const Outcome outcome =
      run(request.ptx, readDescription(request.description));
  request.json ? printJson(outcome) : printText(outcome);
  return outcome.isRight() ? right : wrong;
}

} // namespace

int main(int argc, char **argv) {
  // A file that grows beyond `ulimit -f` is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  Request request;
  SimulatorSettings &how = settings();
  CLI::App app("Executes a PTX kernel without a GPU, checks its results and "
               "reports deadlocks, races and other mistakes. Exit status: 0 "
               "right, 1 findings or wrong results, 2 bad input.");
  app.add_option("ptx", request.ptx, "A PTX file for sm_90a")->required();
  app.add_option("description", request.description,
                 "A JSON file: kernel, grid, buffers, arguments, expected "
                 "results (docs/simulator.md)");
  app.add_option("--seed", how.seed, "The schedule to execute, or the first")
      ->capture_default_str()
      ->check(wholeNumber<uint64_t>(0));
  app.add_option("--seeds", how.seeds,
                 "Execute this many schedules and compare their results")
      ->capture_default_str()
      ->check(wholeNumber<unsigned>(1));
  app.add_option("--trace", how.tracePath,
                 "Write what happened when, for https://ui.perfetto.dev");
  app.add_option("--threads", how.hostThreads,
                 "Threads of the host to use; 0: one for each core")
      ->capture_default_str()
      ->check(wholeNumber<unsigned>(0));
  app.add_option_function<uint32_t>(
         "--time-limit",
         [&how](uint32_t milliseconds) {
           how.timeLimit = std::chrono::milliseconds(milliseconds);
         },
         "Milliseconds after which the launch is ended, with a report of where "
         "its warps are")
      ->check(wholeNumber<uint32_t>(1));
  app.add_option_function<std::string>(
      "--ignore", [&how](const std::string &text) { how.ignored.addAll(text); },
      "Findings that do not count: KIND or KIND@FILE:LINE, with commas "
      "between, or a file of them (docs/simulator.md)");
  app.add_flag("--list", request.list,
               "Print the kernels and their parameters instead");
  app.add_flag("--json", request.json, "Print the outcome as JSON");
  app.add_flag("--no-progress", request.noProgress,
               "Do not tell on standard error how far a long launch is");
  try {
    app.parse(argc, argv);
    const int status = execute(request);
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw InputError("the standard output can't be written");
    return status;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return right;
  } catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", error.what());
    return badInput;
  }
}
