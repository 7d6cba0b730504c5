// Fragments to and from global memory, and what CTAs tell one another there.

#include "passes/Coordinates.h"
#include "passes/tile_to_hopper/Lowering.h"

namespace ashlar {

using namespace mlir;

static void lower(tile::LoadOp op, tile::LoadOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor global =
      context.parameters.tensor(op.getSource(), rewriter);
  const GlobalTensor rows = context.parameters.tensor(op.getRows(), rewriter);
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  rewriter.replaceOp(
      op,
      hopper::LoadOp::create(
          rewriter, named(op, "load"), op.getResult().getType(), global.pointer,
          adaptor.getCoordinates(), global.extents, global.strides,
          rows.pointer, adaptor.getRowCoordinates(), rows.extents, rows.strides,
          rowAlignment(op.getSource(), op.getCoordinates(), context.facts),
          /*written=*/tensor.getAccess() != tile::Access::input,
          op.getTransposed(),
          areNonNegative(op.getCoordinates(), context.facts)));
}

static void lower(tile::StoreOp op, tile::StoreOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor global =
      context.parameters.tensor(op.getTarget(), rewriter);
  const GlobalTensor rows = context.parameters.tensor(op.getRows(), rewriter);
  rewriter.replaceOp(
      op,
      hopper::StoreOp::create(
          rewriter, named(op, "store"), adaptor.getValue(), global.pointer,
          adaptor.getCoordinates(), global.extents, global.strides,
          rows.pointer, adaptor.getRowCoordinates(), rows.extents, rows.strides,
          rowAlignment(op.getTarget(), op.getCoordinates(), context.facts),
          op.getTransposed(),
          areNonNegative(op.getCoordinates(), context.facts), op.getRelaxed()));
}

static void lower(tile::TakeOp op, tile::TakeOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  SmallVector<Value> pointers, extents, strides;
  SmallVector<int64_t> ranks, alignments;
  op.forEachTile([&](Value source, ValueRange coordinates, Value) {
    const GlobalTensor global = context.parameters.tensor(source, rewriter);
    pointers.push_back(global.pointer);
    llvm::append_range(extents, global.extents);
    llvm::append_range(strides, global.strides);
    ranks.push_back(static_cast<int64_t>(coordinates.size()));
    alignments.push_back(rowAlignment(source, coordinates, context.facts));
  });
  rewriter.replaceOp(op, hopper::TakeOp::create(
                             rewriter, named(op, "take"), op.getResultTypes(),
                             pointers, adaptor.getCoordinates(), extents,
                             strides, ranks, alignments,
                             areNonNegative(op.getCoordinates(), context.facts),
                             op.getBarrierAttr()));
}

/// A tensor, or a shared tile, whose layout says all.
static GlobalTensor memoryOf(Value memory, Value lowered,
                             const Context &context, Rewriter &rewriter) {
  if (isa<tile::SharedType>(memory.getType()))
    return {lowered, {}, {}};
  return context.parameters.tensor(memory, rewriter);
}

static void lower(tile::GatherOp op, tile::GatherOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor memory =
      memoryOf(op.getSource(), adaptor.getSource(), context, rewriter);
  rewriter.replaceOp(
      op, hopper::GatherOp::create(rewriter, named(op, "gather"),
                                   op.getResult().getType(), memory.pointer,
                                   adaptor.getCoordinates(), memory.extents,
                                   memory.strides));
}

static void lower(tile::ScatterOp op, tile::ScatterOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor memory =
      memoryOf(op.getTarget(), adaptor.getTarget(), context, rewriter);
  rewriter.replaceOp(
      op, hopper::ScatterOp::create(rewriter, named(op, "scatter"),
                                    adaptor.getValue(), memory.pointer,
                                    adaptor.getCoordinates(), memory.extents,
                                    memory.strides, op.getReductionAttr()));
}

static void lower(tile::ReduceIntoOp op, tile::ReduceIntoOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor global =
      context.parameters.tensor(op.getTarget(), rewriter);
  rewriter.replaceOp(
      op, hopper::ReduceIntoOp::create(rewriter, named(op, "reduce"),
                                       adaptor.getValue(), op.getReduction(),
                                       global.pointer, adaptor.getCoordinates(),
                                       global.extents, global.strides));
}

static void lower(tile::InsideOp op, tile::InsideOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  rewriter.replaceOp(
      op, hopper::InsideOp::create(
              rewriter, named(op, "inside"), op.getResult().getType(),
              adaptor.getCoordinates(),
              Parameters::extents(op.getTensor(), rewriter), op.getTransposed(),
              areNonNegative(op.getCoordinates(), context.facts)));
}

static void lower(tile::ValueOp op, tile::ValueOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor global =
      context.parameters.tensor(op.getSource(), rewriter);
  rewriter.replaceOp(
      op, hopper::ValueOp::create(rewriter, named(op, "load"),
                                  op.getResult().getType(), global.pointer,
                                  adaptor.getCoordinates(), global.extents,
                                  global.strides, /*relaxed=*/op.getApart()));
}

static void lower(tile::AtomicOp op, tile::AtomicOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const GlobalTensor global =
      context.parameters.tensor(op.getTarget(), rewriter);
  rewriter.replaceOp(op, hopper::AtomicOp::create(
                             rewriter, named(op, "atomic"),
                             op.getResult().getType(), op.getKind(),
                             adaptor.getValue(), adaptor.getCompared(),
                             global.pointer, adaptor.getCoordinates(),
                             global.extents, global.strides, op.getSystem()));
}

static void lower(tile::SignalOp op, tile::SignalOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  Location loc = named(op, "signal");
  const GlobalTensor global =
      context.parameters.tensor(op.getCounter(), rewriter);
  byOneThread(rewriter, loc, [&] {
    hopper::SignalOp::create(rewriter, loc, adaptor.getAmount(), global.pointer,
                             adaptor.getCoordinates(), global.strides,
                             op.getSystem());
  });
  rewriter.eraseOp(op);
}

static void lower(tile::AwaitOp op, tile::AwaitOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  Location loc = named(op, "await");
  const GlobalTensor global =
      context.parameters.tensor(op.getCounter(), rewriter);
  byOneThread(rewriter, loc, [&] {
    hopper::AwaitOp::create(rewriter, loc, global.pointer,
                            adaptor.getCoordinates(), global.strides,
                            adaptor.getValue(), op.getSystem());
  });
  rewriter.eraseOp(op);
}

static void lower(tile::WaitLaunchOp op, tile::WaitLaunchOp::Adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::GridWaitOp>(op);
}

static void lower(tile::AllowLaunchOp op, tile::AllowLaunchOp::Adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::GridReleaseOp>(op);
}

void addGlobalMemory(Patterns &patterns) {
  patterns.add<tile::LoadOp, tile::StoreOp, tile::GatherOp, tile::ScatterOp,
               tile::TakeOp, tile::ReduceIntoOp, tile::InsideOp, tile::ValueOp,
               tile::AtomicOp, tile::SignalOp, tile::AwaitOp,
               tile::WaitLaunchOp, tile::AllowLaunchOp>();
}

} // namespace ashlar
