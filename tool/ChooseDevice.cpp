#include "tool/ChooseDevice.h"

#include "ashlar/error.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "runtime/sim/machine/Launch.h"

#include <cstdio>

namespace ashlar::harness {

bool isSimulated(const DeviceChoice &choice) {
  bool simulated = choice.name == "sim";
  if (choice.name.empty()) {
    // Asking opens the GPU, which takes a while.
    static const bool noGpu = Device::unavailable().has_value();
    simulated = noGpu;
  }
  if (!simulated && (choice.seed || choice.seeds || choice.sms ||
                     !choice.trace.empty() || !choice.ignore.empty()))
    throw Error("--seed, --seeds, --sms, --trace and --ignore are of the "
                "simulator: add --device=sim");
  return simulated;
}

Device open(const DeviceChoice &choice) {
  if (!isSimulated(choice))
    return Device::open();
  sim::SimulatorSettings &settings = sim::settings();
  settings.seed = choice.seed.value_or(settings.seed);
  settings.seeds = choice.seeds.value_or(settings.seeds);
  settings.timeLimit = choice.timeLimit.value_or(settings.timeLimit);
  if (!choice.trace.empty())
    settings.tracePath = choice.trace;
  if (!choice.ignore.empty())
    settings.ignored.addAll(choice.ignore);
  sim::showProgress();
  settings.quiet = true; // the error has the first report
  return Device::open(sim::simulatorDriver());
}

std::chrono::milliseconds timeLimit(const DeviceChoice &choice) {
  return choice.timeLimit.value_or(std::chrono::seconds(10));
}

std::string describeSimulation(const DeviceChoice &choice) {
  const sim::SimulatorSettings &settings = sim::settings();
  const uint64_t first = choice.seed.value_or(settings.seed);
  const unsigned count = choice.seeds.value_or(settings.seeds);
  return std::to_string(sim::smCount) + (sim::smCount > 1 ? " SMs" : " SM") +
         (count > 1 ? ", seeds " + std::to_string(first) + " to " +
                          std::to_string(first + count - 1)
                    : ", seed " + std::to_string(first));
}

/// At the first line of the author that the report has.
static Error asError(const sim::Report &report) {
  std::string text = report.text();
  text.erase(text.find_last_not_of('\n') + 1);
  for (const sim::Site &site : report.sites)
    if (const size_t colon = site.source.rfind(':'); colon != std::string::npos)
      return {{.file = site.source.substr(0, colon),
               .line = uint32_t(std::stoul(site.source.substr(colon + 1)))},
              text};
  return Error(text);
}

void throwFinding() {
  const std::vector<sim::Report> reports = sim::takeReports();
  if (reports.empty())
    throw;
  std::fflush(stdout);
  for (size_t i = 1; i < reports.size(); ++i)
    std::fprintf(stderr, "%s\n\n", asError(reports[i]).what());
  throw asError(reports.front());
}

} // namespace ashlar::harness
