#include "runtime/sim/driver/ProgressDisplay.h"

#include <algorithm>
#include <cmath>

namespace ashlar::sim {
namespace {

/// "8,400,000".
std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

/// "26 s", "3 min", "2 h".
std::string rough(double seconds) {
  constexpr double minute = 60, hour = 3600;
  auto rounded = [](double value) {
    return std::to_string(std::llround(value));
  };
  if (seconds < 2 * minute)
    return rounded(seconds) + " s";
  return seconds < 2 * hour ? rounded(seconds / minute) + " min"
                            : rounded(seconds / hour) + " h";
}

/// Names of templates are long, and a line of a terminal is not.
std::string shortened(const std::string &name) {
  constexpr size_t most = 32;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

} // namespace

std::string describeProgress(const ProgressOfSeeds &seeds,
                             const Progress &progress,
                             std::chrono::milliseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const uint64_t done = progress.finishedClusters, all = progress.clusters;
  std::string text = "simulating '" + shortened(seeds.kernel) + "'";
  if (seeds.seeds > 1)
    text += ", seed " +
            std::to_string(std::min(seeds.finishedSeeds + 1, seeds.seeds)) +
            " of " + std::to_string(seeds.seeds);
  text += ": " + grouped(done * seeds.blocksPerCluster) + " of " +
          grouped(all * seeds.blocksPerCluster) + " blocks done, " +
          grouped(progress.instructions) + " instructions, " + rough(seconds);
  const double part =
      (seeds.finishedSeeds + (all ? double(done) / double(all) : 0)) /
      seeds.seeds;
  if (part > 0)
    text += ", about " + rough(seconds * (1 - part) / part) + " left";
  return text;
}

ProgressDisplay::ProgressDisplay(std::FILE *stream, bool isTerminal,
                                 const Progress &ofSeed, ProgressOfSeeds seeds)
    : ProgressDisplay(stream, isTerminal, ofSeed, std::move(seeds), Pace()) {}

ProgressDisplay::ProgressDisplay(std::FILE *stream, bool isTerminal,
                                 const Progress &ofSeed, ProgressOfSeeds seeds,
                                 Pace pace)
    : stream(stream), isTerminal(isTerminal), ofSeed(ofSeed), pace(pace),
      seeds(std::move(seeds)), thread([this] { work(); }) {}

ProgressDisplay::~ProgressDisplay() {
  {
    std::lock_guard guard(lock);
    isOver = true;
    wipe();
  }
  ended.notify_all();
  thread.join();
}

void ProgressDisplay::finishSeed() {
  std::lock_guard guard(lock);
  ++seeds.finishedSeeds;
}

void ProgressDisplay::wipe() {
  if (isTerminal && isShown)
    std::fputs("\r\033[K", stream);
  std::fflush(stream);
  isShown = false;
}

void ProgressDisplay::work() {
  std::unique_lock guard(lock);
  std::chrono::milliseconds pause = pace.first;
  auto next = begin + pause;
  while (!ended.wait_until(guard, next, [this] { return isOver; })) {
    const auto now = std::chrono::steady_clock::now();
    const std::string line = describeProgress(
        seeds, ofSeed,
        std::chrono::duration_cast<std::chrono::milliseconds>(now - begin));
    wipe();
    std::fputs((isTerminal ? line : line + "\n").c_str(), stream);
    std::fflush(stream);
    isShown = true;
    next = now + (isTerminal ? pace.ofTerminal : pause);
    pause = std::min(2 * pause, pace.longest);
  }
}

} // namespace ashlar::sim
