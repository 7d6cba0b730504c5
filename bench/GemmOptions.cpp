#include "bench/GemmOptions.h"

#include "ashlar/error.h"
#include "bench/GemmKernels.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>

namespace ashlar::bench {

namespace {

constexpr int drawnCount = 20, raggedCount = 40, oddCount = 30;

const std::map<std::string, GemmTypes> typesByName = [] {
  std::map<std::string, GemmTypes> byName;
  for (const GemmTypes &types : measuredTypes())
    byName[shortName(types)] = types;
  return byName;
}();

std::vector<GemmShape> shapesOf(const std::vector<std::string> &words,
                                uint64_t seed) {
  std::vector<GemmShape> shapes;
  auto append = [&](const std::vector<GemmShape> &more) {
    shapes.insert(shapes.end(), more.begin(), more.end());
  };
  for (const std::string &word : words)
    if (word == "named")
      append(namedShapes());
    else if (word == "random")
      append(drawShapes(seed, drawnCount));
    else if (word == "ragged")
      append(drawRaggedShapes(seed, raggedCount));
    else if (word == "odd")
      append(drawOddShapes(seed, oddCount));
    else if (word == "evened")
      append(drawEvenedShapes(seed, oddCount));
    else
      append({parseShape(word)});
  return shapes;
}

/// The options as they are written.
struct Words {
  std::vector<std::string> types{"bf16", "fp8", "fp8full"}, layouts{"TN"};
  std::vector<std::string> shapes{"named", "random"}, also;
  std::string config, tune, tuned;
};

void addOptions(CLI::App &app, GemmOptions &options, Words &words) {
  app.add_option("--types", words.types,
                 "What is multiplied, and behind a dash what results are "
                 "where that is another type")
      ->delimiter(',')
      ->check(CLI::IsMember(typesByName));
  app.add_option("--layouts", words.layouts,
                 "BLAS's letters for A and B: TN has K contiguous in both")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--shapes", words.shapes,
                 "named, random, ragged (multiples of 8 and not of 64), odd, "
                 "evened (those, rounded up to multiples of 8), or shapes "
                 "MxNxK such as 4096x6144x4096")
      ->delimiter(',');
  app.add_option("--seed", options.seed,
                 "What the random, ragged and odd shapes follow from")
      ->capture_default_str();
  app.add_option("--rounds", options.rounds,
                 "How often ours and the competitor are timed in turns")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  CLI::Option *config =
      app.add_option("--config", words.config,
                     "The configuration of ours that runs, such as '" +
                         GemmConfig().str() + "'; without it the model's");
  CLI::Option *tune =
      app.add_option("--tune", words.tune,
                     "First search for the fastest configuration of each shape "
                     "that the file has not, and add it to the file")
          ->excludes(config);
  app.add_option("--candidates", options.candidates,
                 "How many candidates of the model --tune times for a shape")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->needs(tune);
  app.add_option("--also", words.also,
                 "A configuration that --tune times besides these; may be "
                 "given more than once")
      ->allow_extra_args(false)
      ->needs(tune);
  app.add_option("--measurements", options.measurements,
                 "Append the time of every candidate of --tune to a file as "
                 "comma-separated values")
      ->needs(tune);
  app.add_option("--tuned", words.tuned,
                 "Take the configurations that --tune wrote to the file, the "
                 "model's where it has none")
      ->excludes(config)
      ->excludes(tune)
      ->check(CLI::ExistingFile);
  app.add_option("--avoid", options.avoided,
                 "Words such as pingpong: no configuration with one in its "
                 "text runs, unless it is that of --config")
      ->delimiter(',');
  app.add_option("--time-budget", options.timeBudget,
                 "Seconds after which no further row is started")
      ->check(CLI::PositiveNumber);
  app.add_option("--why", options.why,
                 "Measure nothing: show so many of the model's fastest, of "
                 "what their time consists, and where that of --config is "
                 "behind. Needs no GPU")
      ->expected(0, 1)
      ->default_str("10")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(tune);
  app.add_option("--fit", options.fit,
                 "Measure nothing: fit the constants of the model to files of "
                 "--measurements, and show what they are, and what each is of "
                 "use for. Needs no GPU")
      ->delimiter(',')
      ->check(CLI::ExistingFile)
      ->excludes(tune);
  app.add_option("--csv", options.csv,
                 "Write the rows to a file as comma-separated values");
}

} // namespace

std::optional<int> parse(int argc, char **argv, GemmOptions &options) {
  CLI::App app("Times GEMM against the fastest of cuBLASLt and cuBLAS in one "
               "run, checks every result, and prints our speed over theirs.");
  Words words;
  options.timeBudget = std::numeric_limits<double>::infinity();
  addOptions(app, options, words);
  try {
    app.parse(argc, argv);
    for (const std::string &name : words.types)
      for (const std::string &layout : words.layouts) {
        options.types.push_back(typesByName.at(name));
        options.types.back().layout =
            GemmLayout::parse(layout, SourceLocation());
      }
    options.shapes = shapesOf(words.shapes, options.seed);
    if (!words.config.empty())
      options.config = GemmConfig::parse(words.config, SourceLocation());
    for (const std::string &config : words.also)
      options.also.push_back(GemmConfig::parse(config, SourceLocation()));
    options.tune = !words.tune.empty();
    options.table = options.tune ? words.tune : words.tuned;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return std::nullopt;
}

} // namespace ashlar::bench
