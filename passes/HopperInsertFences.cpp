// hopper-insert-fences: every generic write that an asynchronous reader sees,
// or writer follows, and every generic read that an asynchronous writer
// follows, is fenced, and no more.
//
// wgmma and TMA use shared memory through the asynchronous proxy (PTX ISA,
// "Async proxy"). A thread's own stores are fenced before it next tells another
// thread of them, its loads of a stage before its warp releases it (without it,
// TMA overwrites what loads that were issued before the release have not read
// yet); cp.async writes complete without their thread, so the reader fences
// after it has waited for them. So it does with other copies to a stage, which
// lets their threads go on to the next one.

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/SharedBuffer.h"

#include "llvm/ADT/DenseSet.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERINSERTFENCES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct Buffers {
  void insert(Value address) {
    if (auto buffer = bufferOf(address))
      known.insert(*buffer);
    else
      isAny = true;
  }
  /// Or may contain.
  bool contains(Value address) const {
    auto buffer = bufferOf(address);
    return isAny || (buffer ? known.contains(*buffer) : !known.empty());
  }

private:
  llvm::DenseSet<int64_t> known;
  bool isAny = false;
};

/// Accesses that no fence is behind.
struct Unfenced {
  bool written = false, read = false;

  bool any() const { return written || read; }
  bool has(Unfenced other) const {
    return (written || !other.written) && (read || !other.read);
  }
  Unfenced &operator|=(Unfenced other) {
    written |= other.written;
    read |= other.read;
    return *this;
  }
};

class Fences {
public:
  explicit Fences(hopper::KernelOp kernel) {
    kernel.walk([&](Operation *op) {
      for (Value address : readBy(op))
        used.insert(address);
      if (auto load = dyn_cast<hopper::TmaLoadOp>(op)) {
        used.insert(load.getAddress());
        overwritten.insert(load.getAddress());
      } else if (auto copy = dyn_cast<hopper::CopyToPeerOp>(op)) {
        used.insert(copy.getTarget());
        overwritten.insert(copy.getTarget());
        arePeersCopiedTo = true;
      } else if (auto store = dyn_cast<hopper::SharedStoreOp>(op)) {
        reachesPeers |= store.getPeer();
      } else if (auto load = dyn_cast<hopper::SharedLoadOp>(op)) {
        reachesPeers |= load.getPeer();
      } else if (auto copy = dyn_cast<hopper::CopyTileOp>(op)) {
        if (isFencedByReaders(copy))
          landing.insert(copy.getTarget());
      }
    });
  }

  void run(hopper::RoleOp role) {
    hasReader = false;
    role.walk([&](Operation *op) {
      hasReader |= llvm::any_of(
          readBy(op), [&](Value address) { return landing.contains(address); });
    });
    run(role.getBody().front(), {});
  }

private:
  /// Whether nobody fences the copy but who has waited for its stage.
  static bool isFencedByReaders(hopper::CopyTileOp copy) {
    auto view = copy.getTarget().getDefiningOp<hopper::ViewOp>();
    return copy.isAsync() || (view && view.getStage());
  }

  /// What an operation reads by the asynchronous proxy.
  static SmallVector<Value> readBy(Operation *op) {
    if (auto store = dyn_cast<hopper::TmaStoreOp>(op))
      return {store.getAddress()};
    if (auto copy = dyn_cast<hopper::CopyToPeerOp>(op))
      return {copy.getSource()};
    auto wgmma = dyn_cast<hopper::WgmmaOp>(op);
    if (!wgmma)
      return {};
    if (isa<tile::SharedType>(wgmma.getA().getType()))
      return {wgmma.getA(), wgmma.getB()};
    return {wgmma.getB()};
  }

  /// Whether an asynchronous operation that follows has to be told of what this
  /// one writes.
  bool isWriteToFence(Operation &op) {
    if (auto store = dyn_cast<hopper::SharedStoreOp>(op))
      return used.contains(store.getTarget());
    if (auto scatter = dyn_cast<hopper::ScatterOp>(op))
      return used.contains(scatter.getTarget());
    if (auto copy = dyn_cast<hopper::CopyTileOp>(op))
      return !copy.isAsync() && (isFencedByReaders(copy) ? overwritten : used)
                                    .contains(copy.getTarget());
    return false;
  }

  /// Whether an asynchronous write that follows has to be told of what this one
  /// reads.
  bool isReadToFence(Operation &op) {
    if (auto gather = dyn_cast<hopper::GatherOp>(op))
      return overwritten.contains(gather.getSource());
    if (auto load = dyn_cast<hopper::SharedLoadOp>(op))
      return overwritten.contains(load.getSource());
    if (auto value = dyn_cast<hopper::SharedValueOp>(op))
      return overwritten.contains(value.getSource());
    if (auto copy = dyn_cast<hopper::CopyTileOutOp>(op))
      return overwritten.contains(copy.getSource());
    return false;
  }

  /// Whether an asynchronous write may be behind this over what the thread has
  /// read, or other threads or an asynchronous reader learn of what it has
  /// written. Stages are overwritten once each warp has released them for
  /// itself, what peers copy to once the CTAs have met: whatever else is said
  /// to others, reads may stay unfenced.
  bool publishes(Operation &op, Unfenced accesses) const {
    if (isa<hopper::ReleaseOp>(op))
      return accesses.any();
    auto take = dyn_cast<hopper::TakeOp>(op);
    if (isa<hopper::MbarrierArriveOp, hopper::NamedBarrierOp, hopper::SyncOp>(
            op) ||
        (take && take.getBarrier()))
      return arePeersCopiedTo ? accesses.any() : accesses.written;
    if (isa<hopper::WgmmaOp, hopper::TmaStoreOp, hopper::CopyToPeerOp>(op) ||
        storesByTma(op))
      return accesses.written;
    if (!isa<hopper::OnceOp, hopper::OncePerWarpOp>(op))
      return false;
    auto isSilent = [&](Operation *inner) {
      return inner != &op && publishes(*inner, accesses)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    return op.walk(isSilent).wasInterrupted();
  }

  /// A conditional that hands tiles to TMA: fenced before it, as the other arm
  /// needs none.
  static bool storesByTma(Operation &op) {
    return isa<scf::IfOp>(op) && op.walk([](hopper::TmaStoreOp) {
                                     return WalkResult::interrupt();
                                   }).wasInterrupted();
  }

  void fence(OpBuilder builder, Location loc) {
    hopper::FenceProxyAsyncOp::create(builder, loc, /*cluster=*/reachesPeers);
  }

  void fenceAtEnd(Block &block, Location loc) {
    OpBuilder builder(block.getTerminator());
    fence(builder, loc);
  }

  /// Returns what is unfenced at the end of the block.
  Unfenced run(Block &block, Unfenced accesses) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool waits = false;
      if (auto wait = dyn_cast<hopper::MbarrierWaitOp>(op))
        waits = wait.getGeneric();
      if (auto test = dyn_cast<hopper::MbarrierTestOp>(op))
        waits = test.getGeneric();
      if (waits && hasReader &&
          !isa_and_present<hopper::FenceProxyAsyncOp>(op.getNextNode())) {
        OpBuilder builder(&op);
        builder.setInsertionPointAfter(&op);
        fence(builder, op.getLoc());
        accesses = {};
      }
      if (isa<hopper::FenceProxyAsyncOp>(op))
        accesses = {};
      if (publishes(op, accesses)) {
        fence(OpBuilder(&op), op.getLoc());
        accesses = {};
      }
      accesses |= {.written = isWriteToFence(op), .read = isReadToFence(op)};
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        Unfenced after = run(*loop.getBody(), accesses);
        // What the end of an iteration leaves, the start of the next sees.
        if (!accesses.has(after)) {
          accesses |= after;
          after = run(*loop.getBody(), accesses);
        }
        accesses |= after;
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        const Unfenced then = run(*branch.thenBlock(), accesses),
                       otherwise = branch.elseBlock()
                                       ? run(*branch.elseBlock(), accesses)
                                       : accesses;
        accesses = {};
        // Only the arm that needs it has the fence, if there is that arm.
        if (then.any() && !otherwise.any()) {
          fenceAtEnd(*branch.thenBlock(), op.getLoc());
        } else if (otherwise.any() && branch.elseBlock() && !then.any()) {
          fenceAtEnd(*branch.elseBlock(), op.getLoc());
        } else {
          accesses = then;
          accesses |= otherwise;
        }
      }
    }
    return accesses;
  }

  Buffers used, overwritten; ///< by asynchronous operations
  Buffers landing;           ///< what readers fence
  bool hasReader = false;    ///< of that, in the role
  bool reachesPeers = false; ///< some are in the memory of other CTAs
  bool arePeersCopiedTo = false;
};

struct HopperInsertFences : impl::HopperInsertFencesBase<HopperInsertFences> {
  void runOnOperation() override {
    Fences fences(getOperation());
    for (auto role : getOperation().getBody().getOps<hopper::RoleOp>())
      fences.run(role);
  }
};

} // namespace
} // namespace ashlar
