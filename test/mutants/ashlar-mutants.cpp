// Prints the table of the mutants with what the simulator says of each, or the
// PTX of a kernel or of a mutant.
#include "test/mutants/Kernels.h"
#include "test/mutants/Mutant.h"

#include "ashlar/compile.h"

#include <CLI/CLI.hpp>
#include <cstdio>

using namespace ashlar;
using namespace ashlar::test;

namespace {

Artifact artifactOf(const std::string &name) {
  CompileOptions options;
  options.assemble = false;
  return compile(mutantKernel(name).make(), options).artifact;
}

/// Of each mutant and seed, the first line of the first report.
int printHeadlines(const std::string &only, uint64_t seeds) {
  for (const Mutant &mutant : mutants()) {
    if (mutant.name.find(only) == std::string::npos)
      continue;
    Artifact artifact = artifactOf(mutant.kernel);
    artifact.ptx = mutate(artifact.ptx, mutant);
    std::printf("%s (%s)\n", mutant.name.c_str(), mutant.kernel.c_str());
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      const auto reports = run(mutantKernel(mutant.kernel), artifact, seed,
                               mutant.moreTilesThanCtas);
      const std::string text =
          reports.empty() ? "nothing\n" : reports[0].text();
      std::printf("  %llu: %s\n", static_cast<unsigned long long>(seed),
                  text.substr(0, text.find('\n')).c_str());
    }
  }
  return 0;
}

int printTable(const std::string &only, uint64_t seeds) {
  int missed = 0;
  std::printf("| planted | kernel | found as | seed | report |\n"
              "|---|---|---|---|---|\n");
  for (const Mutant &mutant : mutants()) {
    if (mutant.name.find(only) == std::string::npos)
      continue;
    Artifact artifact = artifactOf(mutant.kernel);
    try {
      artifact.ptx = mutate(artifact.ptx, mutant);
    } catch (const Error &error) {
      std::printf("| %s | | CAN'T BE PLANTED | |\n", mutant.name.c_str());
      ++missed;
      continue;
    }
    std::string text;
    bool found = false;
    for (uint64_t seed = 0; seed < seeds && !found; ++seed) {
      auto reports = run(mutantKernel(mutant.kernel), artifact, seed,
                         mutant.moreTilesThanCtas);
      const sim::Report *report = findExpected(mutant, reports);
      found = report != nullptr;
      if (found) {
        text = std::to_string(seed) + " | " + report->sentence;
        for (const sim::Site &site : report->sites)
          text += "<br>" + site.source + ": " + site.who + " " + site.did;
      } else if (seed == 0) {
        text = "- | NOT FOUND";
        for (const sim::Report &other : reports)
          text += "\n" + other.text();
      }
    }
    missed += !found;
    std::printf("| %s | %s | %s | %s |\n", mutant.name.c_str(),
                mutant.kernel.c_str(), sim::name(mutant.finding), text.c_str());
    std::fflush(stdout);
  }
  return missed;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Bugs planted in the PTX of Ashlar's kernels, and what the "
               "simulator says of them.");
  std::string kernel, only;
  uint64_t seeds = 4, clean = 0;
  bool headlines = false;
  app.add_option("--emit", kernel, "Print the PTX of a kernel");
  app.add_option("--mutant", only, "Mutants with this in their name only");
  app.add_flag("--headlines", headlines,
               "Print the first line of the first report under each seed");
  app.add_option("--seeds", seeds, "Schedules to try for each mutant");
  app.add_option("--clean", clean,
                 "Run the kernels as they are under this many seeds");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!kernel.empty()) {
      std::string ptx = artifactOf(kernel).ptx;
      if (!only.empty())
        for (const Mutant &mutant : mutants())
          if (mutant.name.find(only) != std::string::npos)
            ptx = mutate(ptx, mutant);
      std::fputs(ptx.c_str(), stdout);
      return 0;
    }
    if (clean) {
      int reported = 0;
      for (const NamedKernel &each : mutantKernels())
        for (uint64_t seed = 0; seed < clean; ++seed)
          for (const sim::Report &report :
               run(each, artifactOf(each.name), seed)) {
            std::printf("%s: %s\n", each.name.c_str(), report.text().c_str());
            ++reported;
          }
      return reported != 0;
    }
    if (headlines)
      return printHeadlines(only, seeds);
    return printTable(only, seeds) != 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
