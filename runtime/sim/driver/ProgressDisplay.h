// Tells on a stream, for whoever waits for a launch, how far it is.
#pragma once

#include "runtime/sim/machine/Progress.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace ashlar::sim {

/// The launch of `kernel` under one seed after the other.
struct ProgressOfSeeds {
  std::string kernel;
  uint32_t blocksPerCluster = 1;
  unsigned seeds = 1, finishedSeeds = 0;
};

/// "simulating 'gemm': 12 of 64 blocks done, 8,400,000 instructions, 6 s,
/// about 26 s left". The rest is estimated from the blocks that are done;
/// before the first it is left out.
std::string describeProgress(const ProgressOfSeeds &seeds,
                             const Progress &progress,
                             std::chrono::milliseconds elapsed);

/// Nothing for the first seconds. After them a terminal has one line, which is
/// written anew each second and wiped out at the end; a file or a pipe gets
/// further lines at doubling intervals, a minute at most.
class ProgressDisplay {
public:
  struct Pace {
    std::chrono::milliseconds first{5000}, ofTerminal{1000}, longest{60000};
  };
  ProgressDisplay(std::FILE *stream, bool isTerminal, const Progress &ofSeed,
                  ProgressOfSeeds seeds);
  ProgressDisplay(std::FILE *stream, bool isTerminal, const Progress &ofSeed,
                  ProgressOfSeeds seeds, Pace pace);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay &) = delete;

  /// The next seed begins.
  void finishSeed();
  /// Calls `print` while the line of a terminal is wiped out.
  template <class Print> void around(Print print) {
    std::lock_guard guard(lock);
    wipe();
    print();
  }

private:
  void work();
  void wipe();

  std::FILE *const stream;
  const bool isTerminal;
  const Progress &ofSeed;
  const Pace pace;
  const std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  std::mutex lock; // of the stream and of what follows
  std::condition_variable ended;
  ProgressOfSeeds seeds;
  bool isOver = false, isShown = false;
  std::thread thread;
};

} // namespace ashlar::sim
