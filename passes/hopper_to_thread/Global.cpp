// Single elements of global memory: reductions of whole fragments into one, and
// counters.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Combine.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The instruction that combines $1 with memory at [$0]. There is none for the
/// least and largest f32: floats of one sign are ordered as their bits are,
/// those of the other sign in reverse.
std::string reduction(tile::Reduction how, bool floating) {
  if (!floating || how == tile::Reduction::add)
    return reduceMemory(how, floating, "global") + " [$0], $1;";
  std::string name = tile::stringifyReduction(how).str();
  std::string reverse = how == tile::Reduction::max ? "min" : "max";
  return "{\n\t.reg .pred negative;\n\t.reg .b32 bits;\n\t"
         "mov.b32 bits, $1;\n\tsetp.lt.s32 negative, bits, 0;\n\t"
         "@negative red.relaxed.gpu.global." +
         reverse + ".u32 [$0], bits;\n\t@!negative red.relaxed.gpu.global." +
         name + ".s32 [$0], bits;\n\t}";
}

} // namespace

/// The address of the element that an access names.
template <typename In>
static Value elementOf(PtxBuilder &b, In in, Type element) {
  Value offset = b.i64(0);
  for (auto [at, stride] :
       llvm::zip(ones(in.getCoordinates()), ones(in.getStrides())))
    offset = b.add(offset, b.mul(b.extend(at), stride));
  return b.elementAddress(one(in.getPointer()), element, offset);
}

/// Whether an access lies within the extents.
template <typename In> static Value isInside(PtxBuilder &b, In in) {
  Value inside;
  for (auto [at, extent] :
       llvm::zip(ones(in.getCoordinates()), ones(in.getExtents())))
    inside = b.both(inside, b.within(at, extent, /*nonNegative=*/false));
  return inside;
}

static FailureOr<Registers> lower(hopper::ReduceIntoOp op,
                                  Operands<hopper::ReduceIntoOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  tile::Reduction how = op.getReduction();
  Value total = combineAll(b, how, OfNaN::ignored, in.getValue());
  bool floating = isa<FloatType>(total.getType());
  if (Value isFirst = isFirstCopy(b, type);
      isFirst && how == tile::Reduction::add)
    total = arith::SelectOp::create(
        b, b.loc, isFirst, total,
        arith::ConstantOp::create(b, b.loc, b.getZeroAttr(total.getType())));
  for (int64_t distance = target::warpThreads / 2; distance; distance /= 2)
    total = combine(b, how, OfNaN::ignored, total, b.fromLane(total, distance));
  OpBuilder::InsertionGuard guard(b);
  Value takesPart = b.both(b.elect(), isInside(b, in));
  auto branch = scf::IfOp::create(b, b.loc, takesPart);
  b.setInsertionPointToStart(branch.thenBlock());
  b.ptx(reduction(how, floating), {elementOf(b, in, total.getType()), total});
  return Registers();
}

static FailureOr<Registers>
lower(hopper::InsideOp op, Operands<hopper::InsideOp> in, ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  Place place = placeInMemory(b, type, op.getTransposed());
  SmallVector<Value> coordinates = ones(in.getCoordinates());
  SmallVector<Value> extents = ones(in.getExtents());
  size_t leading = coordinates.size() - type.layout.shape.size();
  bool nonNegative = op.getNonnegative();
  Value outer;
  for (size_t i = 0; i < leading; ++i)
    outer = b.both(outer, b.within(coordinates[i], extents[i], nonNegative));
  // The thread's first value in each dimension, and what is left from it on.
  SmallVector<Value> first, left;
  for (size_t i = leading; i < coordinates.size(); ++i) {
    first.push_back(b.add(coordinates[i], place.thread[i - leading]));
    left.push_back(b.sub(extents[i], first.back()));
  }
  std::map<std::pair<size_t, int64_t>, Value> known;
  Registers mask;
  for (int64_t v = 0; v < type.values; ++v) {
    Value inside = outer;
    for (size_t d = 0; d < left.size(); ++d) {
      Value &test = known[{d, place.value[d][v]}];
      int64_t step = place.value[d][v];
      if (!test)
        test = nonNegative ? b.lessThan(b.i32(step), left[d])
                           : b.within(b.add(first[d], step),
                                      extents[leading + d], nonNegative);
      inside = b.both(inside, test);
    }
    mask.push_back(inside);
  }
  return mask;
}

/// Who sees an operation in its order.
template <typename Op> static std::string scopeOf(Op op) {
  return op.getSystem() ? "sys" : "gpu";
}

/// What `body` makes of an access that is done under a condition, else zero.
static Value whereTrue(PtxBuilder &b, Value condition, Type type,
                       llvm::function_ref<Value()> body) {
  auto branch = scf::IfOp::create(b, b.loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, b.loc, body());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      b, b.loc,
      Value(arith::ConstantOp::create(b, b.loc, b.getZeroAttr(type))));
  return branch.getResult(0);
}

static FailureOr<Registers>
lower(hopper::ValueOp op, Operands<hopper::ValueOp> in, ThreadBuilder &b) {
  Type type = op.getResult().getType();
  int64_t bytes = tile::elementBytes(type);
  if (bytes == 1)
    type = b.getIntegerType(8);
  return Registers{whereTrue(b, isInside(b, in), type, [&] {
    Words words(bytes);
    std::string load = op.getRelaxed() ? "ld.relaxed.gpu.global" : "ld.global";
    SmallVector<Value> loaded =
        b.ptx(load + words.suffix() + " $0, [$1];", wordRegister(b, words),
              elementOf(b, in, b.getIntegerType(8 * bytes)));
    loaded[0] = narrow(b, words, loaded[0]);
    return fromWords(b, loaded, type, 1)[0];
  })};
}

static FailureOr<Registers>
lower(hopper::AtomicOp op, Operands<hopper::AtomicOp> in, ThreadBuilder &b) {
  Type type = op.getResult().getType();
  Value isFirst = b.equal(b.threadOfRole(), b.i32(0));
  return Registers{whereTrue(b, b.both(isFirst, isInside(b, in)), type, [&] {
    SmallVector<Value> operands{elementOf(b, in, type), one(in.getValue())};
    std::string name = "atom.relaxed." + scopeOf(op) + ".global.",
                numbers = "$2";
    switch (op.getKind()) {
    case tile::Atomic::add:
      name += type.isF32() ? "add.f32" : "add.u32";
      break;
    case tile::Atomic::min:
      name += "min.s32";
      break;
    case tile::Atomic::max:
      name += "max.s32";
      break;
    case tile::Atomic::exchange:
      name += "exch.b32";
      break;
    case tile::Atomic::compare_swap:
      name += "cas.b32";
      numbers = "$3, $2";
      operands.push_back(one(in.getCompared()));
      break;
    }
    return b.ptx(name + " $0, [$1], " + numbers + ";", type, operands)[0];
  })};
}

static FailureOr<Registers>
lower(hopper::SignalOp op, Operands<hopper::SignalOp> in, ThreadBuilder &b) {
  // The fence releases: ptxas makes a second one of a red.release.
  b.ptx("fence.acq_rel." + scopeOf(op) + ";");
  b.ptx("red.relaxed." + scopeOf(op) + ".global.add.u32 [$0], $1;",
        {elementOf(b, in, b.getI32Type()), one(in.getAmount())});
  return Registers();
}

static FailureOr<Registers>
lower(hopper::AwaitOp op, Operands<hopper::AwaitOp> in, ThreadBuilder &b) {
  b.ptx("{\n\t.reg .pred reached;\n\t.reg .b32 count;\n\t$$WAIT:\n\t"
        "ld.acquire." +
            scopeOf(op) +
            ".global.b32 count, [$0];\n\t"
            "setp.ge.s32 reached, count, $1;\n\t@reached bra $$DONE;\n\t"
            "bra $$WAIT;\n\t$$DONE:\n\t}",
        {elementOf(b, in, b.getI32Type()), one(in.getValue())});
  // TMA reads by another proxy than the threads that have stored.
  bool copies = false;
  b.role.walk([&](hopper::TmaLoadOp) { copies = true; });
  if (copies)
    b.ptx("fence.proxy.async.global;");
  return Registers();
}

void addGlobalElements(ThreadPatterns &patterns) {
  patterns.add<hopper::ReduceIntoOp, hopper::InsideOp, hopper::ValueOp,
               hopper::AtomicOp, hopper::SignalOp, hopper::AwaitOp>();
}

} // namespace ashlar
