// Times the library's attention, or its gradients, for bench/attention.py, a
// problem to a line of standard input: random normal data, results checked.

#include "bench/AttentionGradients.h"
#include "bench/AttentionTuner.h"
#include "bench/Timer.h"
#include "tool/Failure.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>

using namespace ashlar;
using namespace ashlar::bench;

namespace {

constexpr double milliseconds = 30;

/// What is behind the first ':' of a line, if there is one.
std::optional<std::istringstream> behindColon(const std::string &line) {
  const size_t at = line.find(':');
  if (at == std::string::npos)
    return std::nullopt;
  return std::istringstream(line.substr(at + 1));
}

AttentionProblem problemOf(const std::string &line) {
  return parseAttention(line.substr(0, line.find(':')));
}

/// What is behind ':', of splits 0 for none; without it the library's choice.
AttentionChoice choiceOf(const std::string &line, int64_t smCount) {
  std::optional<std::istringstream> in = behindColon(line);
  if (!in) {
    const AttentionProblem problem = problemOf(line);
    return attention_auto(problem.form(), problem.sizes(), modelOf(smCount));
  }
  AttentionChoice choice;
  AttentionConfig &config = choice.config;
  *in >> choice.group >> choice.splits >> config.bm >> config.bn >>
      config.stages >> config.warpgroups >> config.queries >> config.ctas >>
      config.apart >> config.eager >> config.cluster >> config.dynamic >>
      config.early_launch;
  if (!*in)
    throw Error("behind ':' are thirteen numbers: group splits bm bn stages "
                "warpgroups queries ctas apart eager cluster dynamic early; "
                "not '" +
                line + "'");
  config.splits = choice.splits > 0;
  return choice;
}

/// The relative error, microseconds cold and hot, and the configuration. With a
/// folder that has Q, K and V, as they lie in memory, O goes there.
std::string forward(Device &device, Timer &timer, const std::string &line,
                    const std::filesystem::path &folder = {}) {
  const AttentionProblem problem = problemOf(line);
  const AttentionChoice choice = choiceOf(line, device.sm_count());
  AttentionOperands operands(device, problem);
  if (!folder.empty())
    operands.readFrom(folder);
  AttentionLaunch launch(device, operands, choice,
                         compileChoice(problem, choice));
  const Contender ours{"ashlar", [&](Stream &stream) { launch(stream); }};
  operands.forgetResult();
  timer.once(ours);
  if (!folder.empty())
    operands.writeResult(folder);
  std::ostringstream out;
  out << operands.error() << ' ' << timer.cold(ours, milliseconds) << ' '
      << timer.hot(ours, milliseconds) << ' ' << str(choice);
  return out.str();
}

/// The same of the gradients, whose configuration is behind ':'.
std::string backward(Device &device, Timer &timer, const std::string &line) {
  std::optional<std::istringstream> in = behindColon(line);
  AttentionBackwardConfig config;
  if (in)
    *in >> config.bm >> config.bn >> config.stages >> config.warpgroups >>
        config.apart >> config.deterministic >> config.dynamic >>
        config.cluster;
  if (!in || !*in)
    throw Error("behind ':' are eight numbers: bm bn stages warpgroups apart "
                "deterministic dynamic cluster; not '" +
                line + "'");
  return measureGradients(device, timer, problemOf(line), config);
}

/// A problem as --tune takes them, with a configuration behind ':' or without,
/// or "backward" before it; "files" and a folder before it say where its
/// tensors are.
std::string measured(Device &device, Timer &timer, const std::string &line) {
  std::istringstream in(line);
  std::string word, folder, rest;
  in >> word;
  if (word != "backward" && word != "files")
    return forward(device, timer, line);
  if (word == "files")
    in >> folder;
  std::getline(in, rest);
  return word == "files" ? forward(device, timer, rest, folder)
                         : backward(device, timer, rest);
}

void readLines(Device &device, Timer &timer) {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << measured(device, timer, line) << std::endl;
    } catch (const TimeoutError &) {
      throw;
    } catch (const Error &error) {
      std::cout << "error: " << error.what() << std::endl;
    }
  }
}

struct Options {
  bool tune = false;
  std::vector<std::string> problems, avoided;
  size_t candidates = 12;
};

void addOptions(CLI::App &app, Options &options) {
  CLI::Option *tune = app.add_flag(
      "--tune", options.tune,
      "For each problem measure the model's most promising configurations, and "
      "print how much longer its choice takes than the best of them");
  app.add_option(
         "problems", options.problems,
         "What --tune measures, such as 'd128 causal b4 h32 hk8 q4096 "
         "k4096'; also dv, page, rescale, f16 and e4m3. Without any those that "
         "docs/attention.md has figures of")
      ->needs(tune);
  app.add_option("--candidates", options.candidates,
                 "How many configurations --tune measures for a problem")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->needs(tune);
  app.add_option("--avoid", options.avoided,
                 "Words such as c2: no configuration with one in its text is "
                 "measured by --tune")
      ->delimiter(',')
      ->needs(tune);
}

std::vector<AttentionProblem> problemsOf(const Options &options) {
  std::vector<AttentionProblem> problems;
  for (const std::string &text : options.problems)
    problems.push_back(parseAttention(text));
  return problems.empty() ? namedAttention() : problems;
}

void tune(Device &device, Timer &timer, const Options &options,
          const std::vector<AttentionProblem> &problems) {
  AttentionTuner tuner(device, timer, options.candidates, options.avoided);
  std::vector<AttentionTuning> all;
  std::cout << device.name() << std::endl;
  for (const AttentionProblem &problem : problems) {
    try {
      all.push_back(tuner.tune(problem));
      std::cout << table(all.back()) << std::endl;
    } catch (const TimeoutError &) {
      throw;
    } catch (const Error &error) {
      std::cout << str(problem) << ": error: " << error.what() << std::endl;
    }
  }
  std::cout << summary(all);
}

} // namespace

/// Prints for each line of standard input the relative error, and microseconds
/// cold and hot; or, with --tune, tables of configurations.
int main(int argc, char **argv) {
  CLI::App app("Times the library's attention: the problems and configurations "
               "of standard input, or with --tune what the model chooses.");
  Options options;
  addOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    const std::vector<AttentionProblem> problems = problemsOf(options);
    Device device = Device::open();
    Timer timer(device);
    if (options.tune)
      tune(device, timer, options, problems);
    else
      readLines(device, timer);
    return harness::finished(0);
  } catch (...) {
    return harness::reportFailure();
  }
}
