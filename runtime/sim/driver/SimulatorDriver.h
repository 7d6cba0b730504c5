// The simulator as a driver: the entry points that the runtime takes from
// libcuda.so.1, executed here. Work is done in the call that asks for it, in
// the order of the calls, whatever the stream.
#pragma once

#include "runtime/Driver.h"
#include "runtime/sim/machine/CopiesByLine.h"
#include "runtime/sim/machine/Ignored.h"
#include "runtime/sim/machine/Traffic.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ashlar::sim {

/// One device, an H200 as a program sees it. A launch with findings prints
/// them to standard error; from then on what waits for the device returns
/// launchFailed, for which getErrorString gives the first report. After a call
/// that was refused getErrorString gives the reason, in the same thread.
const DriverTable &simulatorDriver();

/// How launches are executed from now on.
struct SimulatorSettings {
  uint64_t seed = 0; // the first seed
  /// Each launch is executed under this many seeds from the same memory, and
  /// the results are compared. The last result stays. What several find is
  /// reported once, for the first of them.
  unsigned seeds = 1;
  unsigned hostThreads = 0; // 0: as many as there are cores
  /// After which a launch under one seed is ended with a report; 0: never.
  std::chrono::milliseconds timeLimit{0};
  std::string tracePath; // "" for none
  /// Where what kernels print goes; standard output when null.
  std::function<void(const std::string &)> print;
  Ignored ignored;        // findings that do not count
  bool quiet = false;     // reports are kept for takeReports only
  bool keepGoing = false; // a launch with findings counts as successful
  /// Whether what two seeds have left in a block of memory, by its name and
  /// address, may differ so; where it is null, nothing may.
  std::function<bool(const std::string &block, uint64_t address,
                     const uint8_t *first, const uint8_t *other)>
      mayDiffer;
  /// Whether launches count what they move, see takeTraffic.
  bool countsTraffic = false;
  /// A launch that takes long tells on standard error how far it is.
  bool progress = false;
};

/// At first ASHLAR_SIM_SEED, ASHLAR_SIM_SEEDS, ASHLAR_SIM_THREADS,
/// ASHLAR_SIM_TIME_LIMIT (in milliseconds), ASHLAR_SIM_TRACE and
/// ASHLAR_SIM_IGNORE (kinds of findings, with commas between, or the name of a
/// file of them) of the environment. To be changed between launches.
SimulatorSettings &settings();

/// For programs that a person waits for: sets `progress`, unless
/// ASHLAR_SIM_PROGRESS is 0.
void showProgress();

/// What has been found since the last call, in order.
std::vector<Report> takeReports();

/// What launches have moved under their first seeds since the last call.
Traffic takeTraffic();

/// What TMA has copied for each line under launches' first seeds since the last
/// call.
CopiesByLine takeCopies();

/// As a new process would find it: no memory, modules, streams or failure.
/// Every handle becomes invalid. The settings stay.
void resetSimulator();

} // namespace ashlar::sim
