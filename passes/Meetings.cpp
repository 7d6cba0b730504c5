#include "passes/Meetings.h"

#include "compiler/layout/Reduction.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/SharedMemory.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

using namespace mlir;

namespace {

using Accesses = llvm::SmallSetVector<Operation *, 8>;

/// The shared tiles that an operation reads or writes, but for copies.
SmallVector<Value, 2> tilesOf(Operation *op) {
  SmallVector<Value, 2> tiles;
  if (auto mma = dyn_cast<tile::MmaOp>(op))
    tiles = {mma.getA(), mma.getB()};
  else if (Value tile = accessedTile(op); tile && !isa<tile::CopyOp>(op))
    tiles = {tile};
  llvm::erase_if(
      tiles, [](Value tile) { return !isa<tile::SharedType>(tile.getType()); });
  return tiles;
}

/// The fragment that a load or store of a whole tile has in registers.
TypedValue<RankedTensorType> fragmentOf(Operation *access) {
  if (auto read = dyn_cast<tile::ReadOp>(access))
    return read.getTransposed() ? nullptr : read.getResult();
  auto write = dyn_cast<tile::WriteOp>(access);
  return write && !write.getTransposed() ? write.getValue() : nullptr;
}

/// Whether two accesses are of the same elements by the same threads: one has
/// all that it loads and stores of each, where no matrix instruction moves
/// another thread's.
bool areOfSameThreads(Operation *a, Operation *b) {
  if (a == b)
    return !isPartAtAnIndex(accessedTile(a));
  auto fragment = fragmentOf(a), other = fragmentOf(b);
  if (!fragment || !other || fragment.getType() != other.getType() ||
      !areSameElements(accessedTile(a), accessedTile(b)))
    return false;
  constexpr int64_t matrixBytes = 2;
  const RankedTensorType type = fragment.getType();
  return tile::elementBytes(type.getElementType()) > matrixBytes &&
         layout::copiesAmongThreads(tile::fragmentOf(type).getLayout()).empty();
}

/// Whether one access has to follow another one by another thread.
bool conflict(Operation *a, Operation *b) {
  if (!writtenTile(a) && !writtenTile(b))
    return false;
  if (areOfSameThreads(a, b))
    return false;
  return llvm::any_of(tilesOf(a), [&](Value of) {
    return llvm::any_of(tilesOf(b),
                        [&](Value other) { return overlap(of, other); });
  });
}

/// What has been accessed since the threads last met, in every order in which
/// a role may come to a point. Meetings are added until each access finds
/// nothing that it conflicts with, and taken away where the others do.
class Search {
public:
  Search(tile::RoleOp role,
         llvm::function_ref<MeetsAnyway(Operation *)> meetsAnyway,
         llvm::function_ref<bool(Value)> isOrdered)
      : role(role) {
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      const MeetsAnyway anyway = meetsAnyway(op);
      const bool isAccess = llvm::any_of(tilesOf(op), isOrdered);
      if (anyway != MeetsAnyway::no)
        anyways[op] = anyway;
      if (isAccess)
        accesses.insert(op);
      if (isAccess || anyway != MeetsAnyway::no)
        for (Operation *at = op; at != role; at = at->getParentOp())
          steps[at->getBlock()].insert(at);
    });
    // The order of the text.
    for (auto &[block, ops] : steps) {
      SmallVector<Operation *> sorted = ops.takeVector();
      llvm::sort(sorted, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      ops.insert_range(sorted);
    }
  }

  llvm::DenseSet<Operation *> run() {
    Accesses found;
    while (Operation *access = firstConflict(found))
      add(placeFor(access, found));
    for (Operation *op : added) {
      meetings.erase(op);
      if (firstConflict(found))
        meetings.insert(op);
    }
    return meetings;
  }

private:
  void add(Operation *op) {
    meetings.insert(op);
    added.push_back(op);
  }

  /// The outermost loop around an access that none of what it conflicts with is
  /// in, or the access.
  Operation *placeFor(Operation *access, const Accesses &found) {
    Operation *place = access;
    for (Operation *at = access->getParentOp(); at != role;
         at = at->getParentOp()) {
      if (llvm::any_of(found, [&](Operation *other) {
            return at->isProperAncestor(other);
          }))
        break;
      if (isa<LoopLikeOpInterface>(at))
        place = at;
    }
    return place;
  }

  /// The first access of the text that conflicts with what `found` gets.
  Operation *firstConflict(Accesses &found) {
    conflicting = nullptr;
    Accesses since;
    visit(role.getBody().front(), since, found);
    return conflicting;
  }

  void visit(Block &block, Accesses &since, Accesses &found) {
    auto ops = steps.find(&block);
    if (ops == steps.end())
      return;
    for (Operation *op : ops->second) {
      if (conflicting)
        return;
      auto anyway = anyways.find(op);
      if (meetings.contains(op) ||
          (anyway != anyways.end() && anyway->second == MeetsAnyway::before))
        since.clear();
      if (accesses.contains(op))
        visitAccess(op, since, found);
      visitRegions(op, since, found);
      if (anyway != anyways.end() && anyway->second == MeetsAnyway::after)
        since.clear();
    }
  }

  void visitAccess(Operation *op, Accesses &since, Accesses &found) {
    for (Operation *other : since)
      if (conflict(op, other)) {
        if (!conflicting)
          found.clear();
        conflicting = op;
        found.insert(other);
      }
    since.insert(op);
  }

  /// What an operation with regions leaves is what any of them does, or none;
  /// a loop's begin with what they leave, too.
  void visitRegions(Operation *op, Accesses &since, Accesses &found) {
    if (!op->getNumRegions())
      return;
    const bool isLoop = isa<LoopLikeOpInterface>(op);
    Accesses before = since;
    while (!conflicting) {
      Accesses now = before;
      since = before;
      for (Region &region : op->getRegions()) {
        if (!isLoop)
          now = before;
        for (Block &block : region)
          visit(block, now, found);
        since.insert_range(now);
      }
      if (!isLoop)
        return;
      const size_t known = before.size();
      before.insert_range(now);
      if (before.size() == known)
        return;
    }
  }

  tile::RoleOp role;
  llvm::DenseMap<Operation *, MeetsAnyway> anyways;
  llvm::DenseSet<Operation *> accesses;
  /// Of each block, what is to be looked at.
  llvm::DenseMap<Block *, Accesses> steps;

  llvm::DenseSet<Operation *> meetings;
  SmallVector<Operation *> added;
  Operation *conflicting = nullptr;
};

} // namespace

bool isPartAtAnIndex(Value shared) {
  for (auto part = shared.getDefiningOp<tile::PartOp>(); part;
       part = part.getSource().getDefiningOp<tile::PartOp>())
    if (!part.getPlaces().empty())
      return true;
  return false;
}

llvm::DenseSet<Operation *>
meetingsOf(tile::RoleOp role,
           llvm::function_ref<MeetsAnyway(Operation *)> meetsAnyway,
           llvm::function_ref<bool(Value)> isOrdered) {
  return Search(role, meetsAnyway, isOrdered).run();
}

} // namespace ashlar
