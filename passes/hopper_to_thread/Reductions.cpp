// Fragments combined along dimensions, and coordinates as values.

#include "compiler/layout/Reduction.h"
#include "passes/hopper_to_thread/Combine.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

static FailureOr<Registers> lower(hopper::WarpReduceOp op,
                                  Operands<hopper::WarpReduceOp> in,
                                  ThreadBuilder &b) {
  FragmentType from(cast<RankedTensorType>(op.getValue().getType()));
  FragmentType to(cast<RankedTensorType>(op.getResult().getType()));
  const std::vector<int> along(op.getDimensions().begin(),
                               op.getDimensions().end());
  const auto reduction = *layout::warpReduction(from.layout, along);
  const std::vector<int> kept =
      layout::keptDimensions(int64_t(from.layout.shape.size()), along);
  // What the thread holds that belongs to the same result.
  std::map<std::vector<int64_t>, SmallVector<Value>> groups;
  for (auto [v, value] : llvm::enumerate(in.getValue())) {
    auto whole = layout::coordinate(from.layout, 0, int64_t(v));
    std::vector<int64_t> at;
    for (int dim : kept)
      at.push_back(whole[dim]);
    if (kept.empty())
      at.push_back(0);
    groups[at].push_back(value);
  }
  Registers results;
  for (int64_t v = 0; v < to.values; ++v) {
    auto at = layout::coordinate(to.layout, 0, v);
    if (reduction.parts > 1)
      at.pop_back();
    Value result = combineAll(b, op.getReduction(), OfNaN::kept, groups.at(at));
    for (int64_t distance : llvm::reverse(reduction.distances))
      result = combine(b, op.getReduction(), OfNaN::kept, result,
                       b.fromLane(result, distance));
    results.push_back(result);
  }
  return results;
}

static FailureOr<Registers> lower(hopper::CoordinateOp op,
                                  Operands<hopper::CoordinateOp>,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  const Place place = placeOf(b, type);
  const size_t dimension = op.getDimension();
  Registers results;
  for (int64_t offset : place.value[dimension])
    results.push_back(b.add(place.thread[dimension], offset));
  return results;
}

static FailureOr<Registers>
lower(hopper::ElementOp, Operands<hopper::ElementOp> in, ThreadBuilder &) {
  return Registers{one(in.getValue())};
}

static FailureOr<Registers> lower(hopper::FirstLaneOp op,
                                  Operands<hopper::FirstLaneOp> in,
                                  ThreadBuilder &b) {
  Value value = one(in.getValue());
  Words words(tile::elementBytes(op.getResult().getType()));
  SmallVector<Value> word = toWords(b, words, value);
  const bool isShort = words.bits < 32;
  Type i32 = b.getI32Type();
  Value number =
      isShort ? Value(LLVM::ZExtOp::create(b, b.loc, i32, word[0])) : word[0];
  Value first = b.ptx("shfl.sync.idx.b32 $0, $1, 0, 31, -1;", i32, number)[0];
  if (isShort)
    first = LLVM::TruncOp::create(b, b.loc, word[0].getType(), first);
  return fromWords(b, first, value.getType(), 1);
}

void addReductions(ThreadPatterns &patterns) {
  patterns.add<hopper::WarpReduceOp, hopper::CoordinateOp, hopper::ElementOp,
               hopper::FirstLaneOp>();
}

} // namespace ashlar
