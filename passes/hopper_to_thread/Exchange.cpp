// Fragments from one CTA of a cluster to another: st.async, which completes on
// a barrier of the receiver.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

constexpr int64_t vectorValues = 4; ///< 32-bit values in 16 bytes

LogicalResult checkExchange(Operation *op, const FragmentType &type) {
  if (tile::elementBytes(type.element) == 4 && type.values % vectorValues == 0)
    return success();
  return op->emitError("a thread holds ")
         << type.values << " values of this fragment; what CTAs exchange are "
         << "multiples of " << vectorValues << " of 4 bytes: use larger tiles";
}

} // namespace

static FailureOr<Registers> lower(hopper::ExchangeSendOp op,
                                  Operands<hopper::ExchangeSendOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  if (failed(checkExchange(op, type)))
    return failure();
  Value rank = one(in.getRank());
  auto remote = [&](Value address) {
    return b.ptx("mapa.shared::cluster.u32 $0, $1, $2;", b.getI32Type(),
                 {address, rank})[0];
  };
  Value barrier = remote(one(in.getBarrier()));
  Value address =
      remote(b.add(one(in.getAddress()), b.mul(b.threadOfRole(), 16)));
  ValueRange registers = in.getValue();
  for (int64_t i = 0; i < type.values; i += vectorValues) {
    SmallVector<Value> operands{
        b.add(address, i / vectorValues * 16 * target::warpThreads *
                           int64_t(b.role.getWarps())),
        barrier};
    for (Value value : registers.slice(i, vectorValues))
      operands.push_back(value.getType().isInteger()
                             ? value
                             : Value(LLVM::BitcastOp::create(
                                   b, b.loc, b.getI32Type(), value)));
    b.ptx("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
          "[$0], {$2, $3, $4, $5}, [$1];",
          operands);
  }
  return Registers();
}

static FailureOr<Registers> lower(hopper::ExchangeReceiveOp op,
                                  Operands<hopper::ExchangeReceiveOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  if (failed(checkExchange(op, type)))
    return failure();
  Value address = b.add(one(in.getAddress()), b.mul(b.threadOfRole(), 16));
  Registers registers;
  for (int64_t i = 0; i < type.values; i += vectorValues) {
    SmallVector<Type> words(vectorValues, b.getI32Type());
    for (Value word :
         b.ptx("ld.shared::cta.v4.b32 {$0, $1, $2, $3}, [$4];", words,
               b.add(address, i / vectorValues * 16 * target::warpThreads *
                                  int64_t(b.role.getWarps()))))
      registers.push_back(
          type.element.isInteger()
              ? word
              : Value(LLVM::BitcastOp::create(b, b.loc, type.element, word)));
  }
  return registers;
}

void addExchange(ThreadPatterns &patterns) {
  patterns.add<hopper::ExchangeSendOp, hopper::ExchangeReceiveOp>();
}

} // namespace ashlar
