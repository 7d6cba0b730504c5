#include "ashlar/tool.h"

#include "ashlar/device.h"
#include "ashlar/error.h"
#include "tool/ChooseDevice.h"
#include "tool/Compiled.h"
#include "tool/Emit.h"
#include "tool/Execute.h"
#include "tool/Failure.h"
#include "tool/MakeProblem.h"
#include "tool/SimulatedSizes.h"
#include "tool/SimulatedSms.h"
#include "tool/Summary.h"
#include "tool/Traffic.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace ashlar {

using namespace harness;
using namespace tooling;

namespace {

Problem nameProblem(const Artifact &artifact, const ToolOptions &options,
                    const Request &request) {
  std::vector<NamedSize> sizes(options.sizes);
  if (isSimulated(request.device)) {
    for (const auto &smaller :
         {simulatedSizes(artifact, options.sizes), options.simulated_sizes})
      sizes.insert(sizes.end(), smaller.begin(), smaller.end());
  }
  sizes.insert(sizes.end(), request.sizes.begin(), request.sizes.end());
  std::vector<NamedScalar> scalars(options.scalars);
  scalars.insert(scalars.end(), request.scalars.begin(), request.scalars.end());
  return harness::nameProblem(artifact, sizes, scalars);
}

/// Throws where a reference is of no tensor that the kernel writes: nothing
/// would be compared with it.
Expectation expectation(const Artifact &artifact, const ToolOptions &options) {
  Expectation expected{.references = {},
                       .tolerance = options.tolerance,
                       .operations = options.operations};
  for (const Reference &reference : options.references) {
    std::string written;
    bool isThere = false;
    for (const TensorContract &tensor : artifact.tensors)
      if (tensor.written) {
        isThere |= tensor.name == reference.tensor;
        written += (written.empty() ? "" : ", ") + tensor.name;
      }
    if (!isThere)
      throw Error("there is a reference for '" + reference.tensor +
                  "', which kernel '" + artifact.name +
                  "' does not write; it writes " + written);
    expected.references[reference.tensor] = reference.element;
  }
  return expected;
}

bool simulate(Device &device, const Artifact &artifact, const Problem &problem,
              const Expectation &expected, const Request &request) {
  if (request.resources)
    countTraffic();
  try {
    const bool right = runAndCheck(device, artifact, problem, expected,
                                   timeLimit(request.device));
    std::printf("%s: simulated with %s (%s): nothing found\n",
                artifact.name.c_str(), describe(problem).c_str(),
                describeSimulation(request.device).c_str());
    if (request.resources)
      std::fputs(describeTraffic(problem).c_str(), stdout);
    return right;
  } catch (...) {
    throwFinding();
  }
}

bool execute(const Artifact &artifact, const ToolOptions &options,
             const Request &request, bool run, bool bench) {
  const bool simulated = isSimulated(request.device);
  if (bench && simulated)
    throw Error("the simulator has no speed to measure: --bench needs a GPU");
  Problem problem = nameProblem(artifact, options, request);
  // What is counted is what a whole GPU does.
  const bool isWhole = !simulated || request.resources;
  const SimulatedSms sms(request.device.sms.value_or(
      isWhole ? sim::mostSms : simulatedSms(artifact, problem.sizes)));
  Device device = open(request.device);
  demandMemory(artifact, problem, simulated);
  addTensors(artifact, problem, options.zeros, options.inputs);
  const Expectation expected = expectation(artifact, options);
  if (simulated)
    return simulate(device, artifact, problem, expected, request);
  bool right = true;
  if (run)
    right = runAndCheck(device, artifact, problem, expected,
                        timeLimit(request.device));
  if (bench)
    printBenchmark(device, artifact, problem, expected,
                   timeLimit(request.device));
  return right;
}

/// What a run takes; a simulated one has checks, which cost registers.
Compilation compileToRun(const Kernel &kernel, const Request &request) {
  return compileFor(isSimulated(request.device) ? Need::simulated
                                                : Need::artifact,
                    kernel, request);
}

/// What may be behind a wrong result.
void printNotes(const std::vector<Note> &notes) {
  for (const Note &note : notes) {
    const std::string place = note.where.str();
    std::printf("%s%snote: %s\n", place.c_str(), place.empty() ? "" : ": ",
                note.message.c_str());
  }
}

bool summarizeAndRun(const Kernel &kernel, const ToolOptions &options,
                     const Request &request) {
  const Compilation compiled = compileFor(Need::report, kernel, request);
  Request again = request;
  again.printAfter.clear(); // that was printed
  const Artifact artifact = isSimulated(request.device)
                                ? compileToRun(kernel, again).artifact
                                : compiled.artifact;
  std::printf("%s, compiled for %s\n  sizes          %s\n%s"
              "  PTX            %s\n",
              kernel.name().c_str(), artifact.target.c_str(),
              describe(nameProblem(artifact, options, request)).c_str(),
              summarize(compiled).c_str(), writePtx(artifact).c_str());
  std::fflush(stdout);
  return execute(artifact, options, request, /*run=*/true, /*bench=*/false);
}

Constants constantsOf(const ToolOptions &options, const Request &request) {
  std::vector<NamedSize> values(options.constants);
  for (const NamedSize &set : request.constants) {
    auto found = std::ranges::find(values, set.name, &NamedSize::name);
    if (found != values.end()) {
      found->value = set.value;
      continue;
    }
    std::string names;
    for (const NamedSize &known : values)
      names += (names.empty() ? "" : ", ") + known.name;
    throw Error("the kernel has no constant '" + set.name + "'; it has " +
                (names.empty() ? "none" : names));
  }
  return Constants(std::move(values));
}

bool perform(const Kernel &kernel, const ToolOptions &options,
             const Request &request) {
  if (kernel.error())
    throw *kernel.error();
  if (request.isDefault())
    return summarizeAndRun(kernel, options, request);
  if (!request.emit.empty())
    emit(kernel, request);
  if (request.resources)
    std::printf("%s\n%s", kernel.name().c_str(),
                summarize(compileFor(Need::report, kernel, request)).c_str());
  if (!request.save.empty())
    save(compileFor(Need::artifact, kernel, request).artifact, request.save);
  if (!request.run && !request.bench)
    return true;
  const Compilation compiled = compileToRun(kernel, request);
  const bool right =
      execute(compiled.artifact, options, request, request.run, request.bench);
  if (!right)
    printNotes(compiled.notes);
  return right;
}

} // namespace

int64_t Constants::operator[](std::string_view name) const {
  auto found = std::ranges::find(values, name, &NamedSize::name);
  if (found == values.end())
    throw Error("there is no constant '" + std::string(name) +
                "': name it in ToolOptions::constants");
  return found->value;
}

int tool(int argc, char **argv, const Kernel &kernel,
         const ToolOptions &options) {
  return tool(argc, argv, [&](const Constants &) { return kernel; }, options);
}

int tool(int argc, char **argv,
         const std::function<Kernel(const Constants &)> &build,
         const ToolOptions &options) {
  // A file that grows beyond `ulimit -f` is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    Request request;
    const Kernel kernel = build(Constants(options.constants));
    if (std::optional<int> status = parse(argc, argv, kernel.name(), request))
      return *status;
    if (request.constants.empty())
      return finished(perform(kernel, options, request) ? 0 : 1);
    const Kernel chosen = build(constantsOf(options, request));
    return finished(perform(chosen, options, request) ? 0 : 1);
  } catch (...) {
    return reportFailure();
  }
}

} // namespace ashlar
