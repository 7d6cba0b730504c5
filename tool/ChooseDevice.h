// Where a kernel runs: a GPU or the simulator.
#pragma once

#include "ashlar/device.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ashlar::harness {

/// What the command line says of it.
struct DeviceChoice {
  std::string name; ///< "cuda", "sim"; empty: the GPU, or sim without one
  /// After which a launch counts as hanging. Without it a GPU has 10 s, and the
  /// simulator, which takes longer for the same, as long as it needs.
  std::optional<std::chrono::milliseconds> timeLimit;
  // Of the simulator.
  std::optional<uint64_t> seed;  ///< the schedule, or the first one
  std::optional<unsigned> seeds; ///< how many schedules
  std::optional<uint32_t> sms;   ///< multiprocessors
  std::string trace;             ///< a file, or empty
  std::string ignore;            ///< findings that do not count, or empty
};

/// Throws `Error` for an option that the device does not have.
bool isSimulated(const DeviceChoice &choice);

/// Opens it, with the simulator set up as chosen.
Device open(const DeviceChoice &choice);

/// For which a launch is waited.
std::chrono::milliseconds timeLimit(const DeviceChoice &choice);

/// "2 SMs, seed 3" or "132 SMs, seeds 0 to 49".
std::string describeSimulation(const DeviceChoice &choice);

/// In a handler of what a simulated launch has thrown: throws what the
/// simulator found first, as an `Error` at the author's line, and prints the
/// rest on the error stream before. Without a finding it throws the same again.
[[noreturn]] void throwFinding();

} // namespace ashlar::harness
