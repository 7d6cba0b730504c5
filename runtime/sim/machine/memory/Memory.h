// Memory that kernels access: bytes, which of them have been written, and who
// accessed them last.
#pragma once

#include "runtime/sim/machine/Report.h"
#include "runtime/sim/machine/races/Clock.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace ashlar::sim {

class Instruction;
class Shadow;
class StageRounds;
class TensorBounds;

enum class AccessKind : uint8_t { read, write, readWrite };

/// Weak accesses race with any other; strong ones (relaxed, acquire, release,
/// volatile, atomic) do not with strong ones whose scope includes them.
enum class Scope : uint8_t { weak, cta, cluster, gpu, system };

/// What a strong access does to the order of others.
enum class Order : uint8_t { relaxed, acquire, release, acquireRelease };
inline bool isAcquire(Order order) {
  return order == Order::acquire || order == Order::acquireRelease;
}
inline bool isRelease(Order order) {
  return order == Order::release || order == Order::acquireRelease;
}

/// Who accesses memory, and what it knows.
struct Accessor {
  AgentId agent;
  Epoch epoch = 0;
  /// The threads behind it, for messages: the warp that executes or issued it.
  uint32_t cta = 0;  // linear index in the grid
  uint32_t warp = 0; // in its CTA
  uint8_t lane = 0;
  bool asynchronous = false; // through the asynchronous proxy
  /// The accesses of one lane are ordered among each other, as a thread's are;
  /// an engine's are not.
  bool inProgramOrder = false;
  Scope scope = Scope::weak;
  /// Not 0: it reads the tensor map at this generic address, for TMA.
  uint64_t tensorMap = 0;
  /// Valid until the warp learns or publishes something: operations that
  /// outlive the instruction keep a copy of Warp::causality.
  const Causality *causality = nullptr;
  const Instruction *instruction = nullptr;
  /// Of a store: whether what the lane writes to these bytes of the block is
  /// there already. Unordered stores of the same leave it whatever their order,
  /// and are no race; who reads it must be ordered after all of them. Null: not
  /// known.
  const std::function<bool(unsigned lane, uint64_t offset, uint64_t sizeBytes)>
      *changesNothing = nullptr;
};

/// An access that was made earlier, as the race detector remembers it.
struct PastAccess {
  AgentId agent;
  Epoch epoch = 0;
  uint32_t cta = 0, warp = 0;
  uint8_t lane = 0;
  bool asynchronous = false, isWrite = false;
  Scope scope = Scope::weak;
  const Instruction *instruction = nullptr;
};

/// Bytes of a block.
struct Stretch {
  uint64_t offset = 0, size = 0;
};

struct FreeZeros {
  size_t mappedBytes = 0; // 0: they are from the heap
  void operator()(void *memory) const;
};
/// Zeros that cost no memory until they are touched.
template <class T> using Zeros = std::unique_ptr<T[], FreeZeros>;
/// Throws std::bad_alloc.
Zeros<std::byte> zeroBytes(uint64_t count);

/// One stretch of memory: a global allocation, a CTA's shared memory, a
/// thread's local memory, the constants, a kernel's parameters.
class MemoryBlock {
public:
  enum class Kind : uint8_t { global, shared, local, constant, parameter };

  /// `address` is that of its first byte in its space. `tracked`: initialised
  /// bytes and races are tracked; else all counts as initialised.
  MemoryBlock(Kind kind, std::string name, uint64_t address, uint64_t sizeBytes,
              bool tracked);
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock &) = delete;
  MemoryBlock &operator=(const MemoryBlock &) = delete;

  const Kind kind;
  const std::string name; // "global allocation of 4096 bytes", "shared memory"
  const uint64_t address;
  uint64_t sizeBytes; // 0 when it was freed
  uint32_t cta = 0;   // whose shared memory it is: linear index in the grid

  uint8_t *data() { return bytes.get(); }
  const uint8_t *data() const { return bytes.get(); }
  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= sizeBytes && size <= sizeBytes - offset;
  }

  /// Gives its memory back: no access is within it any more.
  void release();
  bool isFreed() const { return !bytes; }

  /// Marks bytes as written by the host or before the kernel started.
  void setInitialised(uint64_t offset, uint64_t size);
  /// The first byte in [offset, offset + size) that is not initialised, or
  /// offset + size.
  uint64_t firstUninitialised(uint64_t offset, uint64_t size) const;

  /// A conflict: the earlier access is not ordered before this one, or only
  /// lacks a proxy fence.
  struct Conflict {
    PastAccess earlier;
    uint8_t lane = 0;    // of this access
    uint64_t offset = 0; // of the first byte concerned
    bool lacksProxyFence = false;
  };
  using OnConflict = std::function<void(const Conflict &)>;

  /// Checks an access of the bytes against the earlier ones and remembers it.
  /// A write marks the bytes as initialised. Reports each conflicting earlier
  /// access once per call. The caller holds the lock of a global block.
  void track(AccessKind kind, uint64_t offset, uint64_t size,
             const Accessor &accessor, const OnConflict &onConflict);
  /// One read of several stretches.
  void trackReads(std::span<const Stretch> stretches, const Accessor &accessor,
                  const OnConflict &onConflict);
  /// The same access by several lanes of the accessor at once.
  void track(AccessKind kind, uint64_t offset, uint64_t size, LaneMask lanes,
             const Accessor &accessor, const OnConflict &onConflict);

  /// Lanes that access neighbouring elements of a power of two of bytes: lane 0
  /// at `offset` if it is one of them, the others behind it.
  void trackInLine(AccessKind kind, uint64_t offset, unsigned elementBytes,
                   LaneMask lanes, const Accessor &accessor,
                   const OnConflict &onConflict);

  /// The bytes lose their value (discard): they count as not initialised.
  void setUninitialised(uint64_t offset, uint64_t size);

  /// Kernels only read here, so that races are not looked for until one of
  /// them does write.
  void setReadOnly(bool value);
  bool isReadOnly() const { return readOnly.load(std::memory_order_relaxed); }

  /// Of a CTA's shared memory, where stages of pipelines lie in it; else null.
  std::shared_ptr<StageRounds> stages;

  /// Of global memory, in a launch that tells of the tensors in it; else null.
  std::shared_ptr<const TensorBounds> tensors;

  /// Forgets all earlier accesses: at the start of a launch.
  void forgetAccesses();

  /// The bytes and which of them are initialised, to be put back before the
  /// same launch is executed under another seed.
  struct Image {
    std::vector<uint8_t> bytes;
    std::vector<uint64_t> initialised;
  };
  Image image() const;
  void restore(const Image &image);

private:
  bool isTracked(AccessKind accessKind);
  Zeros<uint8_t> bytes;
  Zeros<uint64_t> initialised;    // one bit a byte; or null
  std::unique_ptr<Shadow> shadow; // or null
  std::atomic<bool> readOnly = false;
};

} // namespace ashlar::sim
