// Launches: what the caller gives becomes a parameter block and a shape.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/Execution.h"
#include "runtime/sim/driver/LaunchShapes.h"
#include "runtime/sim/driver/State.h"
#include "runtime/sim/machine/copies/TensorMap.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim::calls {
namespace {

// What stands before each value of `extra`.
const auto launchParametersPointer = reinterpret_cast<void *>(uintptr_t(1));
const auto launchParametersSize = reinterpret_cast<void *>(uintptr_t(2));

Result parametersFromExtra(const KernelEntry &kernel, void **extra,
                           std::vector<uint8_t> &block) {
  const void *bytes = nullptr;
  size_t size = 0;
  for (; *extra; extra += 2)
    if (extra[0] == launchParametersPointer)
      bytes = extra[1];
    else if (extra[0] == launchParametersSize)
      size = *static_cast<const size_t *>(extra[1]);
    else
      return refuse(Result::invalidValue,
                    "an entry of `extra` is neither the parameters' pointer "
                    "nor their size");
  const size_t needed = kernel.function().parameterBytes;
  if (size < needed || (size && !bytes))
    return refuse(Result::invalidValue,
                  "the parameters of '" + kernel.text().name + "' take " +
                      std::to_string(needed) + " bytes; `extra` gives " +
                      std::to_string(size));
  block.resize(needed);
  if (needed)
    std::memcpy(block.data(), bytes, needed);
  return Result::success;
}

Result parametersFromArray(const KernelEntry &kernel, void **parameters,
                           std::vector<uint8_t> &block) {
  const Function &function = kernel.function();
  const std::vector<ptx::Variable> &declared = kernel.text().parameters;
  block.assign(function.parameterBytes, 0);
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!parameters || !parameters[i])
      return refuse(Result::invalidValue,
                    "'" + kernel.text().name + "' has " +
                        std::to_string(declared.size()) +
                        " parameters; there is no value for number " +
                        std::to_string(i) + ", '" + declared[i].name + "'");
    std::memcpy(block.data() + function.parameterBlockOffsets[i], parameters[i],
                declared[i].sizeBytes());
  }
  return Result::success;
}

Result launch(const LaunchConfig *config, FunctionHandle function,
              void **parameters, void **extra, std::vector<Tensor> tensors) {
  State &all = state();
  std::lock_guard lock(all.lock);
  const KernelEntry *kernel = all.kernel(function);
  if (!kernel)
    return refuse(Result::invalidHandle, "there is no such function");
  if (!config)
    return Result::invalidValue;
  RequestedShape requested;
  if (Result result = readShape(*kernel, *config, requested);
      result != Result::success)
    return result;
  if (parameters && extra)
    return refuse(Result::invalidValue,
                  "both `kernelParams` and `extra` are given");
  PreparedLaunch launch;
  launch.program = kernel->module->program;
  launch.kernel = kernel->text().name;
  launch.shape = requested.shape;
  launch.tensors = std::move(tensors);
  if (Result result =
          extra ? parametersFromExtra(*kernel, extra, launch.parameters)
                : parametersFromArray(*kernel, parameters, launch.parameters);
      result != Result::success)
    return result;
  Result result = perform(
      config->stream, [launch = std::move(launch)] { return execute(launch); });
  for (EventHandle event : requested.eventsToRecord)
    if (result == Result::success)
      result = eventRecord(event, config->stream);
  return result;
}

} // namespace

Result launchKernelEx(const LaunchConfig *config, FunctionHandle function,
                      void **parameters, void **extra) {
  return launch(config, function, parameters, extra, {});
}

Result launchOnTensors(const LaunchConfig *config, FunctionHandle function,
                       void **parameters, const TensorPlace *tensors,
                       size_t tensorCount) {
  std::vector<Tensor> told;
  for (const TensorPlace &each : std::span(tensors, tensorCount))
    told.push_back({.name = each.name,
                    .address = each.address,
                    .elementBytes = each.elementBytes,
                    .extents = {each.extents, each.extents + each.rank},
                    .strides = {each.strides, each.strides + each.rank}});
  return launch(config, function, parameters, nullptr, std::move(told));
}

Result tensorMapEncodeTiled(
    driver::TensorMap *map, TensorMapDataType type, uint32_t rank,
    void *address, const uint64_t *extents, const uint64_t *strideBytes,
    const uint32_t *box, const uint32_t *elementStrides,
    TensorMapInterleave interleave, TensorMapSwizzle swizzle,
    TensorMapL2Promotion promotion, TensorMapOutOfBoundsFill fill) {
  if (!map || !extents || !box || !elementStrides || (rank > 1 && !strideBytes))
    return refuse(Result::invalidValue,
                  "the map, the extents, the strides, the box or the element "
                  "strides are null");
  if (rank < 1 || rank > maxTensorRank)
    return refuse(Result::invalidValue, "the rank is " + std::to_string(rank) +
                                            "; a tensor map has 1 to 5");
  sim::TensorMap fields;
  fields.element = static_cast<uint32_t>(type);
  fields.rank = rank;
  fields.address = reinterpret_cast<uintptr_t>(address);
  std::copy_n(extents, rank, fields.extents.begin());
  if (rank > 1)
    std::copy_n(strideBytes, rank - 1, fields.strideBytes.begin());
  std::copy_n(box, rank, fields.box.begin());
  std::copy_n(elementStrides, rank, fields.elementStrides.begin());
  fields.interleave = static_cast<uint32_t>(interleave);
  fields.swizzle = static_cast<uint32_t>(swizzle);
  fields.l2Promotion = static_cast<uint32_t>(promotion);
  fields.fill = static_cast<uint32_t>(fill);
  if (std::optional<std::string> broken = encodeTensorMap(map->opaque, fields))
    return refuse(Result::invalidValue, *broken);
  return Result::success;
}

} // namespace ashlar::sim::calls
