#include "runtime/sim/tool/RunDescription.h"

#include "runtime/Files.h"
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/State.h"
#include "runtime/sim/tool/CheckBuffer.h"
#include "runtime/sim/tool/Npy.h"
#include "runtime/sim/tool/Strides.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>

namespace ashlar::sim::tool {
namespace {

void expect(Result result, const std::string &what) {
  if (result == Result::success)
    return;
  const char *text = nullptr;
  calls::getErrorString(result, &text);
  throw InputError((what.empty() ? "" : what + ": ") +
                   (text ? text : "driver error"));
}

driver::ModuleHandle loadModule(const std::string &path) {
  const std::vector<uint8_t> bytes = readFile(path);
  if (std::find(bytes.begin(), bytes.end(), 0) != bytes.end())
    throw InputError(path + ": is no text: the simulator executes PTX text");
  const std::string text(bytes.begin(), bytes.end());
  const size_t slash = path.rfind('/');
  driver::ModuleHandle module = nullptr;
  expect(calls::init(0), "");
  expect(calls::moduleLoadText(
             &module, text, slash == path.npos ? path : path.substr(slash + 1)),
         "");
  return module;
}

std::string kernelsOf(const LoadedModule &module) {
  std::string names;
  for (const auto &[name, kernel] : module.kernels)
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

const KernelEntry &findKernel(const LoadedModule &module,
                              const std::string &name) {
  if (module.kernels.empty())
    throw InputError("the PTX has no kernel (.entry)");
  if (name.empty() && module.kernels.size() == 1)
    return module.kernels.begin()->second;
  auto found = module.kernels.find(name);
  if (found == module.kernels.end())
    throw InputError((name.empty()
                          ? std::string("kernel: the PTX has several")
                          : "kernel: the PTX has no kernel '" + name + "'") +
                     "; choose one of " + kernelsOf(module));
  return found->second;
}

/// What a buffer is called in reports.
std::string blockName(const Buffer &buffer) {
  return "buffer " + buffer.name + " of " + std::to_string(buffer.deviceBytes) +
         " bytes";
}

std::vector<driver::DevicePointer>
allocate(const std::vector<Buffer> &buffers) {
  std::vector<driver::DevicePointer> addresses;
  for (const Buffer &buffer : buffers) {
    driver::DevicePointer &address = addresses.emplace_back(0);
    if (buffer.deviceBytes == 0)
      continue;
    const std::string where = "buffers." + buffer.name;
    try {
      address =
          state()
              .memory->allocate(buffer.deviceBytes, 512, blockName(buffer))
              ->address;
    } catch (const std::bad_alloc &) {
      throw InputError(where + ": the host has no memory for it");
    }
  }
  return addresses;
}

std::vector<uint8_t>
parameterValue(const Argument &argument,
               const std::vector<driver::DevicePointer> &addresses) {
  if (const auto *bytes = std::get_if<std::vector<uint8_t>>(&argument.value))
    return *bytes;
  if (const auto *pointer = std::get_if<PointerArgument>(&argument.value)) {
    const uint64_t address = addresses[pointer->buffer] + pointer->offsetBytes;
    std::vector<uint8_t> bytes(sizeof(address));
    std::memcpy(bytes.data(), &address, sizeof(address));
    return bytes;
  }
  const auto &described = std::get<TensorMapArgument>(argument.value);
  TensorMap map = described.map;
  map.address = addresses[described.buffer] + described.offsetBytes;
  uint64_t words[16] = {};
  if (std::optional<std::string> broken = encodeTensorMap(words, map))
    throw InputError(argument.where + ": " + *broken);
  std::vector<uint8_t> bytes(sizeof(words));
  std::memcpy(bytes.data(), words, sizeof(words));
  return bytes;
}

void fillMemory(const std::vector<Buffer> &buffers,
                const std::vector<driver::DevicePointer> &addresses) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = buffers[i];
    const std::string where = "buffers." + buffer.name;
    if (buffer.bytes.empty() || !buffer.isInitialised)
      continue;
    forEachStretch(buffer, [&](uint64_t dense, uint64_t offset, uint64_t size) {
      expect(calls::copyHostToDevice(addresses[i] + offset,
                                     buffer.bytes.data() + dense, size),
             where);
    });
    for (const Item &item : buffer.items) {
      const std::vector<uint8_t> bytes = parameterValue(item.value, addresses);
      expect(calls::copyHostToDevice(addresses[i] + item.offsetBytes,
                                     bytes.data(), bytes.size()),
             item.value.where);
    }
  }
}

/// Whether both are within what is expected of the buffer: sums that are added
/// in another order are.
bool areBothRight(const Buffer &buffer, const uint8_t *first,
                  const uint8_t *other) {
  return std::ranges::all_of(
      std::initializer_list<const uint8_t *>{first, other},
      [&](const uint8_t *memory) {
        std::vector<uint8_t> bytes(buffer.bytes.size());
        forEachStretch(
            buffer, [&](uint64_t dense, uint64_t offset, uint64_t size) {
              std::memcpy(bytes.data() + dense, memory + offset, size);
            });
        return checkBuffer(buffer, bytes).wrong == 0;
      });
}

void checkArguments(const ptx::Function &kernel,
                    const std::vector<Argument> &arguments) {
  for (size_t i = 0; i < std::min(arguments.size(), kernel.parameters.size());
       ++i) {
    const ptx::Variable &parameter = kernel.parameters[i];
    if (arguments[i].sizeBytes() != parameter.sizeBytes())
      throw InputError(arguments[i].where + ": is " + arguments[i].what +
                       " of " + std::to_string(arguments[i].sizeBytes()) +
                       " bytes; parameter '" + parameter.name + "' has " +
                       std::to_string(parameter.sizeBytes()));
  }
  if (arguments.size() != kernel.parameters.size())
    throw InputError("arguments: there are " +
                     std::to_string(arguments.size()) + "; '" + kernel.name +
                     "' has " + std::to_string(kernel.parameters.size()) +
                     " parameters (--list shows them)");
}

void launch(const KernelEntry &kernel, const Description &description,
            const std::vector<driver::DevicePointer> &addresses) {
  checkArguments(kernel.text(), description.arguments);
  std::vector<std::vector<uint8_t>> values;
  for (const Argument &argument : description.arguments)
    values.push_back(parameterValue(argument, addresses));
  std::vector<void *> pointers;
  for (std::vector<uint8_t> &value : values)
    pointers.push_back(value.data());

  // The description allows what a program would have to ask for.
  auto function = reinterpret_cast<driver::FunctionHandle>(
      const_cast<KernelEntry *>(&kernel));
  expect(calls::functionSetAttribute(
             function, driver::FunctionAttribute::maxDynamicSharedSizeBytes,
             static_cast<int>(description.sharedBytes)),
         "shared_bytes");
  expect(calls::functionSetAttribute(
             function, driver::FunctionAttribute::nonPortableClusterSizeAllowed,
             1),
         "cluster");
  driver::LaunchAttribute cluster = {};
  cluster.id = driver::LaunchAttributeId::clusterDimension;
  cluster.clusterDimension = {description.cluster.x, description.cluster.y,
                              description.cluster.z};
  driver::LaunchConfig config = {};
  config.gridX = description.grid.x;
  config.gridY = description.grid.y;
  config.gridZ = description.grid.z;
  config.blockX = description.block.x;
  config.blockY = description.block.y;
  config.blockZ = description.block.z;
  config.sharedBytes = description.sharedBytes;
  config.attributes = &cluster;
  config.attributeCount = description.clusterGiven ? 1 : 0;
  // Only these have gaps.
  std::vector<driver::TensorPlace> places;
  for (size_t i = 0; i < description.buffers.size(); ++i)
    if (const Buffer &each = description.buffers[i]; !each.strides.empty())
      places.push_back(
          {.name = each.name.c_str(),
           .address = addresses[i],
           .elementBytes = sizeBytes(each.element),
           .rank = static_cast<uint32_t>(each.shape.size()),
           .extents = reinterpret_cast<const int64_t *>(each.shape.data()),
           .strides = reinterpret_cast<const int64_t *>(each.strides.data())});
  expect(calls::launchOnTensors(&config, function, pointers.data(),
                                places.data(), places.size()),
         "the launch");
}

void save(const Buffer &buffer, const std::vector<uint8_t> &bytes) {
  const std::vector<uint8_t> content =
      buffer.save.ends_with(".npy")
          ? writeNpy(buffer.element, buffer.shape, bytes)
          : bytes;
  if (const std::string why =
          writeFileAtomically(buffer.save, std::as_bytes(std::span(content)));
      !why.empty())
    throw InputError("buffers." + buffer.name + ".save: '" + buffer.save +
                     "' can't be written: " + why);
}

} // namespace

bool Outcome::isRight() const {
  return reports.empty() && std::ranges::all_of(checks, [](const Check &c) {
           return c.isMade && c.wrong == 0;
         });
}

Outcome run(const std::string &ptxPath, const Description &description) {
  settings().keepGoing = true; // what was computed is read in any case
  driver::ModuleHandle handle = loadModule(ptxPath);
  const LoadedModule &module = *state().modules.find(handle);
  const KernelEntry &kernel = findKernel(module, description.kernel);
  const auto addresses = allocate(description.buffers);
  fillMemory(description.buffers, addresses);
  settings().mayDiffer = [&](const std::string &block, uint64_t,
                             const uint8_t *first, const uint8_t *other) {
    return std::ranges::any_of(description.buffers, [&](const Buffer &buffer) {
      return buffer.expected && blockName(buffer) == block &&
             areBothRight(buffer, first, other);
    });
  };
  const struct Restore {
    ~Restore() { settings().mayDiffer = nullptr; }
  } restore;
  const uint64_t before = state().instructions;
  launch(kernel, description, addresses);
  Outcome outcome;
  outcome.instructions = state().instructions - before;
  outcome.reports = takeReports();
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    const Buffer &buffer = description.buffers[i];
    if (!buffer.expected && buffer.save.empty())
      continue;
    std::vector<uint8_t> bytes(buffer.bytes.size());
    forEachStretch(buffer, [&](uint64_t dense, uint64_t offset, uint64_t size) {
      expect(calls::copyDeviceToHost(bytes.data() + dense,
                                     addresses[i] + offset, size),
             "buffers." + buffer.name);
    });
    if (!buffer.save.empty())
      save(buffer, bytes);
    if (!buffer.expected)
      continue;
    if (std::ranges::any_of(outcome.reports, &Report::isEnd))
      outcome.checks.push_back(
          {.buffer = buffer.name, .first = "", .isMade = false});
    else
      outcome.checks.push_back(checkBuffer(buffer, bytes));
  }
  return outcome;
}

std::string listKernels(const std::string &ptxPath) {
  const LoadedModule &module = *state().modules.find(loadModule(ptxPath));
  std::string text;
  for (const auto &[name, kernel] : module.kernels) {
    const ptx::Function &function = kernel.text();
    text += name + "\n";
    auto dimensions = [&](const char *what,
                          const std::optional<ptx::Dimensions> &d) {
      if (d)
        text += std::string("  ") + what + " " + std::to_string(d->x) + ", " +
                std::to_string(d->y) + ", " + std::to_string(d->z) + "\n";
    };
    dimensions(".reqntid", function.requiredThreads);
    dimensions(".maxntid", function.maximumThreads);
    dimensions(".reqnctapercluster", function.requiredCluster);
    for (const ptx::Variable &parameter : function.parameters) {
      text += "  " + std::string(ptx::name(parameter.type));
      if (parameter.elements != 1)
        text += "[" + std::to_string(parameter.elements) + "]";
      text += " " + parameter.name + ": " +
              std::to_string(parameter.sizeBytes()) + " bytes\n";
    }
  }
  return text;
}

} // namespace ashlar::sim::tool
