// tile-pair-elements: elements of four bits are pairs, which have a byte.
//
// Memory has no address for half a byte, so two elements that are next to each
// other along the last dimension are one: tiles and fragments have half as many
// there, and coordinates count pairs. What is moved is bytes from here on; only
// a conversion sees what they are made of. Tensors keep the extents of their
// elements, which are the author's sizes.

#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "passes/IndexFacts.h"
#include "passes/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEPAIRELEMENTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The element type of four bits that a value holds, or null.
Type halfOfByte(Type type) {
  Type element;
  if (auto tensor = dyn_cast<tile::TensorType>(type))
    element = tensor.getElementType();
  else if (auto shared = dyn_cast<tile::SharedType>(type))
    element = shared.getElementType();
  else if (auto fragment = dyn_cast<RankedTensorType>(type))
    element = fragment.getElementType();
  else if (auto pipeline = dyn_cast<tile::PipelineType>(type))
    for (Type tile : pipeline.getTiles())
      if (Type held = halfOfByte(tile))
        element = held;
  return element && tile::pairOf(element) ? element : Type();
}

/// One of the types of an operation's operands and results.
Type halfOfByte(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (Type element = halfOfByte(type))
        return element;
  return {};
}

/// Whether an operation only declares, passes on or converts what it holds.
bool keepsPairs(Operation *op) {
  return isa<tile::TensorOp, tile::PipelineOp, tile::AllocOp, tile::AcquireOp,
             tile::WaitOp, tile::TryAcquireOp, tile::TryWaitOp, tile::CommitOp,
             tile::ReleaseOp, tile::SkipOp, tile::BufferOp, tile::ViewOp,
             tile::PeerOp, tile::CopyToPeerOp, tile::ConvertOp, tile::InsideOp,
             scf::ForOp, scf::IfOp, scf::YieldOp>(op);
}

/// Half of an index that is even.
Value half(OpBuilder &builder, Location loc, Value index) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  llvm::APInt number;
  if (matchPattern(index, m_ConstantInt(&number)))
    return constant(number.getSExtValue() / 2);
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    for (auto [factor, other] : {std::pair(product.getLhs(), product.getRhs()),
                                 std::pair(product.getRhs(), product.getLhs())})
      if (matchPattern(factor, m_ConstantInt(&number)) && !number[0])
        return arith::MulIOp::create(builder, loc, other,
                                     constant(number.getSExtValue() / 2));
  return arith::DivSIOp::create(builder, loc, index, constant(2));
}

/// Makes elements of one operation pairs, but for their types.
class Pairing {
public:
  explicit Pairing(Operation *op) : op(op), builder(op) {}

  LogicalResult run() {
    const Type element = halfOfByte(op);
    if (!element || keepsPairs(op))
      return success();
    name = tile::elementName(element);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<tile::CopyOp, tile::CopyOutOp>(
            [&](auto copy) { return halve(copy.getCoordinatesMutable()); })
        .Case<tile::LoadOp, tile::StoreOp>([&](auto access) {
          return failed(demandRows(access.getTransposed()))
                     ? failure()
                     : halve(access.getCoordinatesMutable());
        })
        .Case<tile::ReadOp, tile::WriteOp>(
            [&](auto access) { return demandRows(access.getTransposed()); })
        .Case<tile::PrefetchOp>([&](auto prefetch) {
          auto shape = halve(prefetch.getShape());
          if (failed(shape))
            return failure();
          prefetch.setShape(*shape);
          return halve(prefetch.getCoordinatesMutable());
        })
        .Case<tile::PartOp, tile::SliceOp>([&](auto part) {
          if (ShapedType::isDynamic(part.getOffsets().back()))
            return halve(cast<tile::PartOp>(*part).getPlacesMutable());
          auto offsets = halve(part.getOffsets());
          if (succeeded(offsets))
            part.setOffsets(*offsets);
          return LogicalResult(offsets);
        })
        .Default([&](Operation *) {
          return op->emitError("there is nothing but moves and conversions of ")
                 << name << ": convert the fragment first";
        });
  }

private:
  LogicalResult demandRows(bool transposed) {
    if (!transposed)
      return success();
    return op->emitError("moves ")
           << name
           << " with rows as columns, and two of a row share a byte: convert "
              "the fragment, or leave out .T()";
  }

  LogicalResult halve(MutableOperandRange coordinates) {
    OpOperand &last = coordinates[coordinates.size() - 1];
    if (IndexFacts(last.get()).of(last.get()).divisor % 2)
      return op->emitError("begins at a last coordinate that is not known to "
                           "be even, and two elements of ")
             << name << " share a byte: promise it with multiple_of(index, 2)";
    last.set(half(builder, op->getLoc(), last.get()));
    return success();
  }

  FailureOr<SmallVector<int64_t>> halve(ArrayRef<int64_t> numbers) {
    SmallVector<int64_t> halved(numbers);
    if (halved.back() % 2)
      return op->emitError("takes a part with an odd number of columns, ")
             << halved.back() << ", or from one on, and two elements of "
             << name << " share a byte: use an even one";
    halved.back() /= 2;
    return halved;
  }

  Operation *op;
  OpBuilder builder;
  std::string name;
};

/// Whether rows are whole bytes.
LogicalResult checkRows(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    auto shaped = [&]() -> ArrayRef<int64_t> {
      if (auto shared = dyn_cast<tile::SharedType>(type))
        return shared.getShape();
      if (auto fragment = dyn_cast<RankedTensorType>(type))
        return fragment.getShape();
      return {};
    }();
    Type element = halfOfByte(type);
    if (!element || shaped.empty() || shaped.back() % 2 == 0)
      return success();
    return op->emitError("has rows of ")
           << shaped.back() << " elements of " << tile::elementName(element)
           << ", of which two share a byte: use an even number";
  };
  for (Type type : op->getResultTypes()) {
    if (failed(check(type)))
      return failure();
    if (auto pipeline = dyn_cast<tile::PipelineType>(type))
      for (Type tile : pipeline.getTiles())
        if (failed(check(tile)))
          return failure();
  }
  return success();
}

Type withPairs(tile::SharedType type) {
  Type pair = tile::pairOf(type.getElementType());
  if (!pair || type.getLayout())
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= 2;
  return tile::SharedType::get(type.getContext(), shape, pair);
}

Type withPairs(RankedTensorType type) {
  Type pair = tile::pairOf(type.getElementType());
  if (!pair || type.getEncoding())
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= 2;
  return RankedTensorType::get(shape, pair);
}

struct TilePairElements : impl::TilePairElementsBase<TilePairElements> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(checkRows(op)) || failed(Pairing(op).run()))
        return signalPassFailure();
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](tile::SharedType type) -> Type { return withPairs(type); });
    replacer.addReplacement(
        [](RankedTensorType type) -> Type { return withPairs(type); });
    replacer.addReplacement([](tile::TensorType type) -> Type {
      Type pair = tile::pairOf(type.getElementType());
      return pair ? tile::TensorType::get(type.getContext(), pair,
                                          type.getRank())
                  : type;
    });
    replacer.recursivelyReplaceElementsIn(getOperation(),
                                          /*replaceAttrs=*/false,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

} // namespace
} // namespace ashlar
