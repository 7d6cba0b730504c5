#include "passes/Cluster.h"
#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Arithmetic.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Marks the dimensions of the tile loop that a value is computed from.
void collect(Value value, llvm::SmallBitVector &dimensions,
             llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return;
    for (Value operand : loop->getOperands())
      collect(operand, dimensions, seen);
    if (unsigned number = argument.getArgNumber())
      collect(loop.getYieldedValues()[number - 1], dimensions, seen);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto coordinate = dyn_cast<tile::TileCoordinateOp>(op)) {
    dimensions.set(coordinate.getDimension());
    return;
  }
  if (isa<tile::ClusterRankOp>(op))
    dimensions.set();
  for (Value operand : op->getOperands())
    collect(operand, dimensions, seen);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (op->getNumResults() && block.mightHaveTerminator())
        for (Value operand : block.getTerminator()->getOperands())
          collect(operand, dimensions, seen);
}

} // namespace

Cluster::Cluster(tile::KernelOp kernel) {
  if (auto cluster = kernel.getCluster())
    shape.assign(cluster->begin(), cluster->end());
  for (int64_t extent : shape)
    count *= extent;
}

SmallVector<Value> Cluster::coordinates(OpBuilder &builder,
                                        Location loc) const {
  Arithmetic a{builder, loc};
  SmallVector<Value> result;
  Value rank = count > 1 ? Value(hopper::SpecialRegisterOp::create(
                               builder, loc, "cluster_ctarank"))
                         : a.constant(0);
  for (int64_t extent : shape) {
    result.push_back(a.rem(rank, extent));
    rank = a.div(rank, extent);
  }
  return result;
}

Value Cluster::peer(OpBuilder &builder, Location loc,
                    ArrayRef<int64_t> delta) const {
  Arithmetic a{builder, loc};
  Value rank = a.constant(0);
  int64_t stride = 1;
  for (auto [own, extent, step] :
       llvm::zip(coordinates(builder, loc), shape, delta)) {
    Value other = step ? a.rem(a.add(own, step), extent) : own;
    rank = a.add(rank, a.mul(other, stride));
    stride *= extent;
  }
  return rank;
}

SmallVector<int64_t> Cluster::sharedDimensions(tile::CopyOp copy) const {
  llvm::SmallBitVector used(std::max<size_t>(shape.size(), 4));
  llvm::SmallPtrSet<void *, 16> seen;
  for (Value coordinate : copy.getCoordinates())
    collect(coordinate, used, seen);
  // It arrives in the same place of each CTA.
  for (auto part = copy.getTarget().getDefiningOp<tile::PartOp>(); part;
       part = part.getSource().getDefiningOp<tile::PartOp>())
    for (Value place : part.getPlaces())
      collect(place, used, seen);
  SmallVector<int64_t> result;
  for (auto [dimension, extent] : llvm::enumerate(shape))
    if (extent > 1 && !used.test(dimension))
      result.push_back(dimension);
  return result;
}

std::vector<std::vector<int64_t>>
Cluster::deltas(ArrayRef<int64_t> dimensions) const {
  std::vector<std::vector<int64_t>> result{
      std::vector<int64_t>(shape.size(), 0)};
  for (int64_t dimension : dimensions) {
    auto before = result;
    for (int64_t step = 1; step < shape[dimension]; ++step)
      for (auto delta : before) {
        delta[dimension] = step;
        result.push_back(delta);
      }
  }
  return result;
}

Cluster::Group Cluster::group(OpBuilder &builder, Location loc,
                              ArrayRef<int64_t> dimensions) const {
  Arithmetic a{builder, loc};
  auto own = coordinates(builder, loc);
  int64_t mask = 1, size = 1, stride = 1;
  Value fixed = a.constant(0), place = a.constant(0);
  for (auto [dimension, extent] : llvm::enumerate(shape)) {
    if (llvm::is_contained(dimensions, int64_t(dimension))) {
      int64_t spread = 0;
      for (int64_t i = 0; i < extent; ++i)
        spread |= mask << (i * stride);
      mask = spread;
      place = a.add(place, a.mul(own[dimension], size));
      size *= extent;
    } else {
      fixed = a.add(fixed, a.mul(own[dimension], stride));
    }
    stride *= extent;
  }
  return {size, a.shiftLeft(a.constant(mask), fixed), place};
}

} // namespace ashlar
