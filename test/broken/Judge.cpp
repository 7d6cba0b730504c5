#include "test/broken/Judge.h"
#include "test/corpus/Check.h"
#include "test/corpus/Emit.h"
#include "test/corpus/Interpret.h"

#include "ashlar/compile.h"
#include "ashlar/device.h"
#include "ashlar/module.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/DeviceProblem.h"
#include "tool/MakeProblem.h"

#include <algorithm>
#include <filesystem>
#include <regex>

namespace ashlar::broken {

using namespace corpus;

namespace {

/// The lines of the listing that a report names.
std::set<int> linesOf(const std::string &report) {
  static const std::regex place(std::string(listingName) + ":([0-9]+)");
  std::set<int> lines;
  for (std::sregex_iterator at(report.begin(), report.end(), place), end;
       at != end; ++at)
    lines.insert(std::stoi((*at)[1]));
  return lines;
}

bool computeTheSame(const Interpretation &a, const Interpretation &b) {
  for (const auto &[name, matrix] : a.tensors)
    if (!std::ranges::equal(matrix.elements, b.tensors.at(name).elements, same))
      return false;
  return true;
}

struct Run {
  std::vector<sim::Report> reports;
  std::vector<HostTensor> results;
};

Run run(const MeetingKernel &kernel, const Artifact &artifact, uint64_t seed) {
  sim::resetSimulator();
  sim::settings().seed = seed;
  sim::settings().quiet = true;
  sim::takeReports();
  Run result;
  try {
    Device device = Device::open(sim::simulatorDriver());
    Module module(device, artifact);
    Problem problem = harness::nameProblem(artifact, kernel.sizes, {});
    harness::addTensors(artifact, problem, kernel.zeros);
    harness::DeviceProblem onDevice(device, artifact, problem);
    module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(60));
    result.results = onDevice.results();
  } catch (const Error &error) {
    result.reports = sim::takeReports();
    if (result.reports.empty())
      result.reports.push_back({sim::Finding::other, error.what(), {}, seed});
  }
  return result;
}

bool areTheSame(const HostTensor &a, const HostTensor &b) {
  bool all = true;
  harness::forEachCoordinate(a.shape(), [&](std::span<const int64_t> at) {
    all &= same(a(at), b(at));
  });
  return all;
}

bool names(const sim::Report &report, const std::set<std::string> &places) {
  return std::ranges::any_of(report.sites, [&](const sim::Site &site) {
    return places.contains(
        std::filesystem::path(site.source).filename().string());
  });
}

Artifact compiled(const Kernel &kernel) {
  CompileOptions options;
  options.assemble = false;
  return compile(kernel, options).artifact;
}

} // namespace

Judgement judge(const Program &right, const BrokenProgram &broken,
                uint64_t schedules) {
  Effort effort;
  effort.schedules = schedules;
  const Outcome outcome = checkApart(broken.program, effort);
  const Interpretation expected = interpret(broken.program);
  std::string wrong;
  for (const Failure &failure : outcome.failures) {
    if (failure.kind == "refused")
      return {Fate::refused, failure.detail};
    if (isFoundByCompiling(failure.kind))
      continue;
    if (failure.kind == "wrong result") {
      wrong = failure.detail;
      continue;
    }
    const std::set<int> about = linesAbout(broken.program, broken.touched);
    for (int line : linesOf(failure.detail))
      if (about.contains(line))
        return {Fate::reported, failure.detail};
    return {Fate::reportedElsewhere, failure.kind + ": " + failure.detail};
  }
  if (!expected.problem.empty())
    return {Fate::missed, expected.problem};
  if (!wrong.empty())
    return {Fate::wrong, wrong};
  return {computeTheSame(interpret(right), expected) ? Fate::harmless
                                                     : Fate::another,
          expected.leftover};
}

Judgement judge(const MeetingKernel &right, const Kernel &broken,
                const BrokenOperation &operation, uint64_t schedules) {
  const Run expected = run(right, compiled(right.make()), 0);
  Artifact artifact;
  try {
    artifact = compiled(broken);
  } catch (const Error &error) {
    return {Fate::refused, error.what()};
  }
  Fate fate = Fate::harmless;
  for (uint64_t seed = 0; seed < schedules; ++seed) {
    const Run found = run(right, artifact, seed);
    if (!found.reports.empty())
      return {names(found.reports.front(), operation.places)
                  ? Fate::reported
                  : Fate::reportedElsewhere,
              found.reports.front().text()};
    for (size_t i = 0; i < expected.results.size(); ++i) {
      const std::string &name = found.results[i].name();
      if (areTheSame(found.results[i], expected.results[i]))
        continue;
      // What a counter holds in the end no launch reads.
      if (!std::ranges::count(right.zeros, name))
        return {Fate::wrong, name + " differs"};
      fate = Fate::another;
    }
  }
  return {fate, ""};
}

} // namespace ashlar::broken
