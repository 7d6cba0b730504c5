// tile-drop-unused: no role loads or computes what nobody uses; what is
// expected of conditions, and of the places of parts, is checked, or gone.
//
// A load has no effect but its result, so it goes like arithmetic does.

#include "compiler/tile/Tile.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Cluster.h"
#include "passes/IndexFacts.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEDROPUNUSED
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether a part may lie outside its tile, or begins at a multiple that is
/// only promised.
bool mayBeMisplaced(tile::PartOp part) {
  const IndexFacts believed(part.getPlaces()),
      known(part.getPlaces(), /*believesPromises=*/false);
  return llvm::any_of(
      llvm::zip(part.getPlaces(), part.getChosenDimensions()), [&](auto place) {
        auto [index, dimension] = place;
        const int64_t last = part.getSource().getType().getShape()[dimension] -
                             part.getResult().getType().getShape()[dimension];
        const auto [low, high, divisor] = known.of(index);
        return low < 0 || high - high % std::max<int64_t>(divisor, 1) > last ||
               divisor != believed.of(index).divisor;
      });
}

/// Whether the cluster may have no such CTA.
bool mayBeMisplaced(tile::PeerOp peer) {
  const IndexFact rank = IndexFacts(peer.getRank()).of(peer.getRank());
  const Cluster cluster(peer->getParentOfType<tile::KernelOp>());
  return rank.low < 0 || rank.high >= cluster.size();
}

struct TileDropUnused : impl::TileDropUnusedBase<TileDropUnused> {
  using TileDropUnusedBase::TileDropUnusedBase;

  /// What is read of memory by number is checked even where nobody uses it.
  bool isUnused(Operation *op) const {
    return isOpTriviallyDead(op) &&
           !(expectations && isa<tile::ValueOp, tile::SharedValueOp>(op));
  }

  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<tile::RoleOp>())
      // Uses before what they use.
      role->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if ((isa<tile::ExpectOp>(op) && !expectations) || isUnused(op))
          op->erase();
        else if (auto peer = dyn_cast<tile::PeerOp>(op))
          peer.setChecked(expectations && mayBeMisplaced(peer));
        else if (auto part = dyn_cast<tile::PartOp>(op))
          part.setChecked(expectations && mayBeMisplaced(part));
      });
  }
};

} // namespace
} // namespace ashlar
