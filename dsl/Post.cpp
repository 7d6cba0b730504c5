#include "ashlar/post.h"
#include "Describe.h"
#include "Elementwise.h"
#include "TileRef.h"

namespace ashlar {

using namespace detail;

namespace {

/// Where elements that tell by their bits that they are there may lie.
Place placeOf(Trace &trace, const TileRef &ref, llvm::ArrayRef<int64_t> shape,
              const char *call, Direction direction, SourceLocation where) {
  const mlir::Type memory = readTensor(trace, ref.tensor, where)
                                .getResult()
                                .getType()
                                .getElementType();
  if (!memory.isF32())
    fail(where, std::string(call) + " moves f32, and the tensor has " +
                    tile::elementName(memory) +
                    ": declare it as f32, or tell by signal and await that "
                    "something is there");
  if (ref.is_transposed)
    fail(where, std::string(call) +
                    " is given the transpose of a tile in global memory: leave "
                    "out .T()");
  return resolve(trace, ref, shape, memory, "the fragment", direction, where);
}

} // namespace

void post(const TileRef &target, const Fragment &fragment,
          SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  const auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  if (!type.getElementType().isF32())
    fail(where, "post moves f32; this fragment is " + describe(type) +
                    ": convert it first");
  Place place = placeOf(trace, target, type.getShape(), "post",
                        Direction::exchange, where);
  auto number = [&](float of) {
    return trace.create<mlir::arith::ConstantOp>(
        where, mlir::DenseElementsAttr::get(type, of));
  };
  const mlir::Value isZero = trace.create<mlir::arith::CmpFOp>(
      where, mlir::arith::CmpFPredicate::OEQ, value, number(0));
  value =
      trace.create<mlir::arith::SelectOp>(where, isZero, number(-0.0f), value);
  trace.create<tile::StoreOp>(where, value, place.tensor.getResult(),
                              place.offsets, mlir::Value(), mlir::ValueRange(),
                              /*transposed=*/false, /*relaxed=*/true);
}

std::vector<Fragment> take(const std::vector<Posted> &tiles,
                           SourceLocation where) {
  Trace &trace = Trace::current(where);
  if (tiles.empty())
    fail(where, "take is given no tile: name those that are awaited");
  llvm::SmallVector<mlir::Value> sources, coordinates;
  llvm::SmallVector<mlir::Type> types;
  const mlir::Type f32 = mlir::Float32Type::get(trace.context());
  for (const auto &[at, shape] : tiles) {
    const auto extents = checkedShape("the fragment", shape, where);
    Place place =
        placeOf(trace, at, extents, "take", Direction::exchange, where);
    sources.push_back(place.tensor.getResult());
    llvm::append_range(coordinates, place.offsets);
    types.push_back(mlir::RankedTensorType::get(extents, f32));
  }
  auto taken = trace.create<tile::TakeOp>(where, types, sources, coordinates,
                                          mlir::IntegerAttr());
  std::vector<Fragment> fragments;
  for (mlir::Value result : taken.getResults())
    fragments.push_back(
        trace.declare<Fragment>(HandleKind::fragment, result, where));
  return fragments;
}

Fragment take(const TileRef &source, const Shape &shape, SourceLocation where) {
  return take(std::vector<Posted>{{source, shape}}, where).front();
}

} // namespace ashlar
