// What a kernel declares beside its roles: parameters have their place already,
// of the others only their users know.

#include "passes/tile_to_hopper/Lowering.h"

namespace ashlar {

using namespace mlir;

static void lower(tile::SizeOp op, tile::SizeOp::Adaptor, Rewriter &rewriter,
                  const Context &context) {
  rewriter.replaceOp(op, context.parameters.of(op));
}

static void lower(tile::ScalarOp op, tile::ScalarOp::Adaptor,
                  Rewriter &rewriter, const Context &context) {
  rewriter.replaceOp(op, context.parameters.of(op));
}

template <typename Op>
static void lower(Op op, typename Op::Adaptor, Rewriter &rewriter,
                  const Context &) {
  rewriter.eraseOp(op);
}

void addDeclarations(Patterns &patterns) {
  patterns.add<tile::SizeOp, tile::ScalarOp, tile::TensorOp, tile::ScheduleOp,
               tile::PipelineOp, tile::AllocOp, tile::BarrierOp,
               tile::MbarrierOp>();
}

} // namespace ashlar
