// A kernel launch: a grid of clusters, executed over the available cores.
#pragma once

#include "runtime/sim/machine/CopiesByLine.h"
#include "runtime/sim/machine/Notes.h"
#include "runtime/sim/machine/Program.h"
#include "runtime/sim/machine/Progress.h"
#include "runtime/sim/machine/Report.h"
#include "runtime/sim/machine/memory/Memory.h"
#include "runtime/sim/machine/memory/Signals.h"
#include "runtime/sim/machine/memory/TensorBounds.h"
#include "runtime/sim/machine/races/Publications.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ashlar::sim {

class GlobalMemory;
class Trace;
struct Traffic;

struct LaunchOptions {
  uint64_t seed = 0;
  unsigned hostThreads = 0; // 0: as many as there are cores
  size_t maxReports = 20;
  const Ignored *ignored = nullptr; // findings that are not kept; null: none
  /// That the warps of a cluster may execute, all together; 0: any number.
  uint64_t maxInstructions = 0;
  /// After which the launch is ended with a report; 0: never.
  std::chrono::milliseconds timeLimit{0};
  /// Where %printf output goes; standard output when null.
  std::function<void(const std::string &)> print;
  std::shared_ptr<Trace> trace; // null: none
  /// Of an allocation with one of these in it the kernel may access nothing
  /// else.
  std::vector<Tensor> tensors;
  Progress *progress = nullptr;   // null: nobody asks
  Traffic *traffic = nullptr;     // to which the launch's is added; null: none
  CopiesByLine *copies = nullptr; // the same
};

struct LaunchShape {
  ptx::Dimensions grid, block, cluster;
  uint32_t dynamicSharedBytes = 0;
};

/// Limits of the machine that is simulated (an H200's).
inline constexpr uint32_t maxSharedBytes = 232448; // per CTA, without reserved
inline constexpr uint32_t maxThreads = 1024;
inline constexpr uint32_t registersPerSm = 65536;
inline constexpr uint32_t mostSms = 132;
/// Multiprocessors. Made fewer before a device is opened, they stay so until it
/// is closed.
inline uint32_t smCount = mostSms;

class Launch {
public:
  Launch(const Program &program, uint32_t kernel, const LaunchShape &shape,
         std::vector<uint8_t> parameters, GlobalMemory &memory,
         const LaunchOptions &options);
  ~Launch();

  const Program &program;
  const Function &kernel;
  const LaunchShape shape;
  const LaunchOptions options;
  GlobalMemory &memory;
  MemoryBlock parameters;
  Reporter reporter;
  const Notes notes; // of the kernel
  uint32_t clusterCount() const;

  /// Executes all clusters. The reports are empty when nothing was found.
  std::vector<Report> run();

  /// Source and text of an instruction, for sites.
  std::string sourceOf(const Instruction *instruction) const;
  std::string textOf(const Instruction *instruction) const;
  /// "Done[3]" where the notes name a tensor there, else "".
  std::string tensorElementAt(uint64_t address) const;
  /// The role that a warp of a CTA plays, from the notes; "" when none is told.
  std::string roleOf(uint32_t warp) const;

  /// What strong accesses to global memory have published; guarded by its lock.
  Publications publications;
  /// Who has changed what others may wait for; guarded by the same.
  Signals signals;
  /// Held while %printf output goes out.
  std::mutex printing;

  /// Adds what a cluster has executed since it last told.
  void addInstructions(uint64_t count) {
    if (options.progress)
      options.progress->instructions.fetch_add(count,
                                               std::memory_order_relaxed);
  }

  /// Adds what a cluster has moved, when it is over.
  void addTraffic(const Traffic &traffic);

  /// Counts a box that TMA copies.
  void addCopy(const Instruction *instruction, bool isOutside);

  /// Grows whenever anything changes that another thread could wait for.
  std::atomic<uint64_t> changes = 0;

  /// Whether clusters must stop: the launch has ended, or its time is up.
  bool isOver();

private:
  std::atomic<bool> over = false;
  std::chrono::steady_clock::time_point deadline;
  std::mutex adding;
  struct Scheduler;
};

/// Device memory: allocations by address, guarded by one lock while kernels
/// run.
class GlobalMemory {
public:
  /// Throws std::bad_alloc when the host has no more.
  std::shared_ptr<MemoryBlock> allocate(uint64_t sizeBytes,
                                        uint64_t alignment = 512,
                                        const std::string &name = "");
  /// False when nothing was allocated at the address.
  bool free(uint64_t address);
  /// The same while kernels run. Copies under way may still refer to the
  /// block: it is kept, released, until the next launch.
  bool freeInKernel(uint64_t address);
  /// The block that holds the address; null when none does. Blocks are apart
  /// from each other, so that running past one's end is noticed.
  MemoryBlock *find(uint64_t address);
  /// The nearest block that begins before the address, for messages.
  MemoryBlock *nearest(uint64_t address);
  void forgetAccesses();
  /// Allocations with a tensor in them have no bytes but its elements, and
  /// those of others that are told.
  void setTensors(const std::vector<Tensor> &tensors);
  /// Every block, by address.
  std::vector<std::shared_ptr<MemoryBlock>> all() const {
    std::vector<std::shared_ptr<MemoryBlock>> result;
    for (const auto &[address, block] : blocks)
      result.push_back(block);
    return result;
  }
  mutable std::recursive_mutex lock;
  uint64_t heapBytes = 0; // that kernels have allocated (malloc)

private:
  std::map<uint64_t, std::shared_ptr<MemoryBlock>> blocks;
  uint64_t next = 0x7f00'0000'0000;
  std::vector<std::shared_ptr<MemoryBlock>> freed; // by kernels
};

} // namespace ashlar::sim
