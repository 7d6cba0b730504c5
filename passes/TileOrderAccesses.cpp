// tile-order-accesses: accesses of a role's threads and of TMA to one shared
// tile follow each other in the program's order, by barriers of the role and
// waits for its stores; barriers have their numbers. A copy to a peer reads as
// one of the threads does, until the CTAs meet.

#include "compiler/target/Target.h"
#include "compiler/tile/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/InRole.h"
#include "passes/Meetings.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/SharedMemory.h"
#include "passes/WarpTiles.h"
#include "passes/stages/Ring.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEORDERACCESSES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The named barriers of a kernel: the author's, then those of roles that need
/// one.
class BarrierNumbers {
public:
  explicit BarrierNumbers(tile::KernelOp kernel) : kernel(kernel) {
    for (auto barrier : kernel.getBody().getOps<tile::BarrierOp>()) {
      numbers[barrier] = next++;
      llvm::SmallPtrSet<Operation *, 4> roles;
      for (Operation *user : barrier.getResult().getUsers())
        if (auto role = tile::roleOf(user); role && roles.insert(role).second)
          threads[barrier] +=
              target::warpThreads * role.getWarps() * role.getInstances();
    }
  }

  int64_t of(tile::BarrierOp barrier) { return numbers.lookup(barrier); }
  /// That meet at the author's barrier.
  int64_t threadsOf(tile::BarrierOp barrier) { return threads.lookup(barrier); }
  /// The first of as many as the role has warpgroups, which take turns.
  int64_t ofTurns(tile::RoleOp role) {
    auto [it, isNew] = turns.try_emplace(role, next);
    if (isNew)
      next += role.getWarps() / target::warpgroupWarps;
    return it->second;
  }
  /// The first of as many as the role has instances.
  int64_t of(tile::RoleOp role) {
    auto [it, isNew] = numbers.try_emplace(role, next);
    if (isNew)
      next += role.getInstances();
    return it->second;
  }

  LogicalResult check() {
    if (next <= target::namedBarriers)
      return success();
    return kernel.emitError("kernel '")
           << kernel.getSymName() << "' needs " << next - 1
           << " named barriers with those of its roles; a CTA has "
           << target::namedBarriers - 1 << ": let roles share some";
  }

private:
  tile::KernelOp kernel;
  llvm::DenseMap<Operation *, int64_t> numbers, turns, threads;
  int64_t next = 1;
};

/// Orders the accesses of a role.
class Order {
public:
  Order(tile::RoleOp role, BarrierNumbers &numbers)
      : role(role), numbers(numbers), warpTiles(warpTilesOf(role)),
        builder(role) {
    role.walk([&](tile::CopyOutOp out) { stores.push_back(out); });
    meetings = meetingsOf(
        role, [&](Operation *op) { return meetsAnyway(op); },
        [&](Value tile) {
          return !warpTiles.contains(tile) &&
                 (!isAsync(tile) || isShared(tile));
        });
  }

  LogicalResult run();

private:
  void order(Operation *op);
  void order(tile::AwaitTurnOp op);
  void order(tile::PassTurnOp op);
  void order(tile::WriteOp op);
  void order(tile::ReleaseOp op);
  void order(tile::ExpectOp op);
  template <typename Op> void meet(Op op);
  template <typename Op> void agree(Op op);

  /// Whether wgmma or TMA read a tile for this role: what they have still to
  /// read no meeting tells.
  bool isAsync(Value shared);
  /// Whether the role writes a tile, and by more than the same threads the same
  /// elements each time, or reads it.
  bool isShared(Value shared);
  bool hasStores(tile::ReleaseOp op);
  MeetsAnyway meetsAnyway(Operation *op);

  /// Orders accesses of this role's threads to a tile that wgmma or TMA read.
  void orderAccess(Value shared, Operation *op);
  void roleBarrier(Location loc);
  void refuseMeeting(Location loc);
  /// Waits until TMA has read, or also written, what the role has handed to it,
  /// but for the last `pending` tiles.
  void waitForStores(Location loc, int64_t pending, bool written = false);
  std::optional<int64_t> storesSince(tile::WriteOp op);

  tile::RoleOp role;
  BarrierNumbers &numbers;
  const WarpTiles warpTiles;
  SmallVector<tile::CopyOutOp> stores; ///< in the order of the text
  llvm::DenseSet<Operation *> meetings;
  OpBuilder builder;
  bool inTurn = false; ///< the walk is in the body of in_order
  bool hasTurns = false, isRefused = false;
};

LogicalResult Order::run() {
  SmallVector<Operation *> ops;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    if (inTurn && meetsAnyway(op) != MeetsAnyway::no)
      refuseMeeting(op->getLoc());
    if (meetings.contains(op))
      roleBarrier(op->getLoc());
    order(op);
  }
  builder.setInsertionPointToEnd(&role.getBody().front());
  if (!stores.empty())
    waitForStores(role.getLoc(), 0);
  return failure(isRefused);
}

void Order::order(tile::AwaitTurnOp op) {
  const Location loc = named(op, "in_order");
  if (inTurn || role.getInstances() > 1 ||
      role.getWarps() % target::warpgroupWarps) {
    isRefused = true;
    emitError(loc) << "in_order is "
                   << (inTurn
                           ? "in the body of another: leave one of them out"
                           : "for the warpgroups of a role that is run once, "
                             "such as role(\"math\", warpgroups(2), ...)");
  } else if (role.getWarps() > target::warpgroupWarps) {
    const int64_t first = numbers.ofTurns(role);
    hopper::TurnOp::create(builder, loc, first, /*pass=*/false,
                           /*begin=*/false);
    if (!hasTurns) {
      builder.setInsertionPointToStart(&role.getBody().front());
      hopper::TurnOp::create(builder, loc, first, /*pass=*/false,
                             /*begin=*/true);
    }
    hasTurns = inTurn = true;
  }
  op.erase();
}

void Order::order(tile::PassTurnOp op) {
  if (inTurn)
    hopper::TurnOp::create(builder, named(op, "in_order"),
                           numbers.ofTurns(role), /*pass=*/true,
                           /*begin=*/false);
  inTurn = false;
  op.erase();
}

/// Who meets the others waits for those whose turn comes behind its own.
void Order::refuseMeeting(Location loc) {
  if (isRefused)
    return;
  isRefused = true;
  emitError(loc) << "the warpgroups of the role meet here, and in the body of "
                    "in_order one waits until the one before it is through: "
                    "move this before or behind in_order";
}

void Order::order(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::WriteOp, tile::ReleaseOp, tile::ExpectOp, tile::AwaitTurnOp,
            tile::PassTurnOp>([&](auto known) { order(known); })
      .Case<tile::ReadOp, tile::SharedValueOp>(
          [&](auto read) { orderAccess(read.getSource(), read); })
      .Case<tile::GatherOp>([&](auto gather) {
        if (isa<tile::SharedType>(gather.getSource().getType()))
          orderAccess(gather.getSource(), gather);
      })
      .Case<tile::ScatterOp>([&](auto scatter) {
        if (isa<tile::SharedType>(scatter.getTarget().getType()))
          orderAccess(scatter.getTarget(), scatter);
      })
      .Case<tile::CopyOutOp>([&](auto out) {
        if (auto rows = warpTiles.find(out.getSource());
            rows != warpTiles.end())
          out.setByWarpsAttr(rows->second);
        else
          orderAccess(out.getSource(), out);
      })
      .Case<tile::SyncOp, tile::ArriveOp>([&](auto barrier) { meet(barrier); })
      .Case<tile::TryAcquireOp, tile::TryWaitOp>(
          [&](auto take) { agree(take); })
      .Case<tile::CopyToPeerOp>(
          [&](auto copy) { orderAccess(copy.getSource(), copy); })
      .Case<tile::ClusterSyncOp>([&](auto sync) {
        // Peers may write behind it what TMA is to read.
        if (!stores.empty())
          waitForStores(named(sync, "cluster_sync"), 0);
      })
      .Case<tile::SignalOp>([&](auto signal) {
        Location loc = named(signal, "signal");
        if (!stores.empty())
          waitForStores(loc, 0, /*written=*/true);
        roleBarrier(loc);
      })
      .Case<tile::AwaitOp>([&](auto await) {
        builder.setInsertionPointAfter(await);
        roleBarrier(named(await, "await"));
      })
      .Case<tile::TakeOp>([&](auto take) {
        if (role.getWarps() > 1)
          take.setBarrier(numbers.of(role));
      });
}

void Order::order(tile::WriteOp op) {
  if (!warpTiles.contains(op.getTarget()))
    return orderAccess(op.getTarget(), op);
  Location loc = named(op, "store");
  if (auto pending = storesSince(op)) {
    waitForStores(loc, *pending);
    hopper::WarpSyncOp::create(builder, loc);
  }
}

void Order::order(tile::ReleaseOp op) {
  // The stage is to be written again only when TMA has read it. Each warp tells
  // of what it has stored by itself.
  if (!hasStores(op))
    return;
  Location loc = named(op, "release");
  waitForStores(loc, 0);
  if (warpTiles.empty())
    roleBarrier(loc);
}

/// One thread tells that what the role expects does not hold: the others go no
/// further meanwhile.
void Order::order(tile::ExpectOp op) {
  Value holds = op.getCondition();
  if (isa<RankedTensorType>(holds.getType()))
    return;
  const Location loc = op.getLoc();
  Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
  Value fails =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, holds, no);
  auto branch = scf::IfOp::create(builder, loc, fails);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  op.getConditionMutable().assign(no);
  builder.setInsertionPointAfter(op);
  // Nobody goes on behind it, whose turn it is or not.
  llvm::SaveAndRestore notInTurn(inTurn, false);
  roleBarrier(named(op, "expect"));
}

/// A named barrier of the author's.
template <typename Op> void Order::meet(Op op) {
  // What this role has handed to TMA must be read before others may write it.
  if (!stores.empty())
    waitForStores(op.getLoc(), 0);
  auto barrier = op.getBarrier().template getDefiningOp<tile::BarrierOp>();
  hopper::NamedBarrierOp::create(
      builder, named(op, "barrier"), numbers.of(barrier),
      numbers.threadsOf(barrier),
      /*arrive=*/std::is_same_v<Op, tile::ArriveOp>, /*per_instance=*/false);
  op.erase();
}

template <typename Op> void Order::agree(Op op) {
  if (role.getWarps() > 1 && role.getInstances() == 1)
    op.setAgree(numbers.of(role));
}

bool Order::hasStores(tile::ReleaseOp op) {
  return llvm::any_of(accessesOfStage(op.getStage()),
                      llvm::IsaPred<tile::CopyOutOp>);
}

bool Order::isAsync(Value shared) {
  return llvm::any_of(accessesOf(shared), [&](Operation *user) {
    return isa<tile::MmaOp, tile::CopyOutOp>(user) &&
           tile::roleOf(user) == role;
  });
}

bool Order::isShared(Value shared) {
  int64_t writes = 0;
  bool read = false;
  for (Operation *user : accessesOf(shared)) {
    if (tile::roleOf(user) != role)
      continue;
    writes += isa<tile::WriteOp, tile::ScatterOp>(user);
    read |= !isa<tile::WriteOp, tile::CopyOp>(user);
  }
  return writes && (read || writes > 1 || isPartAtAnIndex(shared));
}

MeetsAnyway Order::meetsAnyway(Operation *op) {
  if (isa<tile::AwaitOp, tile::TakeOp>(op))
    return MeetsAnyway::after;
  bool meets = isa<tile::SignalOp, tile::SyncOp, tile::ClusterSyncOp>(op);
  if (auto release = dyn_cast<tile::ReleaseOp>(op))
    meets = hasStores(release) && warpTiles.empty();
  auto isMetFor = [&](Value tile) {
    return isa<tile::SharedType>(tile.getType()) && !warpTiles.contains(tile) &&
           isAsync(tile) && isShared(tile);
  };
  // wgmma needs a meeting only behind what others have written.
  if (Value tile = accessedTile(op); tile && !isa<tile::CopyOp>(op))
    meets |= isMetFor(tile);
  return meets ? MeetsAnyway::before : MeetsAnyway::no;
}

void Order::orderAccess(Value shared, Operation *op) {
  if (!isAsync(shared) || !isShared(shared))
    return;
  if (stores.size() && isa<tile::WriteOp, tile::ScatterOp>(op) &&
      llvm::any_of(accessesOf(shared), [&](Operation *user) {
        return isa<tile::CopyOutOp>(user) && tile::roleOf(user) == role;
      })) {
    auto write = dyn_cast<tile::WriteOp>(op);
    if (auto pending = write ? storesSince(write) : 0)
      waitForStores(op->getLoc(), *pending);
  }
  roleBarrier(op->getLoc());
}

void Order::roleBarrier(Location loc) {
  if (inTurn)
    refuseMeeting(loc);
  hopper::NamedBarrierOp::create(builder, loc, numbers.of(role),
                                 target::warpThreads * role.getWarps(),
                                 /*arrive=*/false,
                                 /*per_instance=*/role.getInstances() > 1);
}

void Order::waitForStores(Location loc, int64_t pending, bool written) {
  // What threads store they have read.
  if (llvm::none_of(stores, isByTma))
    return;
  auto wait = [&] {
    hopper::BulkWaitOp::create(builder, loc, pending, /*read=*/!written);
  };
  if (warpTiles.empty())
    byOneThread(builder, loc, wait);
  else
    byOneThreadPerWarp(builder, loc, wait);
}

/// The tiles handed to TMA between the last one that this write overwrites, of
/// an iteration ago or of this one, and the write; 0 where that is not the same
/// each time. Nothing where the write is the first: a stage is taken again only
/// when TMA has read it.
std::optional<int64_t> Order::storesSince(tile::WriteOp op) {
  if (llvm::any_of(stores, [&](tile::CopyOutOp out) {
        return out->getBlock() != op->getBlock();
      }))
    return 0;
  const int64_t count = stores.size();
  int64_t before = 0;
  while (before < count && stores[before]->isBeforeInBlock(op))
    ++before;
  // Of a stage that is carried, an iteration before may have stored.
  auto buffer = tile::bufferOf(op.getTarget());
  const bool inStage =
      buffer && tile::valuesOfStage(buffer.getStage()).size() == 1;
  for (int64_t back = 0, since = 0; back < (inStage ? before : count); ++back) {
    tile::CopyOutOp last = stores[(before - 1 - back + 2 * count) % count];
    if (overlap(last.getSource(), op.getTarget()))
      return since;
    since += isByTma(last);
  }
  return inStage ? std::nullopt : std::optional<int64_t>(0);
}

struct TileOrderAccesses : impl::TileOrderAccessesBase<TileOrderAccesses> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandStages(kernel)) || failed(demandLayouts(kernel)))
      return signalPassFailure();
    BarrierNumbers numbers(kernel);
    bool isRefused = false;
    for (auto role : kernel.getBody().getOps<tile::RoleOp>())
      isRefused |= failed(Order(role, numbers).run());
    if (isRefused || failed(numbers.check()))
      signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
