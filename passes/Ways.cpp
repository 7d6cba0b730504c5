#include "passes/Ways.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ashlar {

using namespace mlir;

namespace {

class Ways {
public:
  explicit Ways(llvm::function_ref<bool(Operation *)> goesOn)
      : goesOn(goesOn) {}

  void follow(Block &block, Block::iterator at) {
    for (; at != block.end(); ++at) {
      if (!seen.insert(&*at).second || !goesOn(&*at))
        return;
      for (Region &region : at->getRegions())
        for (Block &inner : region)
          follow(inner, inner.begin());
      if (!mayBeLeftOut(*at))
        return; // what is in it leads on
    }
    Operation *around = block.getParentOp();
    if (isa<tile::RoleOp>(around)) {
      toEnd = true;
      return;
    }
    if (isa<scf::ForOp>(around))
      follow(block, block.begin());
    follow(*around->getBlock(), std::next(around->getIterator()));
  }

  bool toEnd = false;

private:
  static bool mayBeLeftOut(Operation &op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto trips = loop.getStaticTripCount();
      return !trips || trips->isZero();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return !branch.elseBlock();
    return true;
  }

  llvm::function_ref<bool(Operation *)> goesOn;
  llvm::SmallPtrSet<Operation *, 32> seen;
};

} // namespace

bool followWays(Operation *from, llvm::function_ref<bool(Operation *)> goesOn) {
  Ways ways(goesOn);
  ways.follow(*from->getBlock(), std::next(from->getIterator()));
  return ways.toEnd;
}

} // namespace ashlar
