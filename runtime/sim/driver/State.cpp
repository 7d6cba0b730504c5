#include "runtime/sim/driver/State.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace ashlar::sim {

const Function &KernelEntry::function() const {
  return *module->program->functions[index];
}

KernelEntry *State::kernel(driver::FunctionHandle handle) const {
  auto found = kernels.find(handle);
  return found == kernels.end() ? nullptr : found->second;
}

SimulatedStream *State::stream(driver::StreamHandle handle) {
  return isDefaultStream(handle) ? &defaultStream : streams.find(handle);
}

Result State::health() const {
  return failure.empty() ? Result::success : Result::launchFailed;
}

// Never destroyed: a program may use the driver in its own destructors.
State &state() {
  static State &only = *new State;
  return only;
}

namespace {

template <class T> T numberFrom(const char *variable, T fallback) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return fallback;
  T value = 0;
  auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && !*end)
    return value;
  std::fprintf(stderr,
               "simulator: %s is '%s', which is no whole number up to %llu: "
               "unset\n",
               variable, text,
               static_cast<unsigned long long>(std::numeric_limits<T>::max()));
  return fallback;
}

SimulatorSettings fromEnvironment() {
  SimulatorSettings result;
  result.seed = numberFrom<uint64_t>("ASHLAR_SIM_SEED", 0);
  result.seeds = numberFrom<unsigned>("ASHLAR_SIM_SEEDS", 1);
  result.hostThreads = numberFrom<unsigned>("ASHLAR_SIM_THREADS", 0);
  result.timeLimit = std::chrono::milliseconds(
      numberFrom<uint32_t>("ASHLAR_SIM_TIME_LIMIT", 0));
  if (const char *path = std::getenv("ASHLAR_SIM_TRACE"))
    result.tracePath = path;
  if (const char *text = std::getenv("ASHLAR_SIM_IGNORE"); text && *text)
    try {
      result.ignored.addAll(text);
    } catch (const std::invalid_argument &error) {
      std::fprintf(stderr, "simulator: ASHLAR_SIM_IGNORE: %s\n", error.what());
    }
  return result;
}

} // namespace

SimulatorSettings &settings() {
  static SimulatorSettings &only = *new SimulatorSettings(fromEnvironment());
  return only;
}

void showProgress() {
  settings().progress = numberFrom<uint8_t>("ASHLAR_SIM_PROGRESS", 1) != 0;
}

Traffic takeTraffic() {
  State &all = state();
  std::lock_guard lock(all.lock);
  return std::exchange(all.traffic, {});
}

CopiesByLine takeCopies() {
  State &all = state();
  std::lock_guard lock(all.lock);
  return std::exchange(all.copies, {});
}

std::vector<Report> takeReports() {
  State &all = state();
  std::lock_guard lock(all.lock);
  return std::exchange(all.reports, {});
}

void resetSimulator() {
  State &all = state();
  std::lock_guard lock(all.lock);
  all.kernels.clear();
  all.modules.clear();
  all.streams.clear();
  all.events.clear();
  all.graphs.clear();
  all.graphExecs.clear();
  all.hostBlocks.clear();
  all.memory = std::make_unique<GlobalMemory>();
  all.defaultStream = {};
  all.primaryContextUsers = 0;
  all.trace = nullptr;
  all.tracePath.clear();
  all.traffic = {};
  all.copies.clear();
  all.reports.clear();
  all.failure.clear();
}

} // namespace ashlar::sim
