#include "test/corpus/Check.h"
#include "test/corpus/Emit.h"
#include "test/corpus/Interpret.h"
#include "test/corpus/Text.h"

#include "ashlar/compile.h"
#include "ashlar/module.h"
#include "runtime/Driver.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "tool/DeviceProblem.h"
#include "tool/MakeProblem.h"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace ashlar::corpus {

bool Outcome::failsBy(const std::string &kind) const {
  return std::ranges::count(failures, kind, &Failure::kind) > 0;
}

std::string Outcome::str() const {
  std::string text;
  std::map<std::string, int> told;
  for (const Failure &failure : failures)
    if (told[failure.kind]++ == 0)
      text += failure.kind + ": " + failure.detail + "\n";
  for (const auto &[kind, count] : told)
    if (count > 1)
      text += format("{} more of '{}'\n", count - 1, kind);
  return text;
}

std::vector<std::string> Outcome::kinds() const {
  std::vector<std::string> result;
  for (const Failure &failure : failures)
    if (!std::ranges::count(result, failure.kind))
      result.push_back(failure.kind);
  return result;
}

bool isFoundByCompiling(const std::string &kind) {
  return kind.starts_with("C75") || kind == "refused" || kind == "spill" ||
         kind == "warning" || kind == "crash";
}

namespace {

int smCount = 1;

/// The simulator as a device of few SMs, so that a CTA of a small problem has
/// several tiles.
const DriverTable &smallDevice() {
  static const DriverTable table = [] {
    DriverTable small = sim::simulatorDriver();
    small.deviceGetAttribute = [](int *value, driver::DeviceAttribute attribute,
                                  driver::DeviceOrdinal device) {
      const driver::Result result =
          sim::simulatorDriver().deviceGetAttribute(value, attribute, device);
      if (attribute == driver::DeviceAttribute::multiprocessorCount)
        *value = smCount;
      return result;
    };
    return small;
  }();
  return table;
}

std::vector<Failure> failuresOf(const std::vector<Warning> &warnings) {
  std::vector<Failure> failures;
  static const std::regex code("C75[0-9]+");
  for (const Warning &warning : warnings) {
    std::smatch match;
    const std::string &message = warning.message;
    if (std::regex_search(message, match, code))
      failures.push_back({match.str(), message});
    else
      failures.push_back(
          {message.find("spill") != std::string::npos ? "spill" : "warning",
           message});
  }
  return failures;
}

void fill(HostTensor &tensor, const Matrix &values) {
  harness::forEachCoordinate(tensor.shape(), [&](std::span<const int64_t> at) {
    tensor.write(tensor.offset(at),
                 at.size() == 1 ? values(0, at[0]) : values(at[0], at[1]));
  });
}

Problem problemOf(const Program &program, const Artifact &artifact) {
  std::vector<NamedSize> sizes;
  for (const Program::Size &size : program.sizes)
    if (std::ranges::count(artifact.sizes, size.name))
      sizes.push_back({size.name, size.value});
  Problem problem = harness::nameProblem(artifact, sizes, {});
  harness::addTensors(artifact, problem);
  const std::map<std::string, Matrix> inputs = inputsOf(program);
  for (size_t i = 0; i < problem.tensors.size(); ++i)
    if (artifact.tensors[i].read)
      fill(problem.tensors[i], inputs.at(problem.tensors[i].name()));
  return problem;
}

/// The first element that differs, in words; empty where none does.
std::string difference(const HostTensor &result, const Matrix &expected) {
  std::string text;
  int64_t count = 0;
  for (int64_t i = 0; i < expected.rows; ++i)
    for (int64_t j = 0; j < expected.columns; ++j)
      if (const double value = result(i, j); !same(value, expected(i, j)))
        if (count++ == 0)
          text = format("{}({}, {}) is {}; it must be {}", result.name(), i, j,
                        value, expected(i, j));
  return count ? format("{} ({} elements differ)", text, count) : "";
}

std::vector<int> firstWarpsOf(const Program &program,
                              const Artifact &artifact) {
  std::vector<int> result;
  for (const Role &role : program.roles)
    for (const RoleInfo &info : artifact.roles)
      if (info.name == role.name)
        result.push_back(info.firstWarp);
  return result;
}

void simulate(const Program &program, const Artifact &artifact,
              uint64_t schedule, Outcome &outcome) {
  smCount = static_cast<int>(program.residentClusters * program.cluster);
  sim::resetSimulator();
  sim::settings().seed = schedule;
  sim::settings().quiet = true;
  sim::takeReports();
  bool isFound = false;
  auto add = [&](const char *kind, const std::string &detail) {
    outcome.failures.push_back({kind, detail});
    isFound = true;
  };
  const Interpretation expected = interpret(program);
  try {
    Device device = Device::open(smallDevice());
    Module module(device, artifact);
    observeWgmma();
    takeWgmmaRecords();
    const Problem problem = problemOf(program, artifact);
    harness::DeviceProblem onDevice(device, artifact, problem);
    module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(60));
    outcome.lost = lostInFlight(program, firstWarpsOf(program, artifact),
                                takeWgmmaRecords());
    for (const HostTensor &result : onDevice.results())
      if (std::string text =
              difference(result, expected.tensors.at(result.name()));
          !text.empty())
        add("wrong result", text);
  } catch (const Error &error) {
    for (const sim::Report &report : sim::takeReports())
      add(sim::name(report.finding), report.text());
    if (!isFound)
      add("error", error.what());
  }
}

/// Nothing where the tree names what is not there: a shrinker tries such.
std::optional<Kernel> kernelOf(const Program &program) {
  try {
    return emit(program);
  } catch (const std::out_of_range &) {
    return {};
  }
}

} // namespace

Outcome check(const Program &program, const Effort &effort) {
  Outcome outcome;
  const std::optional<Kernel> kernel = kernelOf(program);
  if (!kernel)
    return {{{"not a program", "it names what is not there"}}};
  try {
    const Compilation compilation = compile(*kernel);
    outcome.failures = failuresOf(compilation.warnings);
    const size_t remarks = outcome.failures.size();
    for (uint64_t i = 0; effort.simulates && i < effort.schedules &&
                         outcome.failures.size() == remarks;
         ++i)
      simulate(program, compilation.artifact, program.seed + i, outcome);
  } catch (const Error &error) {
    outcome.failures.push_back({"refused", error.what()});
  } catch (const std::exception &error) {
    outcome.failures.push_back({"crash", error.what()});
  }
  return outcome;
}

} // namespace ashlar::corpus
