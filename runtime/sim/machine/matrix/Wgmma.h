// wgmma while it runs (PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Operations"): the products that a warp has issued, the
// groups they were committed in, the registers they own, and the fences.
//
// Each warp of the warpgroup computes its own 16 of the 64 rows. The products
// of a warp are executed in order, each at any time between its issue and the
// first wait of the warpgroup that covers its group: a wait of one warp has all
// four warps' reads of shared memory behind it, as measured on an H100. The
// registers stay the warp's own until its own wait.
#pragma once

#include "runtime/sim/machine/Asynchronous.h"
#include "runtime/sim/machine/Instruction.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/matrix/MatrixType.h"

#include <deque>
#include <memory>
#include <vector>

namespace ashlar::sim {

/// A half-open range of offsets in the register file.
struct RegisterRange {
  uint32_t begin = 0, end = 0;
  bool operator==(const RegisterRange &) const = default;
};

/// The registers' ranges, sorted, neighbours joined.
std::vector<RegisterRange> rangesOf(const std::vector<Slot> &registers);
bool overlap(const std::vector<RegisterRange> &a,
             const std::vector<RegisterRange> &b);

/// A wgmma.mma_async instruction: 64 x n x k.
struct WgmmaForm {
  MatrixType typeA = MatrixType::f16, typeB = MatrixType::f16;
  MatrixType typeD = MatrixType::f32;
  unsigned n = 0, k = 0;
  bool transposeA = false, transposeB = false; // MN-major
  bool negate = false;   // of the products: imm-scale-a times imm-scale-b
  bool saturate = false; // .satfinite
  bool sparse = false;   // wgmma.mma_async.sp: half of A is stored
  unsigned selector = 0; // of the lanes that contribute metadata
  Slot metadata;
  std::vector<Slot> d, a; // `a` is empty when A lies in shared memory
  std::vector<RegisterRange> rangesD, rangesA; // metadata counts as A
  /// Instructions that write registers of A or D, or what is copied to them,
  /// in straight-line code before this instruction, with no wgmma.fence
  /// between.
  std::vector<const Instruction *> writersSinceFence;
};

/// One issued product.
class WgmmaOperation : public AsynchronousOperation {
public:
  /// Finds the operands in shared memory; a finding ends the launch where they
  /// lie outside of it.
  WgmmaOperation(Warp &warp, const WgmmaForm &form, uint64_t descriptorA,
                 uint64_t descriptorB, bool accumulate);

  /// Executes the products of the warp up to this one.
  bool proceed(Cluster &cluster, std::mt19937_64 &random) override;
  std::string describe() const override;
  void execute();

  Warp &warp;
  const WgmmaForm &form;
  const Instruction *const instruction;
  Epoch group = 0; // the group it is committed in, from 1
  Accessor accessor;
  Causality causality;

private:
  void findChunks(std::vector<uint32_t> &chunks, uint64_t bits, bool kMajor,
                  unsigned first, unsigned count, unsigned depth,
                  const char *operand);
  void readShared(const std::vector<uint32_t> &chunks, uint8_t *out);
  void track(const std::vector<uint32_t> &chunks);
  /// The 16 rows of A, as packed elements, with the zeros of a sparse A.
  void gatherA(uint8_t *out);
  template <class T> const T *widenedB();
  template <class T> void multiply();
  void multiplyBits();

  const uint64_t descriptorB;
  const bool accumulate;                  // else D starts from zero
  std::vector<uint32_t> chunksA, chunksB; // shared addresses of 16 bytes each
};

/// A warp's wgmma groups: Warp::state<WgmmaGroups>().
class WgmmaGroups {
public:
  static WgmmaGroups &of(Warp &warp);

  void fence(Warp &warp);
  void issue(Warp &warp, const WgmmaForm &form, uint64_t descriptorA,
             uint64_t descriptorB, bool accumulate);
  void commit(Warp &warp);
  /// Waits until at most `pending` of the latest groups are under way; blocks
  /// until all four warps have committed the others.
  Step wait(Warp &warp, uint32_t pending);
  /// Executes what was issued, up to and including the operation.
  void executeThrough(const WgmmaOperation &last);

private:
  /// Registers that products use until their last group is waited for.
  struct Use {
    const std::vector<RegisterRange> *ranges = nullptr;
    bool isAccumulator = false;
    Epoch lastGroup = 0;
    const Instruction *owner = nullptr;
  };
  /// What registers held when a product was last done with them.
  struct Held {
    const std::vector<RegisterRange> *ranges = nullptr;
    uint64_t fences = 0; // executed until then
    std::vector<std::byte> values;
  };
  void checkFence(Warp &warp, const WgmmaForm &form);
  void checkHeld(Warp &warp, const std::vector<RegisterRange> &ranges,
                 const char *what);
  void hold(Warp &warp, const std::vector<RegisterRange> &ranges);
  void use(Warp &warp, const std::vector<RegisterRange> &ranges,
           bool isAccumulator);
  void checkExit(Warp &warp);
  void checkWarpgroup(Warp &warp, uint64_t a = 0, uint64_t b = 0);
  /// Executes the groups, of which the warp that waits learns.
  void completeReads(Warp &waiting, Epoch through);
  Step waitForWarp(Warp &warp, const Warp &other, Epoch group);

  bool isSet = false;
  AgentId agent;
  Epoch committed = 0; // groups
  Epoch completed = 0;
  bool openGroup = false; // something was issued since the last commit
  bool isBlocked = false; // in a wait
  uint64_t fences = 0;
  std::deque<std::shared_ptr<WgmmaOperation>> pending; // not yet executed
  std::vector<Use> uses;
  std::vector<Held> held;
  std::vector<std::pair<Epoch, uint64_t>> traced; // group, number of the trace
};

/// The wgmma instructions that the warps of a warpgroup execute, in order:
/// each warp must execute the same ones, with the same descriptors. Kept by
/// the first warp.
class WarpgroupSequence {
public:
  /// Reports when the warp departs from what others of its warpgroup did.
  void note(Warp &warp, uint64_t a, uint64_t b);
  void checkExit(Warp &warp);

private:
  struct Entry {
    const Instruction *instruction = nullptr;
    uint64_t a = 0, b = 0;
  };
  void report(Warp &warp, const Entry &other);
  std::deque<Entry> entries; // those that not all warps have executed
  uint64_t first = 0;        // number of entries.front()
  std::array<uint64_t, 4> executed{};
  bool reported = false;
};

} // namespace ashlar::sim
