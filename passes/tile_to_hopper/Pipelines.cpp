// Stages as barriers and phases.

#include "compiler/layout/SharedTile.h"
#include "compiler/target/Target.h"
#include "passes/SharedMemory.h"
#include "passes/stages/HeldStages.h"
#include "passes/tile_to_hopper/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The barrier that a take waits for.
Value barrierOf(Arithmetic a, Operation *take, const Ring &ring, Value stage) {
  return barrierOfStage(a, acquires(take) ? ring.emptyOffset : ring.fullOffset,
                        stage);
}

template <typename Op>
concept Takes =
    std::is_same_v<Op, tile::AcquireOp> || std::is_same_v<Op, tile::WaitOp>;
template <typename Op>
concept TriesToTake = std::is_same_v<Op, tile::TryAcquireOp> ||
                      std::is_same_v<Op, tile::TryWaitOp>;

void replaceByView(Operation *op, Value address, Value stage,
                   Rewriter &rewriter) {
  rewriter.replaceOp(op, hopper::ViewOp::create(rewriter, op->getLoc(),
                                                op->getResult(0).getType(),
                                                address, stage));
}

} // namespace

template <Takes Op>
static void lower(Op op, typename Op::Adaptor adaptor, Rewriter &rewriter,
                  const Context &context) {
  const Ring &ring = context.rings.of(op.getPipeline());
  Location loc = named(op, acquires(op) ? "acquire" : "wait");
  Value stage = adaptor.getPlace()[0];
  auto wait = hopper::MbarrierWaitOp::create(
      rewriter, loc, barrierOf({rewriter, loc}, op, ring, stage),
      adaptor.getPlace()[1],
      /*generic=*/!acquires(op) && ring.fencedByReaders, /*cluster=*/false);
  SmallVector<int64_t> numbers, offsets;
  if (auto holds = op.getHolds())
    for (auto [number, other] : llvm::zip(*holds, context.rings))
      if (number) {
        numbers.push_back(number);
        offsets.push_back(other.second.fullOffset);
      }
  if (!numbers.empty()) {
    wait.setHolds(numbers);
    wait.setRings(offsets);
  }
  rewriter.replaceOp(op, stage);
}

template <TriesToTake Op>
static void lower(Op op, typename Op::Adaptor adaptor, Rewriter &rewriter,
                  const Context &context) {
  const Ring &ring = context.rings.of(op.getPipeline());
  Location loc = named(op, acquires(op) ? "try_acquire" : "try_wait");
  Value stage = adaptor.getPlace()[0];
  const bool generic = !acquires(op) && ring.fencedByReaders;
  Value ready = hopper::MbarrierTestOp::create(
      rewriter, loc, rewriter.getI1Type(),
      barrierOf({rewriter, loc}, op, ring, stage), adaptor.getPlace()[1],
      op.getAgreeAttr(), generic ? rewriter.getUnitAttr() : UnitAttr());
  rewriter.replaceOp(op, {ready, stage});
}

static void lower(tile::CommitOp op, tile::CommitOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const Ring &ring = context.rings.of(op.getPipeline());
  const Filling how = ring.filling(op);
  Location loc = named(op, "commit");
  Value full =
      barrierOfStage({rewriter, loc}, ring.fullOffset, adaptor.getStage());
  auto arrive = [&] {
    hopper::MbarrierArriveOp::create(rewriter, loc, full, Value());
  };
  if (how.everyWarp)
    byOneThreadPerWarp(rewriter, loc, arrive);
  else if (how.byTma)
    byOneThread(rewriter, loc, arrive);
  if (how.byCpAsync)
    hopper::MbarrierArriveAsyncOp::create(rewriter, loc, full);
  if (how.byThreads)
    arrive();
  rewriter.eraseOp(op);
}

static void lower(tile::ReleaseOp op, tile::ReleaseOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const Ring &ring = context.rings.of(op.getPipeline());
  Location loc = named(op, "release");
  auto release = hopper::ReleaseOp::create(rewriter, loc, adaptor.getStage(),
                                           /*condition=*/Value(),
                                           ring.fullOffset, op.getNewer());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&release.getBody().emplaceBlock());
  Value empty =
      barrierOfStage({rewriter, loc}, ring.emptyOffset, adaptor.getStage());
  for (auto &delta : ring.awaitedBy) {
    const bool own =
        llvm::all_of(delta, [](int64_t step) { return step == 0; });
    Value rank = own ? Value() : context.cluster.peer(rewriter, loc, delta);
    hopper::MbarrierArriveOp::create(rewriter, loc, empty, rank);
  }
  rewriter.eraseOp(op);
}

static void lower(tile::BufferOp op, tile::BufferOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const Ring &ring = context.ringOf(op);
  Arithmetic a{rewriter, op.getLoc()};
  Value base = hopper::SharedAddressOp::create(
      rewriter, a.loc, ring.offset + ring.tileOffsets[op.getIndex()]);
  replaceByView(op, a.add(base, a.mul(adaptor.getStage(), ring.stageBytes)),
                adaptor.getStage(), rewriter);
}

/// Between a stage and its number, which is what it becomes.
static void lower(UnrealizedConversionCastOp op,
                  UnrealizedConversionCastOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, adaptor.getInputs());
}

/// Ends the launch unless a part begins in its tile, with a swizzle atom.
static void expectPlace(Arithmetic a, tile::PartOp op, Value index,
                        int64_t dimension, int64_t multiple) {
  tile::SharedType source = op.getSource().getType();
  const int64_t each = authorsElements(source, dimension);
  const int64_t last = source.getShape()[dimension] -
                       op.getResult().getType().getShape()[dimension];
  auto expect = [&](Value condition, const Twine &sentence) {
    hopper::ExpectOp::create(a.builder, a.loc, condition, sentence.str());
  };
  // A number below zero is a large one.
  Value inside = arith::CmpIOp::create(
      a.builder, a.loc, arith::CmpIPredicate::ule, index, a.constant(last));
  expect(inside, "the part of a shared tile begins along dimension " +
                     Twine(dimension) + " from 0 to " + Twine(last * each));
  expect(a.equal(a.rem(index, multiple), 0),
         "the part of a shared tile begins along dimension " +
             Twine(dimension) + " at a multiple of " + Twine(multiple * each));
}

static void lower(tile::PartOp op, tile::PartOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  Arithmetic a{rewriter, named(op, "slice")};
  auto source = adaptor.getSource().getDefiningOp<hopper::ViewOp>();
  const layout::SwizzledLayout &tile = *op.getSource().getType().getLayout();
  Value address =
      a.add(source.getAddress(), tile.layout.at(op.getKnownOffsets()));
  for (auto [index, dimension] :
       llvm::zip(adaptor.getPlaces(), op.getChosenDimensions())) {
    const auto [elements, bytes] = layout::partPlaces(tile, dimension);
    if (op.getChecked())
      expectPlace(a, op, index, dimension, elements);
    address =
        a.add(address, bytes % elements ? a.mul(a.div(index, elements), bytes)
                                        : a.mul(index, bytes / elements));
  }
  replaceByView(op, address, source.getStage(), rewriter);
}

static void lower(tile::ViewOp op, tile::ViewOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  Arithmetic a{rewriter, op.getLoc()};
  auto source = adaptor.getSource().getDefiningOp<hopper::ViewOp>();
  replaceByView(op, a.add(source.getAddress(), offsetOfView(op)),
                source.getStage(), rewriter);
}

static void lower(tile::PeerOp op, tile::PeerOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  Arithmetic a{rewriter, named(op, "peer")};
  Value rank = adaptor.getRank();
  if (op.getChecked()) {
    Value exists =
        arith::CmpIOp::create(rewriter, a.loc, arith::CmpIPredicate::ult, rank,
                              a.constant(context.cluster.size()));
    hopper::ExpectOp::create(rewriter, a.loc, exists,
                             ("the rank of the peer is from 0 to " +
                              Twine(context.cluster.size() - 1))
                                 .str());
    // One thread ends the launch, and others may be ahead of it.
    rank =
        arith::SelectOp::create(rewriter, a.loc, exists, rank, a.constant(0));
  }
  auto source = adaptor.getSource().getDefiningOp<hopper::ViewOp>();
  replaceByView(
      op,
      hopper::PeerAddressOp::create(rewriter, a.loc, source.getAddress(), rank),
      Value(), rewriter);
}

void addPipelines(Patterns &patterns) {
  patterns
      .add<tile::AcquireOp, tile::WaitOp, tile::TryAcquireOp, tile::TryWaitOp,
           tile::CommitOp, tile::ReleaseOp, tile::BufferOp, tile::PartOp,
           tile::ViewOp, tile::PeerOp, UnrealizedConversionCastOp>();
}

} // namespace ashlar
