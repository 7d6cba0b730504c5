#include "runtime/sim/instructions/control/Builtins.h"

#include "runtime/sim/instructions/control/PrintFormat.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <cstdio>
#include <cstring>
#include <new>

namespace ashlar::sim {

namespace {

/// CUDA's default for the heap of device code (cudaLimitMallocHeapSize).
constexpr uint64_t heapBytes = 8 << 20;
constexpr const char *heapName = "device heap";
constexpr size_t maxTextBytes = 64 << 10;

/// A call by one lane.
struct BuiltinCall {
  Warp &warp;
  unsigned lane;
  const std::vector<uint8_t> &parameters;
  std::vector<uint8_t> &result;

  /// A parameter at its byte offset.
  template <class Value> Value parameter(size_t offset) const {
    Value value{};
    if (offset + sizeof value > parameters.size())
      warp.stop(Finding::other,
                "a function of the system is called with too few parameters: "
                "declare it as CUDA does",
                "calls it", static_cast<int>(lane));
    std::memcpy(&value, parameters.data() + offset, sizeof value);
    return value;
  }
  template <class Value> void setResult(Value value) const {
    result.resize(sizeof value);
    std::memcpy(result.data(), &value, sizeof value);
  }
  uint64_t load(uint64_t address, unsigned sizeBytes) const {
    uint64_t values[warpLanes] = {};
    LaneAddresses addresses{};
    addresses[lane] = address;
    warp.load(LaneMask(1) << lane, ptx::StateSpace::generic, addresses,
              sizeBytes, values, sizeof values[0]);
    return values[lane];
  }
  std::string text(uint64_t address) const {
    std::string text;
    if (!address)
      return "(null)";
    while (text.size() < maxTextBytes) {
      const auto character = static_cast<char>(load(address + text.size(), 1));
      if (!character)
        break;
      text += character;
    }
    return text;
  }
};

void print(BuiltinCall call) {
  const auto format = call.parameter<uint64_t>(0);
  const auto buffer = call.parameter<uint64_t>(8);
  PrintMemory memory;
  memory.argument = [&](uint64_t offset, unsigned sizeBytes) {
    return call.load(buffer + offset, sizeBytes);
  };
  memory.text = [&](uint64_t address) { return call.text(address); };
  int count = 0;
  const std::string text = formatPrint(call.text(format), memory, count);
  Launch &launch = call.warp.cluster.launch;
  {
    std::lock_guard held(launch.printing);
    if (launch.options.print)
      launch.options.print(text);
    else
      std::fwrite(text.data(), 1, text.size(), stdout);
  }
  call.setResult<int32_t>(count);
}

void failAssertion(BuiltinCall call) {
  const std::string message = call.text(call.parameter<uint64_t>(0));
  const std::string file = call.text(call.parameter<uint64_t>(8));
  const auto line = call.parameter<uint32_t>(16);
  const std::string function = call.text(call.parameter<uint64_t>(24));
  call.warp.stop(Finding::assertion,
                 "assertion '" + message + "' failed in " + function + " (" +
                     file + ":" + std::to_string(line) + ")",
                 "asserts it", static_cast<int>(call.lane));
}

/// What an allocation takes of the heap.
uint64_t heapTaken(uint64_t sizeBytes) { return (sizeBytes + 15) / 16 * 16; }

void allocate(BuiltinCall call) {
  const auto sizeBytes = call.parameter<uint64_t>(0);
  uint64_t address = 0; // null: the heap is used up
  GlobalMemory &memory = call.warp.cluster.launch.memory;
  std::lock_guard held(memory.lock);
  if (sizeBytes && sizeBytes <= heapBytes &&
      heapTaken(sizeBytes) <= heapBytes - memory.heapBytes) {
    try {
      address = memory.allocate(sizeBytes, 16, heapName)->address;
      memory.heapBytes += heapTaken(sizeBytes);
    } catch (const std::bad_alloc &) {
      address = 0;
    }
  }
  call.setResult<uint64_t>(address);
}

void release(BuiltinCall call) {
  const auto address = call.parameter<uint64_t>(0);
  if (!address)
    return;
  GlobalMemory &memory = call.warp.cluster.launch.memory;
  std::unique_lock held(memory.lock);
  const MemoryBlock *block = memory.find(address);
  if (block && block->address == address && block->name == heapName) {
    memory.heapBytes -= heapTaken(block->sizeBytes);
    memory.freeInKernel(address);
    return;
  }
  held.unlock();
  call.warp.stop(Finding::outOfBounds,
                 "free is given an address that device malloc did not return, "
                 "or that was freed before",
                 "frees it", static_cast<int>(call.lane));
}

struct Builtin {
  std::string_view name;
  void (*call)(BuiltinCall);
};

constexpr Builtin builtins[] = {
    {"vprintf", print},
    {"__assertfail", failAssertion},
    {"malloc", allocate},
    {"free", release},
};

} // namespace

bool isBuiltin(std::string_view name) {
  for (const Builtin &builtin : builtins)
    if (builtin.name == name)
      return true;
  return false;
}

void callBuiltin(
    Warp &warp, LaneMask active, std::string_view name,
    const std::array<std::vector<uint8_t>, warpLanes> &parameterBytes,
    std::array<std::vector<uint8_t>, warpLanes> &resultBytes) {
  for (const Builtin &builtin : builtins)
    if (builtin.name == name)
      forEachLane(active, [&](unsigned lane) {
        builtin.call({warp, lane, parameterBytes[lane], resultBytes[lane]});
      });
}

} // namespace ashlar::sim
