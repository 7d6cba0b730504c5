// Where a thread stands, and where things lie: parameters, special registers,
// addresses in shared memory.

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

template <typename Op>
  requires llvm::is_one_of<Op, hopper::SizeOp, hopper::ScalarOp,
                           hopper::PointerOp, hopper::StrideOp,
                           hopper::TensorMapOp>::value
static FailureOr<Registers> lower(Op op, Operands<Op>, ThreadBuilder &b) {
  return Registers{b.context.parameters.lookup(op)};
}

static FailureOr<Registers> lower(hopper::SpecialRegisterOp op,
                                  Operands<hopper::SpecialRegisterOp>,
                                  ThreadBuilder &b) {
  StringRef name = op.getName();
  if ((name == "warp" || name == "instance") &&
      !op->getParentOfType<hopper::RoleOp>())
    return op.emitError("asks for the ")
           << name << " of a role, outside of one";
  if (name == "warp")
    return Registers{b.warpOfRole()};
  if (name == "laneid")
    return Registers{b.laneOfWarp()};
  if (name == "instance")
    return Registers{b.instance()};
  std::string intrinsic =
      "llvm.nvvm.read.ptx.sreg." +
      (name == "cluster_ctarank" ? "cluster.ctarank" : name).str();
  return Registers{b.intrinsic(intrinsic, b.getI32Type(), {})};
}

static FailureOr<Registers> lower(hopper::SharedAddressOp op,
                                  Operands<hopper::SharedAddressOp>,
                                  ThreadBuilder &b) {
  return Registers{b.add(b.context.shared, int64_t(op.getOffset()))};
}

static FailureOr<Registers> lower(hopper::ViewOp, Operands<hopper::ViewOp> in,
                                  ThreadBuilder &) {
  return Registers{one(in.getAddress())};
}

static FailureOr<Registers> lower(hopper::PeerAddressOp,
                                  Operands<hopper::PeerAddressOp> in,
                                  ThreadBuilder &b) {
  return Registers{b.value("mapa.shared::cluster.u32 $0, $1, $2;",
                           b.getI32Type(),
                           {one(in.getAddress()), one(in.getRank())})};
}

void addPlaces(ThreadPatterns &patterns) {
  patterns
      .add<hopper::SizeOp, hopper::ScalarOp, hopper::PointerOp,
           hopper::StrideOp, hopper::TensorMapOp, hopper::SpecialRegisterOp,
           hopper::SharedAddressOp, hopper::PeerAddressOp, hopper::ViewOp>();
}

} // namespace ashlar
