// What a role's threads hold and compute, and what only names a value.

#include "passes/tile_to_hopper/Lowering.h"

namespace ashlar {

using namespace mlir;

static void lower(tile::ReadOp op, tile::ReadOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op,
                     hopper::SharedLoadOp::create(
                         rewriter, named(op, "load"), op.getResult().getType(),
                         adaptor.getSource(), op.getTransposed(),
                         tile::peerOf(op.getSource()) != nullptr));
}

static void lower(tile::WriteOp op, tile::WriteOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, hopper::SharedStoreOp::create(
                             rewriter, named(op, "store"), adaptor.getValue(),
                             adaptor.getTarget(), op.getTransposed(),
                             tile::peerOf(op.getTarget()) != nullptr));
}

static void lower(tile::SharedValueOp op, tile::SharedValueOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op,
                     hopper::SharedValueOp::create(
                         rewriter, named(op, "load"), op.getResult().getType(),
                         adaptor.getSource(), adaptor.getCoordinates()));
}

static void lower(tile::MmaOp op, tile::MmaOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(
      op, hopper::MmaOp::create(rewriter, named(op, "mma"),
                                op.getResult().getType(), adaptor.getA(),
                                adaptor.getB(), adaptor.getAccumulator(),
                                /*overwrite=*/Value(), adaptor.getMetadata(),
                                op.getTransposeA(), op.getTransposeB()));
}

static void lower(tile::SplatOp op, tile::SplatOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::SplatOp>(op, op.getResult().getType(),
                                               adaptor.getValue());
}

static void lower(tile::BroadcastOp op, tile::BroadcastOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::BroadcastOp>(
      op, op.getResult().getType(), adaptor.getValue(), op.getDimensions());
}

static void lower(tile::SliceOp op, tile::SliceOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::SliceOp>(
      op, op.getResult().getType(), adaptor.getValue(), op.getOffsets());
}

static void lower(tile::ConvertOp op, tile::ConvertOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, hopper::ConvertOp::create(
                             rewriter, named(op, "convert"),
                             op.getResult().getType(), adaptor.getValue()));
}

static void lower(tile::CoordinateOp op, tile::CoordinateOp::Adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::CoordinateOp>(
      op, op.getResult().getType(), op.getDimension());
}

static void lower(tile::ElementOp op, tile::ElementOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOpWithNewOp<hopper::ElementOp>(op, op.getResult().getType(),
                                                 adaptor.getValue());
}

static void lower(tile::PtxOp op, tile::PtxOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op,
                     hopper::PtxOp::create(rewriter, named(op, "ptx"),
                                           op.getResult().getType(),
                                           op.getText(), adaptor.getInputs()));
}

static void lower(tile::PtxOnceOp op, tile::PtxOnceOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, hopper::PtxOnceOp::create(rewriter, named(op, "ptx"),
                                                   op.getText(),
                                                   adaptor.getInputs()));
}

static void lower(tile::PrintOp op, tile::PrintOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(
      op, hopper::PrintOp::create(rewriter, named(op, "print"), op.getText(),
                                  adaptor.getValues(), adaptor.getCondition()));
}

static void lower(tile::ExpectOp op, tile::ExpectOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  if (isa<tile::KernelOp, hopper::KernelOp>(op->getParentOp()))
    return rewriter.eraseOp(op); // the launch has checked it
  rewriter.replaceOp(op, hopper::ExpectOp::create(rewriter, named(op, "expect"),
                                                  adaptor.getCondition(),
                                                  op.getSentence()));
}

static void lower(tile::LastIfOp op, tile::LastIfOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op,
                     hopper::LastIfOp::create(rewriter, named(op, "last_if"),
                                              adaptor.getCondition()));
}

static void lower(tile::MultipleOfOp op, tile::MultipleOfOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, adaptor.getIndex());
}

static void lower(tile::AtMostOp op, tile::AtMostOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, adaptor.getIndex());
}

static void lower(tile::TileCoordinateOp op,
                  tile::TileCoordinateOp::Adaptor adaptor, Rewriter &rewriter,
                  const Context &) {
  rewriter.replaceOp(op, adaptor.getValue());
}

static void lower(tile::ClusterRankOp op, tile::ClusterRankOp::Adaptor,
                  Rewriter &rewriter, const Context &) {
  rewriter.replaceOp(op, hopper::SpecialRegisterOp::create(
                             rewriter, op.getLoc(), "cluster_ctarank"));
}

void addFragments(Patterns &patterns) {
  patterns
      .add<tile::ReadOp, tile::WriteOp, tile::SharedValueOp, tile::MmaOp,
           tile::SplatOp, tile::BroadcastOp, tile::SliceOp, tile::ConvertOp,
           tile::CoordinateOp, tile::ElementOp, tile::PtxOp, tile::PtxOnceOp,
           tile::PrintOp, tile::ExpectOp, tile::LastIfOp, tile::MultipleOfOp,
           tile::AtMostOp, tile::TileCoordinateOp, tile::ClusterRankOp>();
}

} // namespace ashlar
