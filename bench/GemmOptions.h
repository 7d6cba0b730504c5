// What the command line of the GEMM benchmark asks for.
#pragma once

#include "bench/GemmShapes.h"

#include <optional>
#include <string>
#include <vector>

namespace ashlar::bench {

struct GemmOptions {
  std::vector<GemmTypes> types;
  std::vector<GemmShape> shapes;
  uint64_t seed = 1;
  int rounds = 3;
  /// The one configuration that runs, if it is forced.
  std::optional<GemmConfig> config;
  /// The table to be used, and whether it is to be extended by tuning.
  std::string table;
  bool tune = false;
  /// How many candidates are timed for each problem, what else is, and the file
  /// for their times.
  size_t candidates = 24;
  std::vector<GemmConfig> also;
  std::string measurements;
  /// Configurations with one of these words in their text do not run.
  std::vector<std::string> avoided;
  /// No row is started after this many seconds.
  double timeBudget = 0;
  /// Nothing is measured: the model's choices are shown, and of how many
  /// candidates the parts.
  size_t why = 0;
  /// Nothing is measured: the model is fitted to these files' times.
  std::vector<std::string> fit;
  std::string csv;
};

/// Reads the command line. Returns the exit status when there is nothing more
/// to do: help was printed, or the sentence that says what is wrong.
std::optional<int> parse(int argc, char **argv, GemmOptions &options);

} // namespace ashlar::bench
