#include "runtime/sim/driver/Execution.h"

#include "runtime/sim/driver/ProgressDisplay.h"
#include "runtime/sim/machine/Trace.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <unistd.h>

namespace ashlar::sim {
namespace {

using Image =
    std::vector<std::pair<std::shared_ptr<MemoryBlock>, MemoryBlock::Image>>;

Image snapshot(const GlobalMemory &memory) {
  Image image;
  for (std::shared_ptr<MemoryBlock> &block : memory.all())
    image.emplace_back(block, block->image());
  return image;
}

void restore(const Image &image) {
  for (const auto &[block, bytes] : image)
    block->restore(bytes);
}

/// Where the memory differs from what another seed left, as a finding.
std::vector<Report> compare(const Image &expected, uint64_t expectedSeed,
                            uint64_t seed, const std::string &kernel) {
  std::vector<Report> reports;
  for (const auto &[block, image] : expected) {
    if (block->isFreed())
      continue;
    auto [other, here] =
        std::mismatch(image.bytes.begin(), image.bytes.end(), block->data());
    if (other == image.bytes.end())
      continue;
    if (const auto &mayDiffer = settings().mayDiffer;
        mayDiffer && mayDiffer(block->name, block->address, image.bytes.data(),
                               block->data()))
      continue;
    Report report;
    report.finding = Finding::race;
    report.seed = seed;
    report.sentence =
        "the result of '" + kernel + "' depends on the schedule: byte " +
        std::to_string(other - image.bytes.begin()) + " of '" + block->name +
        "' is " + std::to_string(*other) + " under seed " +
        std::to_string(expectedSeed) + " and " + std::to_string(*here) +
        " under seed " + std::to_string(seed) +
        "; unless the order of atomic operations, or of who comes first to a "
        "lock, may show in the result, something is read before it is written: "
        "look at who writes there";
    report.kernel = kernel;
    if (!settings().ignored.covers(report))
      reports.push_back(std::move(report));
  }
  return reports;
}

void checkWritten(const std::shared_ptr<Trace> &trace) {
  if (trace && !trace->problem().empty())
    throw InvalidLaunch(trace->problem());
}

/// The trace that settings() name; null when there is none.
std::shared_ptr<Trace> openTrace(State &all) {
  const std::string &path = settings().tracePath;
  if (path != all.tracePath) {
    all.trace = path.empty() ? nullptr : std::make_shared<Trace>(path);
    all.tracePath = path;
  }
  checkWritten(all.trace);
  return all.trace;
}

std::string title(const PreparedLaunch &launch, uint64_t seed) {
  const ptx::Dimensions &grid = launch.shape.grid;
  return "launch " + std::to_string(state().launches) + ", '" + launch.kernel +
         "' on " + std::to_string(uint64_t(grid.x) * grid.y * grid.z) +
         " blocks, seed " + std::to_string(seed);
}

/// Shows on standard error how far the launch is.
void openDisplay(std::optional<ProgressDisplay> &display,
                 const Progress &progress, const PreparedLaunch &launch,
                 unsigned seeds) {
  const ptx::Dimensions &cluster = launch.shape.cluster;
  display.emplace(
      stderr, isatty(STDERR_FILENO), progress,
      ProgressOfSeeds{launch.kernel, cluster.x * cluster.y * cluster.z, seeds});
}

/// What kernels print goes out between two states of the display.
void printBeside(ProgressDisplay &display, const std::string &text) {
  display.around([&] {
    if (settings().print)
      settings().print(text);
    else
      std::fwrite(text.data(), 1, text.size(), stdout);
  });
}

std::vector<Report> executeSeeds(const PreparedLaunch &launch) {
  State &all = state();
  const SimulatorSettings &how = settings();
  const unsigned seeds = std::max(1u, how.seeds);
  const std::shared_ptr<Trace> trace = openTrace(all);
  Image before, first;
  if (seeds > 1)
    before = snapshot(*all.memory);
  std::vector<Report> found;
  Progress progress;
  std::optional<ProgressDisplay> display;
  if (how.progress)
    openDisplay(display, progress, launch, seeds);
  for (unsigned i = 0; i < seeds; ++i) {
    LaunchOptions options;
    options.progress = &progress;
    options.seed = how.seed + i;
    options.hostThreads = how.hostThreads;
    options.timeLimit = how.timeLimit;
    options.trace = trace;
    options.print = how.print;
    if (display)
      options.print = [&](const std::string &text) {
        printBeside(*display, text);
      };
    options.ignored = &how.ignored;
    options.tensors = launch.tensors;
    if (i > 0) {
      restore(before);
    } else {
      options.copies = &all.copies;
      if (how.countsTraffic)
        options.traffic = &all.traffic;
    }
    std::vector<Report> ofSeed;
    if (trace)
      trace->beginLaunch(title(launch, options.seed));
    try {
      ofSeed = sim::launch(*launch.program, launch.kernel, launch.shape,
                           launch.parameters, *all.memory, options);
    } catch (...) {
      if (trace)
        trace->endLaunch(/*keep=*/true);
      throw;
    }
    if (i == 0 && seeds > 1)
      first = snapshot(*all.memory);
    else if (i > 0 && std::ranges::all_of(found, &Report::isHarmless) &&
             std::ranges::all_of(ofSeed, &Report::isHarmless))
      std::ranges::move(compare(first, how.seed, options.seed, launch.kernel),
                        std::back_inserter(ofSeed));
    // What is traced is the first seed with findings, or the last.
    if (trace)
      trace->endLaunch(/*keep=*/found.empty() &&
                       (!ofSeed.empty() || i + 1 == seeds));
    checkWritten(trace);
    for (Report &report : ofSeed)
      merge(found, std::move(report));
    progress.clusters = progress.finishedClusters = 0;
    if (display)
      display->finishSeed();
  }
  all.instructions += progress.instructions;
  return found;
}

} // namespace

Result execute(const PreparedLaunch &launch) {
  State &all = state();
  ++all.launches;
  std::vector<Report> found;
  try {
    found = executeSeeds(launch);
  } catch (const InvalidLaunch &error) {
    return refuse(Result::invalidValue, error.what());
  } catch (const std::bad_alloc &) {
    return refuse(Result::outOfMemory,
                  "the host has no memory left to simulate '" + launch.kernel +
                      "'");
  } catch (const std::exception &error) {
    return refuse(Result::unknown,
                  "the simulator failed: " + std::string(error.what()));
  }
  if (found.empty())
    return Result::success;
  if (!settings().quiet) {
    std::fflush(stdout);
    for (const Report &report : found)
      std::fprintf(stderr, "%s\n", report.text().c_str());
  }
  auto harm =
      std::find_if(found.begin(), found.end(),
                   [](const Report &report) { return !report.isHarmless; });
  if (!settings().keepGoing && harm != found.end()) {
    all.failure = harm->text();
    all.failure.erase(all.failure.find_last_not_of('\n') + 1);
  }
  all.reports.insert(all.reports.end(), found.begin(), found.end());
  return Result::success;
}

} // namespace ashlar::sim
