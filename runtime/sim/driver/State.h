// What the simulated driver holds: memory, modules, streams, events, graphs
// and what went wrong.
#pragma once

#include "runtime/sim/Simulator.h"
#include "runtime/sim/driver/SimulatorDriver.h"

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ashlar::sim {

using driver::Result;

struct LoadedModule;

/// What a FunctionHandle leads to.
struct KernelEntry {
  LoadedModule *module = nullptr;
  uint32_t index = 0; // in the program's functions
  int maxDynamicSharedBytes = 0;
  int preferredCarveout = -1;
  int schedulingPolicy = 0;
  bool nonPortableCluster = false;
  const Function &function() const;
  const ptx::Function &text() const { return *function().text; }
};

struct LoadedModule {
  std::shared_ptr<const Program> program;
  std::map<std::string, KernelEntry> kernels;
};

/// What a captured call will do.
using Work = std::function<Result()>;

/// The calls on the streams that take part in a capture.
struct Capture {
  std::vector<Work> work;
};

struct SimulatedStream {
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::shared_ptr<Capture> capture; // null: work is done at once
};

struct SimulatedEvent {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point when;
  std::shared_ptr<Capture> capture; // recorded in it
};

struct SimulatedGraph {
  std::vector<Work> work;
};

/// Objects by their address, which is the handle that a program holds: one
/// that was never given out or is destroyed leads to nothing.
template <class Object> class Handles {
public:
  template <class Handle> Handle add(std::unique_ptr<Object> object) {
    Object *address = object.get();
    objects[address] = std::move(object);
    return reinterpret_cast<Handle>(address);
  }
  template <class Handle> Object *find(Handle handle) const {
    auto found = objects.find(reinterpret_cast<const Object *>(handle));
    return found == objects.end() ? nullptr : found->second.get();
  }
  template <class Handle> bool remove(Handle handle) {
    return objects.erase(reinterpret_cast<const Object *>(handle)) > 0;
  }
  void clear() { objects.clear(); }
  template <class Visit> void forEach(Visit visit) {
    for (auto &[address, object] : objects)
      visit(*object);
  }

private:
  std::map<const Object *, std::unique_ptr<Object>> objects;
};

struct State {
  std::recursive_mutex lock; // held by each entry point
  bool initialised = false;
  std::unique_ptr<GlobalMemory> memory = std::make_unique<GlobalMemory>();
  Handles<LoadedModule> modules;
  std::map<const void *, KernelEntry *> kernels; // of all modules, by address
  Handles<SimulatedStream> streams;
  Handles<SimulatedEvent> events;
  Handles<SimulatedGraph> graphs, graphExecs;
  /// Host memory that kernels may access: a block by its bytes' address.
  std::map<const void *, std::shared_ptr<MemoryBlock>> hostBlocks;
  int primaryContextUsers = 0;
  uint64_t nextStreamId = 1, launches = 0;
  uint64_t instructions = 0; // that were executed, see Progress
  Traffic traffic;           // of first seeds, where settings() ask for it
  CopiesByLine copies;       // of first seeds
  std::shared_ptr<Trace> trace;
  std::string tracePath;

  std::vector<Report> reports; // not yet taken
  std::string failure;         // the first report's text, once a launch failed

  KernelEntry *kernel(driver::FunctionHandle handle) const;
  /// The stream, or for the default ones a stream of their own; null when the
  /// handle is none.
  SimulatedStream *stream(driver::StreamHandle handle);
  /// launchFailed once a launch has failed, as a real context is dead then.
  Result health() const;

  SimulatedStream defaultStream;
};

/// Lives as long as the process.
State &state();

/// Keeps the reason for getErrorString in this thread, and returns the code.
Result refuse(Result code, const std::string &reason);

/// Results that runtime/DriverTypes.h does not name.
inline constexpr Result invalidContext = Result(201);
inline constexpr Result noBinaryForGpu = Result(209);
inline constexpr Result fileNotFound = Result(301);
inline constexpr Result illegalState = Result(401);
inline constexpr Result cooperativeLaunchTooLarge = Result(720);
inline constexpr Result captureUnsupported = Result(900);
inline constexpr Result captureUnmatched = Result(903);
inline constexpr Result capturedEvent = Result(907);
inline constexpr Result invalidClusterSize = Result(912);

/// Handles that name the default stream: null, CU_STREAM_LEGACY (1) and
/// CU_STREAM_PER_THREAD (2).
inline bool isDefaultStream(driver::StreamHandle handle) {
  return reinterpret_cast<uintptr_t>(handle) <= 2;
}

} // namespace ashlar::sim
