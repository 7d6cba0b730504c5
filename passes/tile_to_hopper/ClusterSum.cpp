// A sum over the CTAs of a cluster: each sends every other one its part, and
// adds what it receives.

#include "compiler/tile/Plan.h"
#include "passes/SharedMemory.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

void KernelLowering::initExchange(tile::ClusterSumOp op) {
  tile::RoleOp by = tile::roleOf(op);
  int64_t peers = cluster.extents()[op.getDimension()] - 1;
  for (int64_t i = 0; i < int64_t(by.getInstances()); ++i)
    for (auto [offset, count] :
         {std::pair(int64_t(0), int64_t(1)),
          std::pair(target::mbarrierBytes, peers * int64_t(by.getWarps()))}) {
      Value address = hopper::SharedAddressOp::create(
          builder, op.getLoc(),
          tile::planOf(op).getBarriers() + 2 * target::mbarrierBytes * i +
              offset);
      hopper::MbarrierInitOp::create(builder, op.getLoc(), address, count);
    }
}

void KernelLowering::waitForEmptySlots(tile::ClusterSumOp op) {
  Location loc = named(*op, "cluster_sum");
  Arithmetic a{builder, loc};
  Value full = ofInstance(loc, tile::planOf(op).getBarriers(),
                          2 * target::mbarrierBytes);
  Value parity = cursor(op.getResult(), /*filling=*/false).parity;
  hopper::MbarrierWaitOp::create(builder, loc,
                                 a.add(full, target::mbarrierBytes),
                                 a.exclusiveOr(parity, a.constant(1)),
                                 /*generic=*/false, /*cluster=*/true);
}

LogicalResult KernelLowering::lower(tile::ClusterSumOp op) {
  Location loc = named(*op, "cluster_sum");
  Arithmetic a{builder, loc};
  int64_t dimension = op.getDimension();
  int64_t parts = cluster.extents()[dimension];
  int64_t slotBytes = hopper::exchangeSlotBytes(op);
  Value slots =
      ofInstance(loc, tile::planOf(op).getSlots(), hopper::exchangeBytes(op));
  Value full = ofInstance(loc, tile::planOf(op).getBarriers(),
                          2 * target::mbarrierBytes);
  Value empty = a.add(full, target::mbarrierBytes);
  Value own = cluster.coordinates(builder, loc)[dimension];
  auto partType = cast<RankedTensorType>(op.getResult().getType());
  Value value = lookup(op.getValue());
  auto part = [&](int64_t number) -> Value {
    SmallVector<int64_t> offsets(partType.getRank(), 0);
    offsets.back() = number * partType.getShape().back();
    return hopper::SliceOp::create(builder, loc, partType, value, offsets);
  };
  auto isOwn = [&](int64_t number) { return a.equal(own, number); };

  waitForEmptySlots(op);
  Cursor &at = cursor(op.getResult(), /*filling=*/false);
  once(loc, [&] {
    hopper::MbarrierExpectOp::create(builder, loc, full,
                                     (parts - 1) * slotBytes);
    hopper::MbarrierArriveOp::create(builder, loc, full, Value());
  });

  // The slot of a sender is its distance behind the receiver, less one.
  Value mine = part(0);
  for (int64_t number = 0; number < parts; ++number) {
    auto branch = scf::IfOp::create(builder, loc, TypeRange(partType),
                                    isOwn(number), /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, part(number));
    builder.setInsertionPointToStart(branch.elseBlock());
    Value distance = a.rem(a.add(own, 2 * parts - number - 1), parts);
    Value address = a.add(slots, a.mul(distance, slotBytes));
    Value ownRank = special(loc, "cluster_ctarank");
    int64_t stride = 1;
    for (int64_t i = 0; i < dimension; ++i)
      stride *= cluster.extents()[i];
    Value rank = a.add(a.sub(ownRank, a.mul(own, stride)), number * stride);
    hopper::ExchangeSendOp::create(builder, loc, part(number), address, rank,
                                   full);
    scf::YieldOp::create(builder, loc, mine);
    mine = branch.getResult(0);
  }

  hopper::MbarrierWaitOp::create(builder, loc, full, at.parity,
                                 /*generic=*/false, /*cluster=*/true);
  bool integers = partType.getElementType().isInteger();
  for (int64_t slot = 0; slot + 1 < parts; ++slot) {
    Value other = hopper::ExchangeReceiveOp::create(
        builder, loc, partType, a.add(slots, slot * slotBytes));
    mine = integers ? Value(arith::AddIOp::create(builder, loc, mine, other))
                    : Value(arith::AddFOp::create(builder, loc, mine, other));
  }
  map.map(op.getResult(), mine);
  at.parity = a.exclusiveOr(at.parity, a.constant(1));

  auto released = hopper::OncePerWarpOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&released.getBody().emplaceBlock());
  for (int64_t distance = 1; distance < parts; ++distance) {
    SmallVector<int64_t> delta(cluster.extents().size(), 0);
    delta[dimension] = distance;
    hopper::MbarrierArriveOp::create(builder, loc, empty,
                                     cluster.peer(builder, loc, delta));
  }
  return success();
}

} // namespace ashlar
