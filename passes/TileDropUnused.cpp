// tile-drop-unused: no role loads or computes a fragment that nobody uses.
//
// A load has no effect but its result, so it goes like arithmetic does.

#include "compiler/tile/Tile.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEDROPUNUSED
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Only fragments cost: numbers that nobody uses the back end drops.
bool givesFragments(Operation *op) {
  return op->getNumResults() &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

struct TileDropUnused : impl::TileDropUnusedBase<TileDropUnused> {
  using TileDropUnusedBase::TileDropUnusedBase;

  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<tile::RoleOp>())
      // Uses before what they use.
      role->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if ((isa<tile::ExpectOp>(op) && !expectations) ||
            (givesFragments(op) && isOpTriviallyDead(op)))
          op->erase();
      });
  }
};

} // namespace
} // namespace ashlar
