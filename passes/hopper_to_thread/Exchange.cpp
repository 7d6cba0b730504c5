// Fragments from one CTA of a cluster to another: st.async, which completes on
// a barrier of the receiver.

#include "compiler/layout/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Lowering.h"

#include <numeric>
#include <string>

namespace ashlar {

using namespace mlir;

namespace {

/// How what a thread holds lies where it arrives: in vectors of up to 16 bytes,
/// vector by vector for all threads that hold something of their own.
struct Slot {
  Value address; ///< of this thread's first vector
  int64_t vector;
  int64_t stride; ///< bytes from one of its vectors to the next
  std::string suffix() const {
    return vector == 1 ? ".b32" : ".v" + std::to_string(vector) + ".b32";
  }
};

Slot slotOf(ThreadBuilder &b, const FragmentType &type, Value address) {
  constexpr int64_t mostValues = 4;
  const int64_t vector = std::gcd(type.values, mostValues);
  const layout::Layout holders = layout::holders(type.layout);
  Value holder = image(b, holders, b.threadOfRole());
  return {b.add(address, b.mul(holder, 4 * vector)), vector,
          4 * vector * holders.cosize()};
}

} // namespace

static FailureOr<Registers> lower(hopper::ExchangeSendOp op,
                                  Operands<hopper::ExchangeSendOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  Value rank = one(in.getRank());
  auto remote = [&](Value address) {
    return b.ptx("mapa.shared::cluster.u32 $0, $1, $2;", b.getI32Type(),
                 {address, rank})[0];
  };
  Value barrier = remote(one(in.getBarrier()));
  Slot slot = slotOf(b, type, one(in.getAddress()));
  slot.address = remote(slot.address);
  Value sends = op.getThreads() > 1
                    ? b.lessThan(b.threadOfRole(), b.i32(op.getThreads()))
                    : isFirstCopy(b, type);
  std::string values;
  for (int64_t i = 0; i < slot.vector; ++i)
    values += (i ? ", $" : "$") + std::to_string(i + 2);
  if (slot.vector > 1)
    values = "{" + values + "}";
  std::string text = "st.async.shared::cluster.mbarrier::complete_tx::bytes" +
                     slot.suffix() + " [$0], " + values + ", [$1];";
  if (sends)
    text = "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $" +
           std::to_string(slot.vector + 2) + ", 0;\n\t@p " + text + "\n\t}";
  ValueRange registers = in.getValue();
  for (int64_t i = 0; i < type.values; i += slot.vector) {
    SmallVector<Value> operands{
        b.add(slot.address, i / slot.vector * slot.stride), barrier};
    for (Value value : registers.slice(i, slot.vector))
      operands.push_back(value.getType().isInteger()
                             ? value
                             : Value(LLVM::BitcastOp::create(
                                   b, b.loc, b.getI32Type(), value)));
    if (sends)
      operands.push_back(b.flag(sends));
    b.ptx(text, operands);
  }
  return Registers();
}

static FailureOr<Registers> lower(hopper::ExchangeReceiveOp op,
                                  Operands<hopper::ExchangeReceiveOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  Slot slot = slotOf(b, type, one(in.getAddress()));
  std::string results;
  for (int64_t i = 0; i < slot.vector; ++i)
    results += (i ? ", $" : "$") + std::to_string(i);
  if (slot.vector > 1)
    results = "{" + results + "}";
  const std::string text = "ld.shared::cta" + slot.suffix() + " " + results +
                           ", [$" + std::to_string(slot.vector) + "];";
  Registers registers;
  for (int64_t i = 0; i < type.values; i += slot.vector) {
    SmallVector<Type> words(slot.vector, b.getI32Type());
    for (Value word :
         b.ptx(text, words, b.add(slot.address, i / slot.vector * slot.stride)))
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
