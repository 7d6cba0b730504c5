#include "ashlar/module.h"

#include "runtime/Bounds.h"
#include "runtime/CheckOverlaps.h"
#include "runtime/HangReport.h"
#include "runtime/LaunchConfiguration.h"
#include "runtime/LoadedKernel.h"
#include "runtime/MovedFrom.h"
#include "runtime/ParameterBlock.h"
#include "runtime/Poll.h"
#include "runtime/Text.h"
#include "runtime/VerifyArtifact.h"

#include <mutex>

namespace ashlar {

using driver::Result;

struct Module::Implementation {
  Implementation(Device &device, Artifact &&taken);
  ~Implementation();

  Grid send(std::span<const NamedArgument> arguments,
            driver::StreamHandle stream);
  void launch(const Grid &grid, driver::StreamHandle stream);
  driver::Result call(const driver::LaunchConfig *config);
  void wait(const Grid &grid, std::chrono::milliseconds limit);

  std::shared_ptr<Context> context;
  Artifact artifact;
  LoadedKernel kernel;

  // The scratch of a launch, kept so that the next allocates nothing.
  std::mutex mutex;
  MatchedArguments matched;
  SizeValues sizes;
  std::vector<BoundTensor> tensors;
  std::vector<int64_t> boundNumbers;
  ParameterBlock parameters;
  driver::EventHandle finished = nullptr;
};

namespace {

/// Whether it is one of CUDA's numbers for a kernel that has failed, which
/// every call returns from then on.
bool isOfWorkBefore(driver::Result result) {
  const int number = static_cast<int>(result);
  return result == driver::Result::illegalAddress || number == 702 ||
         (number >= 710 && number <= 719);
}

Artifact verified(Artifact &&artifact) {
  verifyArtifact(artifact);
  return std::move(artifact);
}

} // namespace

Module::Implementation::Implementation(Device &device, Artifact &&taken)
    : context(device.shared_context()), artifact(verified(std::move(taken))),
      kernel(context, artifact), tensors(tensorRequirements(artifact)),
      parameters(artifact) {}

Module::Implementation::~Implementation() {
  if (finished && context->tryEnter())
    context->driver.eventDestroy(finished);
}

// Every check comes before the first driver call that could have an effect.
Grid Module::Implementation::send(std::span<const NamedArgument> arguments,
                                  driver::StreamHandle stream) {
  std::lock_guard lock(mutex);
  matchArguments(artifact, arguments, matched);
  inferSizes(artifact, matched, sizes);
  for (size_t i = 0; i < tensors.size(); ++i)
    bindTensor(artifact.name, artifact.tensors[i], *matched.tensors[i],
               tensors[i]);
  checkOverlaps(artifact, tensors);
  checkBounds(artifact, sizes.values, boundNumbers);
  const Grid grid =
      computeGrid(artifact, sizes.values, kernel.residentClusters());
  context->enter();
  if (grid.blocks == 0)
    return grid;
  parameters.fill(*context, matched, sizes, tensors);
  launch(grid, stream);
  return grid;
}

void Module::Implementation::launch(const Grid &grid,
                                    driver::StreamHandle stream) {
  const LaunchConfiguration configuration(artifact, grid, stream);
  Result result = call(configuration.get());
  if (isOfWorkBefore(result))
    throw Error(artifact.where,
                concat("kernel '", artifact.name,
                       "' is not launched, as what ran before it has failed: ",
                       describe(context->driver, result)));
  if (result != Result::success)
    throw Error(artifact.where,
                concat("kernel '", artifact.name, "' on ", grid.blocks,
                       " blocks of ", artifact.threads, " threads with ",
                       artifact.sharedBytes,
                       " bytes of shared memory is refused: ",
                       describe(context->driver, result)));
}

Result Module::Implementation::call(const driver::LaunchConfig *config) {
  const DriverTable &driver = context->driver;
  if (!driver.launchOnTensors)
    return driver.launchKernelEx(config, kernel.function(),
                                 parameters.pointers(), nullptr);
  std::vector<driver::TensorPlace> places;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorContract &contract = artifact.tensors[i];
    places.push_back(
        {.name = contract.name.c_str(),
         .address = tensors[i].address,
         .elementBytes = static_cast<uint32_t>(size_bytes(contract.type)),
         .rank = static_cast<uint32_t>(tensors[i].shape.size()),
         .extents = tensors[i].shape.data(),
         .strides = tensors[i].strides.data()});
  }
  return driver.launchOnTensors(config, kernel.function(),
                                parameters.pointers(), places.data(),
                                places.size());
}

void Module::Implementation::wait(const Grid &grid,
                                  std::chrono::milliseconds limit) {
  const DriverTable &driver = context->driver;
  std::lock_guard lock(mutex);
  if (!finished)
    context->check(driver.eventCreate(&finished, driver::eventDisableTiming),
                   "creating an event");
  context->check(driver.eventRecord(finished, nullptr), "recording an event");
  Result result = pollUntil([&] { return driver.eventQuery(finished); }, limit);
  if (result == Result::notReady) {
    TimeoutError timeout(artifact.where, hangReport(artifact, grid, limit));
    context->lose(timeout.what());
    throw timeout;
  }
  if (result != Result::success)
    throw Error(artifact.where,
                concat("kernel '", artifact.name,
                       "' failed on the device: ", describe(driver, result)));
}

Module::Module(Device &device, Artifact artifact)
    : implementation(
          std::make_unique<Implementation>(device, std::move(artifact))) {}
Module::Module(Module &&) noexcept = default;
Module &Module::operator=(Module &&) noexcept = default;
Module::~Module() = default;

Module::Implementation &Module::own() const {
  return notMovedFrom(implementation, "Module");
}

/// The same error at the launch's line, which names the kernel's behind it.
template <typename Kind>
static Kind withLine(const Kind &error, const std::source_location &where) {
  return Kind({where.file_name(), where.line(), where.column()},
              error.where()
                  ? concat(error.message(),
                           " (in the kernel: ", error.where()->str(), ")")
                  : std::string(error.message()));
}

template <typename Body>
static void tellingLine(const std::source_location &where, Body body) {
  try {
    body();
  } catch (const TimeoutError &timeout) {
    if (where.line() == 0)
      throw;
    throw withLine(timeout, where);
  } catch (const Error &mistake) {
    if (where.line() == 0)
      throw;
    throw withLine(mistake, where);
  }
}

void Module::launch(std::span<const NamedArgument> arguments, Stream &stream,
                    std::source_location where) {
  tellingLine(where, [&] {
    own().send(arguments, static_cast<driver::StreamHandle>(stream.handle()));
  });
}

void Module::launch(std::initializer_list<NamedArgument> arguments,
                    Stream &stream, std::source_location where) {
  launch(std::span(arguments.begin(), arguments.size()), stream, where);
}

void Module::launch_and_wait(std::span<const NamedArgument> arguments,
                             std::chrono::milliseconds limit,
                             std::source_location where) {
  tellingLine(where, [&] {
    const Grid grid = own().send(arguments, nullptr);
    if (grid.blocks > 0)
      own().wait(grid, limit);
  });
}

void Module::launch_and_wait(std::initializer_list<NamedArgument> arguments,
                             std::chrono::milliseconds limit,
                             std::source_location where) {
  launch_and_wait(std::span(arguments.begin(), arguments.size()), limit, where);
}

const Artifact &Module::artifact() const { return own().artifact; }

} // namespace ashlar
