#include "ashlar/fragment.h"
#include "Broadcast.h"
#include "Describe.h"
#include "Elementwise.h"

namespace ashlar {

using namespace detail;

namespace {

Fragment declareFragment(Trace &trace, mlir::Value value,
                         SourceLocation where) {
  return trace.declare<Fragment>(HandleKind::fragment, value, where);
}

} // namespace

Shape Fragment::shape(SourceLocation where) const {
  Trace &trace = Trace::current(where);
  auto type =
      llvm::cast<mlir::RankedTensorType>(trace.read(*this, where).getType());
  return Shape(type.getShape().vec());
}

Fragment zeros(ElementType type, const Shape &shape, SourceLocation where) {
  return full(type, shape, UniformOperand(0, where), where);
}

Fragment full(ElementType type, const Shape &shape, UniformOperand value,
              SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto tensor = fragmentType(trace.context(), type, shape, where);
  mlir::Type element = tensor.getElementType();
  if (tile::isStorage(element))
    fail(where, "a fragment of " + describe(element) +
                    " is loaded or converted, not filled: convert one of f32");
  mlir::Value scalar;
  if (value.scalar)
    scalar = trace.read(*value.scalar, where);
  else if (value.index)
    scalar =
        emitNumberOf(trace, trace.read(*value.index, where), element, where);
  else
    scalar = emitNumber(trace, value.number, element, where);
  if (scalar.getType() != element)
    fail(where, "a fragment of " + describe(element) +
                    " is filled with a scalar of " +
                    describe(scalar.getType()) + "; convert the scalar");
  return declareFragment(trace, emitSplat(trace, scalar, tensor, where), where);
}

namespace {

Fragment coordinates(const Shape &shape, int64_t fromBehind,
                     SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto type = fragmentType(trace.context(), s32, shape, where);
  if (type.getRank() < fromBehind)
    fail(where, "rows of a vector of " + shape.str() +
                    " elements; it has none: columns(shape) counts its "
                    "elements");
  return declareFragment(trace,
                         trace.create<tile::CoordinateOp>(
                             where, type, type.getRank() - fromBehind),
                         where);
}

} // namespace

Fragment rows(const Shape &shape, SourceLocation where) {
  return coordinates(shape, 2, where);
}

Fragment columns(const Shape &shape, SourceLocation where) {
  return coordinates(shape, 1, where);
}

/// The fragment as elements of another type.
static Fragment inType(const Fragment &fragment, ElementType type,
                       decltype(emitConvert) emit, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  auto from = llvm::cast<mlir::RankedTensorType>(value.getType());
  auto to =
      fragmentType(trace.context(), type, Shape(from.getShape().vec()), where);
  return declareFragment(trace, emit(trace, value, to.getElementType(), where),
                         where);
}

Fragment convert(const Fragment &fragment, ElementType type,
                 SourceLocation where) {
  return inType(fragment, type, emitConvert, where);
}

Fragment bitcast(const Fragment &fragment, ElementType type,
                 SourceLocation where) {
  return inType(fragment, type, emitBitcast, where);
}

Fragment slice(const Fragment &fragment, std::initializer_list<int64_t> offset,
               const Shape &shape, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the part", shape, where);
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  checkPart(type.getShape(), "a fragment", llvm::SmallVector<int64_t>(offset),
            extents, where);
  checkRows("the part", extents, type.getElementType(), where);
  checkRows("the offset of the part", llvm::SmallVector<int64_t>(offset),
            type.getElementType(), where);
  auto part = mlir::RankedTensorType::get(extents, type.getElementType());
  auto op = trace.create<tile::SliceOp>(where, part, value,
                                        llvm::SmallVector<int64_t>(offset));
  return declareFragment(trace, op, where);
}

namespace {

/// How many CTAs are combined along a dimension of the cluster.
int64_t checkClusterReduction(Trace &trace, const std::string &function,
                              mlir::RankedTensorType type, int64_t dimension,
                              SourceLocation where) {
  auto cluster = trace.kernel().getCluster();
  if (!cluster)
    fail(where, function + " combines over a cluster, and the kernel has none: "
                           "call cluster({...}) before the roles");
  if (dimension < 0 || dimension >= int64_t(cluster->size()))
    fail(where, function + " combines along dimension " +
                    std::to_string(dimension) + " of a cluster of " +
                    std::to_string(cluster->size()) + " dimensions");
  if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
    fail(where, function + " combines f32 or s32; this fragment is " +
                    describe(type) + ": convert it first");
  return (*cluster)[dimension];
}

Fragment reduceWhole(const Fragment &fragment, const char *function,
                     tile::Reduction how, int64_t dimension,
                     SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  if (checkClusterReduction(trace, function, type, dimension, where) == 1)
    return Fragment(fragment, where);
  auto op =
      trace.create<tile::ClusterReduceOp>(where, type, value, how, dimension);
  return declareFragment(trace, op.getResult(), where);
}

} // namespace

Fragment cluster_sum(const Fragment &fragment, int64_t dimension,
                     SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  int64_t parts =
      checkClusterReduction(trace, "cluster_sum", type, dimension, where);
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (shape.empty() || shape.back() % parts)
    fail(where, "cluster_sum shares out the columns of " + describe(type) +
                    " among " + std::to_string(parts) +
                    " CTAs: make them a multiple of " + std::to_string(parts) +
                    ", or take cluster_all_sum, which gives all to each");
  if (parts == 1)
    return Fragment(fragment, where);
  shape.back() /= parts;
  auto part = mlir::RankedTensorType::get(shape, type.getElementType());
  auto op = trace.create<tile::ClusterReduceOp>(
      where, part, value, tile::Reduction::add, dimension);
  return declareFragment(trace, op.getResult(), where);
}

Fragment cluster_all_sum(const Fragment &fragment, int64_t dimension,
                         SourceLocation where) {
  return reduceWhole(fragment, "cluster_all_sum", tile::Reduction::add,
                     dimension, where);
}

Fragment cluster_all_max(const Fragment &fragment, int64_t dimension,
                         SourceLocation where) {
  return reduceWhole(fragment, "cluster_all_max", tile::Reduction::max,
                     dimension, where);
}

Fragment cluster_all_min(const Fragment &fragment, int64_t dimension,
                         SourceLocation where) {
  return reduceWhole(fragment, "cluster_all_min", tile::Reduction::min,
                     dimension, where);
}

Fragment broadcast(const Fragment &fragment, const Shape &shape,
                   SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the fragment", shape, where);
  mlir::Value value = trace.read(fragment, where);
  return declareFragment(trace, broadcastLeading(trace, value, extents, where),
                         where);
}

Fragment broadcast(const ColumnVector &column, const Shape &shape,
                   SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the fragment", shape, where);
  mlir::Value value = trace.read(column.values(), where);
  return declareFragment(trace, broadcastColumn(trace, value, extents, where),
                         where);
}

} // namespace ashlar
