#include "tool/RunOptions.h"

#include "runtime/sim/driver/WholeNumber.h"
#include "runtime/sim/machine/Launch.h"
#include "tool/Assignments.h"

#include <CLI/App.hpp>

namespace ashlar::harness {

using Texts = std::vector<std::string>;

void addRunOptions(CLI::App &app, RunOptions &options) {
  app.add_option_function<Texts>(
         "--size",
         [&options](const Texts &texts) {
           for (const std::string &text : texts)
             options.sizes.push_back(parseSize(text));
         },
         "Set a size of the problem: M=128")
      ->allow_extra_args(false);
  app.add_option_function<Texts>(
         "--scalar",
         [&options](const Texts &texts) {
           for (const std::string &text : texts)
             options.scalars.push_back(parseScalar(text));
         },
         "Set a scalar: alpha=0.5")
      ->allow_extra_args(false);
  app.add_option("--device", options.device.name,
                 "Where to run: cuda, a GPU, or sim, the simulator; without it "
                 "the simulator where there is no GPU")
      ->check(CLI::IsMember({"cuda", "sim"}));
  app.add_option("--seed", options.device.seed,
                 "The schedule that the simulator executes, or the first")
      ->check(sim::wholeNumber<uint64_t>(0));
  app.add_option("--seeds", options.device.seeds,
                 "Simulate this many schedules and compare their results")
      ->check(sim::wholeNumber<unsigned>(1));
  app.add_option("--sms", options.device.sms,
                 "SMs of the simulated GPU, at most 132; without it so few "
                 "that CTAs of a small persistent problem have several tiles")
      ->check(CLI::Range(1u, sim::mostSms));
  app.add_option("--trace", options.device.trace,
                 "Write what was simulated when, for https://ui.perfetto.dev");
  app.add_option("--ignore", options.device.ignore,
                 "Findings of the simulator that do not count: KIND or "
                 "KIND@FILE:LINE, with commas between, or a file of them");
  app.add_option_function<int64_t>(
         "--time-limit",
         [&options](uint32_t milliseconds) {
           options.device.timeLimit = std::chrono::milliseconds(milliseconds);
         },
         "Milliseconds after which a launch counts as hanging; without it "
         "10000 on a GPU, and no limit in the simulator")
      ->check(sim::wholeNumber<uint32_t>(1));
}

} // namespace ashlar::harness
