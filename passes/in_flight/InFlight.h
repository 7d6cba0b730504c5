// What of wgmma is in flight at a point of a role.
//
// Groups of wgmma end in the order in which they were committed, and a wait
// leaves as many of the youngest unfinished as it says. So it is enough to
// know, of each thing that a group in flight writes or reads, how many groups
// were committed after it: at least, over all ways to the point.
#ifndef ASHLAR_PASSES_INFLIGHT_INFLIGHT_H
#define ASHLAR_PASSES_INFLIGHT_INFLIGHT_H

#include "compiler/hopper/Hopper.h"

#include <optional>

namespace ashlar {

/// What a group writes, an accumulator, or reads: registers of A, the stage of
/// a ring, or a buffer outside of rings by the offset of its first byte.
struct Resource {
  mlir::Value value; ///< accumulator or stage; null for a buffer
  int64_t buffer = 0;
  static constexpr int64_t anyBuffer = -1;

  bool operator==(const Resource &) const = default;
  bool isAccumulator() const {
    return value && mlir::isa<hopper::AccumulatorType>(value.getType());
  }
  bool isBuffer() const { return !value; }
  /// Whether both may be the same memory.
  bool mayBe(const Resource &other) const;
};

/// The memory that a view looks at, or the registers that an operand is.
Resource resourceOf(mlir::Value operand);

/// Something that is in flight.
struct Pending {
  Resource resource;
  /// Groups committed after its own, at least; `open` before its own is.
  int64_t younger = open;
  /// The wgmma that issued it, on one way or another.
  llvm::SmallVector<mlir::Operation *, 2> issuers;

  static constexpr int64_t open = -1;
  bool operator==(const Pending &) const = default;
};

/// All that is in flight at a point.
class InFlightState {
public:
  const llvm::SmallVector<Pending, 8> &pending() const { return all; }
  const Pending *find(const Resource &resource) const;

  void issue(hopper::WgmmaOp wgmma);
  void commit();
  void wait(int64_t pending);
  /// Forgets the stages that are taken in a region.
  void leave(mlir::Region &region);
  /// Where two ways meet. Whether it says more than before.
  bool join(const InFlightState &other);

  void insert(const Pending &entry);

private:
  llvm::SmallVector<Pending, 8> all;
};

/// What an operation needs complete before it.
struct Need {
  bool releases; ///< whether `hopper.release` does
  llvm::SmallVector<Pending> of(mlir::Operation *op,
                                const InFlightState &state) const;
};

/// Whether what is written is next multiplied with in a loop: for ptxas nothing
/// may be in flight then.
bool beginsLoop(hopper::AccumulatorWriteOp write);

/// How many groups may be left in flight before an operation: the most that its
/// needs allow, or that ptxas understands. Nothing where it needs no wait.
std::optional<int64_t> groupsLeft(mlir::Operation *op,
                                  const InFlightState &state, Need need);

/// Computes what is in flight before each operation of a kernel's roles.
/// Planning, each operation waits for what it needs; verifying, only
/// `hopper.wgmma.wait` does.
class InFlight {
public:
  struct Plan {
    bool waits;    ///< each operation waits for what it needs
    bool releases; ///< among them `hopper.release`
  };
  explicit InFlight(Plan plan);
  ~InFlight();
  const InFlightState &before(mlir::Operation *op) const;
  const InFlightState &atEnd(hopper::RoleOp role) const;
  /// The wait that an operation of the plan has before it.
  std::optional<int64_t> groupsLeft(mlir::Operation *op) const;
  /// To be told when a role changes.
  void forget(hopper::RoleOp role);

private:
  class Flow;
  /// Of a role, which is worked out when it is first asked for.
  const Flow &of(hopper::RoleOp role) const;

  Plan plan;
  mutable llvm::DenseMap<mlir::Operation *, std::unique_ptr<Flow>> flows;
};

} // namespace ashlar

#endif
