// Single elements of global memory: reductions of whole fragments into one, and
// counters.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Two values of a fragment combined.
Value combine(PtxBuilder &b, tile::Reduction how, Value x, Value y) {
  bool floating = isa<FloatType>(x.getType());
  switch (how) {
  case tile::Reduction::add:
    return floating ? Value(arith::AddFOp::create(b, b.loc, x, y))
                    : Value(arith::AddIOp::create(b, b.loc, x, y));
  case tile::Reduction::min:
    return floating ? Value(arith::MinNumFOp::create(b, b.loc, x, y))
                    : Value(arith::MinSIOp::create(b, b.loc, x, y));
  case tile::Reduction::max:
    return floating ? Value(arith::MaxNumFOp::create(b, b.loc, x, y))
                    : Value(arith::MaxSIOp::create(b, b.loc, x, y));
  }
  return {};
}

/// The instruction that combines $1 with memory at [$0]. There is none for the
/// least and largest f32: floats of one sign are ordered as their bits are,
/// those of the other sign in reverse.
std::string reduction(tile::Reduction how, bool floating) {
  std::string name = tile::stringifyReduction(how).str();
  if (!floating)
    return "red.relaxed.gpu.global." + name +
           (how == tile::Reduction::add ? ".u32" : ".s32") + " [$0], $1;";
  if (how == tile::Reduction::add)
    return "red.relaxed.gpu.global.add.f32 [$0], $1;";
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

static FailureOr<Registers> lower(hopper::ReduceIntoOp op,
                                  Operands<hopper::ReduceIntoOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  int64_t elements = 1;
  for (int64_t extent : type.layout.shape)
    elements *= extent;
  tile::Reduction how = op.getReduction();
  if (how == tile::Reduction::add && elements != type.values *
                                                     target::warpThreads *
                                                     int64_t(b.role.getWarps()))
    return op.emitError("several threads hold the same elements of this "
                        "fragment, which would be added more than once: add "
                        "the fragment that it is broadcast to");
  ValueRange registers = in.getValue();
  Value total = registers.front();
  for (Value value : registers.drop_front())
    total = combine(b, how, total, value);
  bool floating = isa<FloatType>(total.getType());
  for (int distance = 16; distance; distance /= 2) {
    std::string text =
        "shfl.sync.bfly.b32 $0, $1, " + std::to_string(distance) + ", 31, -1;";
    Value other = b.ptx(text, total.getType(), total)[0];
    total = combine(b, how, total, other);
  }
  OpBuilder::InsertionGuard guard(b);
  Value takesPart = b.elect();
  for (auto [at, extent] :
       llvm::zip(ones(in.getCoordinates()), ones(in.getExtents())))
    takesPart = b.both(takesPart, b.within(at, extent, /*nonNegative=*/false));
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

static FailureOr<Registers>
lower(hopper::SignalOp op, Operands<hopper::SignalOp> in, ThreadBuilder &b) {
  b.ptx("fence.acq_rel.gpu;");
  b.ptx("red.release.gpu.global.add.u32 [$0], $1;",
        {elementOf(b, in, b.getI32Type()), one(in.getAmount())});
  return Registers();
}

static FailureOr<Registers>
lower(hopper::AwaitOp op, Operands<hopper::AwaitOp> in, ThreadBuilder &b) {
  b.ptx("{\n\t.reg .pred reached;\n\t.reg .b32 count;\n\tWAIT:\n\t"
        "ld.acquire.gpu.global.b32 count, [$0];\n\t"
        "setp.ge.s32 reached, count, $1;\n\t@reached bra DONE;\n\t"
        "bra WAIT;\n\tDONE:\n\t}",
        {elementOf(b, in, b.getI32Type()), one(in.getValue())});
  // TMA reads by another proxy than the threads that have stored.
  bool copies = false;
  b.role.walk([&](hopper::TmaLoadOp) { copies = true; });
  if (copies)
    b.ptx("fence.proxy.async.global;");
  return Registers();
}

void addGlobalElements(ThreadPatterns &patterns) {
  patterns.add<hopper::ReduceIntoOp, hopper::InsideOp, hopper::SignalOp,
               hopper::AwaitOp>();
}

} // namespace ashlar
