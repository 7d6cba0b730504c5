// tile-assign-layouts: every shared tile and every fragment has its layout.
//
// Values that an elementwise operation, a loop or a conditional ties together
// share one layout. The accumulator of an mma has the layout of wgmma, and so
// does what it takes in registers, relayed if it lies otherwise, and before it
// is rounded where that only numbers it otherwise; what is
// broadcast to a fragment, or combined of it, has a slice of its layout; what
// no mma touches lies as another fragment of its shape where that fits what is
// broadcast to it, and is else spread over the role's threads in rows, or,
// where shared memory has it transposed, so that neither way meets at the
// banks. Pairs of elements of four bits lie where their elements do once they
// are converted. Where a slice, a part or pairs are needed in another layout
// than they have, they are relayed.

#include "compiler/layout/Pairs.h"
#include "compiler/layout/Reduction.h"
#include "compiler/layout/Relay.h"
#include "compiler/layout/Repeated.h"
#include "compiler/layout/Scan.h"
#include "compiler/layout/WgmmaFragment.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/FragmentAccesses.h"
#include "passes/Passes.h"
#include "passes/SharedLayouts.h"
#include "llvm/ADT/IntEqClasses.h"

#include <map>
#include <numeric>

namespace ashlar {

#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "passes/Passes.h.inc"

using namespace mlir;
using layout::FragmentLayout;

namespace {

/// The fragments of one role, in classes that share a layout.
class Fragments {
public:
  explicit Fragments(tile::RoleOp role) : role(role), accesses(role, classOf) {
    role.walk([&](Operation *op) {
      for (Value result : op->getResults())
        add(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            add(argument);
    });
    llvm::IntEqClasses classes(values.size());
    role.walk([&](Operation *op) { tie(op, classes); });
    classes.compress();
    for (auto [i, value] : llvm::enumerate(values))
      classOf[value] = classes[i];
    layouts.resize(classes.getNumClasses());
  }

  LogicalResult assign() {
    if (failed(seedFromMma()) || failed(seedWhatFollows()) ||
        failed(seedTheRest()) || failed(checkScans()) ||
        failed(checkRegisters()))
      return failure();
    return setTypes();
  }

private:
  void add(Value value) {
    if (isa<RankedTensorType>(value.getType())) {
      classOf[value] = values.size();
      values.push_back(value);
    }
  }

  void tie(Operation *op, llvm::IntEqClasses &classes) {
    auto join = [&](Value a, Value b) {
      if (classOf.contains(a) && classOf.contains(b))
        classes.join(classOf[a], classOf[b]);
    };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto yields = loop.getYieldedValues();
      for (auto [i, result] : llvm::enumerate(loop.getResults())) {
        join(result, loop.getInitArgs()[i]);
        join(result, loop.getRegionIterArg(i));
        join(result, yields[i]);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [i, result] : llvm::enumerate(branch.getResults())) {
        join(result, branch.thenYield().getOperand(i));
        join(result, branch.elseYield().getOperand(i));
      }
    } else if (auto mma = dyn_cast<tile::MmaOp>(op)) {
      join(mma.getAccumulator(), mma.getResult());
    } else if (auto scan = dyn_cast<tile::ScanOp>(op)) {
      join(scan.getValue(), scan.getResult());
    } else if (auto convert = dyn_cast<tile::ConvertOp>(op);
               convert && !isOfPairs(convert.getValue()) &&
               !isOfPairs(convert.getResult())) {
      join(convert.getValue(), convert.getResult());
    } else if (isa<tile::PrintOp, tile::GatherOp, tile::ScatterOp>(op)) {
      Value first = op->getNumResults() ? op->getResult(0) : Value();
      for (Value value : op->getOperands())
        if (classOf.contains(value)) {
          first = first ? first : value;
          join(first, value);
        }
    } else if (op->hasTrait<OpTrait::Elementwise>()) {
      Value first = op->getNumResults() ? op->getResult(0) : Value();
      for (Value operand : op->getOperands())
        if (first)
          join(first, operand);
    }
  }

  std::optional<FragmentLayout> &layoutFor(Value value) {
    return layouts[classOf[value]];
  }

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }

  /// A value with a layout of its own.
  void addWith(const FragmentLayout &layout, Value value) {
    classOf[value] = layouts.size();
    values.push_back(value);
    layouts.push_back(layout);
  }

  static Value relay(OpBuilder &builder, Operation *op, Value value) {
    return tile::RelayOp::create(builder, op->getLoc(), value.getType(), value);
  }

  /// What an operation takes in a layout; relayed if it lies otherwise.
  void setOperand(OpOperand &operand, const FragmentLayout &layout) {
    auto &slot = layoutFor(operand.get());
    if (!slot)
      slot = layout;
    if (*slot == layout)
      return;
    OpBuilder builder(operand.getOwner());
    operand.set(relay(builder, operand.getOwner(), operand.get()));
    addWith(layout, operand.get());
  }

  /// What an operation gives in a layout; relayed if it is used otherwise.
  void setResult(OpResult result, const FragmentLayout &layout) {
    auto &slot = layoutFor(result);
    if (!slot)
      slot = layout;
    if (*slot == layout)
      return;
    Operation *op = result.getOwner();
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value relayed = relay(builder, op, result);
    result.replaceAllUsesExcept(relayed, relayed.getDefiningOp());
    // The uses keep their class.
    const unsigned ofUses = classOf[result];
    classOf[relayed] = ofUses;
    values.push_back(relayed);
    classOf[result] = layouts.size();
    layouts.push_back(layout);
  }

  /// Sums first: what an mma takes in registers may be made of them, and is
  /// relayed if it does not lie as they do.
  LogicalResult seedFromMma() {
    const int64_t warpgroups = role.getWarps() / target::warpgroupWarps;
    LogicalResult result = success();
    DenseMap<tile::MmaOp, layout::RowsOfLane> rows;
    role.walk([&](tile::MmaOp mma) { rows[mma] = rowsOfLane(mma); });
    role.walk([&](tile::MmaOp mma) {
      auto shape = shapeOf(mma.getResult());
      auto layout =
          layout::accumulatorLayout(shape[0], shape[1], warpgroups, rows[mma],
                                    mma.product().columnOrder());
      // Values that share a layout have one shape, and so sums the same, but
      // for the order of columns.
      auto &slot = layoutFor(mma.getResult());
      if (!layout)
        result = mma.emitError(layout.why());
      else if (slot && *slot != *layout)
        result = mma.emitError(
            "this is added to, or computed with, sums of a tile whose rows lie "
            "in "
            "another order: call even_rows_first on both, or on neither");
      else
        slot = *layout;
    });
    if (failed(result))
      return failure();
    role.walk([&](tile::MmaOp mma) {
      const int64_t bytes = tile::elementBytes(mma.product().elementA());
      auto take = [&](OpOperand &operand, auto layoutFor) {
        auto shape = shapeOf(operand.get());
        auto layout = layoutFor(shape);
        if (!layout)
          result = mma.emitError(layout.why());
        else
          setFactor(operand, *layout);
      };
      if (isa<RankedTensorType>(mma.getA().getType()))
        take(mma.getAMutable(), [&](ArrayRef<int64_t> shape) {
          return layout::operandLayout(shape[0], shape[1], warpgroups, bytes,
                                       rows[mma], mma.product().depthOrder());
        });
      if (mma.getMetadata())
        take(*mma.getMetadataMutable().begin(), [&](ArrayRef<int64_t> shape) {
          return layout::metadataLayout(shape[0], shape[1], warpgroups, bytes);
        });
    });
    return result;
  }

  /// Neighbours where every A that is multiplied to a sum, or to what lies as
  /// it does, is bytes loaded from columns, and none is made of such a sum: its
  /// lanes would have more to exchange.
  layout::RowsOfLane rowsOfLane(tile::MmaOp of) {
    const unsigned sums = classOf[of.getResult()];
    bool areNeighbours = true;
    role.walk([&](tile::MmaOp mma) {
      if (isa<RankedTensorType>(mma.getA().getType()))
        areNeighbours &= classOf[mma.getA()] != sums;
      if (classOf[mma.getResult()] == sums)
        areNeighbours &= accesses.areColumnsOfA(mma);
    });
    return areNeighbours ? layout::RowsOfLane::neighbours
                         : layout::RowsOfLane::eight_apart;
  }

  /// What a product takes in a layout. It is relayed once, for all products,
  /// before the first one or the loops around it in which it stays the same.
  void setFactor(OpOperand &operand, const FragmentLayout &layout) {
    Value value = operand.get();
    auto &slot = layoutFor(value);
    if (!slot)
      slot = layout;
    if (*slot == layout)
      return;
    Value &relayed = factors[{value.getAsOpaquePointer(), layout.str()}];
    if (relayed)
      return operand.set(relayed);
    Operation *first =
        value.getParentBlock()->findAncestorOpInBlock(*operand.getOwner());
    OpBuilder builder(first);
    auto rounding = value.getDefiningOp<arith::TruncFOp>();
    const auto moved = layout::warpRelay(*slot, layout, 1);
    const bool isFactor = llvm::all_of(value.getUsers(), [](Operation *user) {
      return isa<tile::MmaOp>(user);
    });
    if (rounding && isFactor && moved && moved->isRenumbering()) {
      // Wide values are only numbered otherwise, and rounded as that needs it.
      builder.setInsertionPoint(rounding);
      Value wide = relay(builder, operand.getOwner(), rounding.getIn());
      addWith(layout, wide);
      relayed = arith::TruncFOp::create(builder, rounding.getLoc(),
                                        value.getType(), wide);
    } else {
      relayed = relay(builder, operand.getOwner(), value);
    }
    operand.set(relayed);
    addWith(layout, relayed);
  }

  /// What the layouts so far say of others. A vector that is broadcast may be
  /// cut, and a part broadcast.
  LogicalResult seedWhatFollows() {
    auto known = [&] {
      return llvm::count_if(layouts, [](auto &slot) { return bool(slot); });
    };
    int64_t before;
    do {
      before = known();
      if (failed(seedFromParts()) || failed(seedFromReductions()))
        return failure();
      seedFromConversions();
      seedFromBroadcasts();
    } while (known() != before);
    return success();
  }

  /// A part may be cut again: in program order. A fragment whose threads do not
  /// hold as much of a part each is relayed for it.
  LogicalResult seedFromParts() {
    LogicalResult result = success();
    role.walk([&](Operation *op) {
      if (!isCut(op) || !layoutFor(op->getOperand(0)))
        return;
      OpOperand &whole = op->getOpOperand(0);
      if (!cut(*layoutFor(whole.get()), op)) {
        auto parts = layoutOfParts(whole.get(), unitOf(op));
        if (!parts) {
          result = op->emitError(parts.why());
          return;
        }
        setOperand(whole, *parts);
      }
      setResult(op->getResult(0), *cut(*layoutFor(whole.get()), op));
    });
    return result;
  }

  /// Whether an operation gives a part of its first operand.
  static bool isCut(Operation *op) {
    return isa<tile::SliceOp, tile::ClusterReduceOp>(op);
  }

  /// Where the part begins; what a CTA gets may be any of the parts.
  static std::vector<std::vector<int64_t>> offsetsOf(Operation *op) {
    if (auto slice = dyn_cast<tile::SliceOp>(op))
      return {slice.getOffsets().vec()};
    const auto whole = shapeOf(op->getOperand(0)),
               part = shapeOf(op->getResult(0));
    std::vector<std::vector<int64_t>> all;
    for (int64_t column = 0; column < whole.back(); column += part.back()) {
      all.emplace_back(part.size(), 0);
      all.back().back() = column;
    }
    return all;
  }

  /// The layout of the part of a fragment that lies so.
  static layout::Result<FragmentLayout> cut(const FragmentLayout &whole,
                                            Operation *op) {
    const std::vector<int64_t> shape = shapeOf(op->getResult(0)).vec();
    const auto offsets = offsetsOf(op);
    for (const std::vector<int64_t> &offset : llvm::drop_begin(offsets))
      if (auto part = layout::partLayout(whole, offset, shape); !part)
        return part;
    return layout::partLayout(whole, offsets.front(), shape);
  }

  /// Extents of which a fragment, a part of it and where that begins are
  /// multiples.
  static std::vector<int64_t> unitOf(Operation *op) {
    std::vector<int64_t> unit = shapeOf(op->getOperand(0)).vec();
    for (const std::vector<int64_t> &offsets : offsetsOf(op))
      for (auto [extent, offset, ofPart] :
           llvm::zip(unit, offsets, shapeOf(op->getResult(0))))
        extent = std::gcd(extent, std::gcd(offset, ofPart));
    return unit;
  }

  /// Each part of these extents is spread over all threads.
  layout::Result<FragmentLayout>
  layoutOfParts(Value value, const std::vector<int64_t> &extents) {
    auto part = layout::blockedLayout(
        extents, target::warpThreads * int64_t(role.getWarps()),
        accesses.movedBytes(value));
    if (part)
      return layout::repeatedLayout(*part, shapeOf(value).vec());
    return part;
  }

  /// A result lies so that it can be broadcast to what was combined.
  LogicalResult seedFromReductions() {
    LogicalResult result = success();
    role.walk([&](tile::ReduceOp op) {
      if (!layoutFor(op.getValue()))
        return;
      auto reduction = layout::warpReduction(
          *layoutFor(op.getValue()),
          {op.getDimensions().begin(), op.getDimensions().end()});
      if (!reduction)
        result = op.emitError(reduction.why());
      else
        setResult(cast<OpResult>(op.getResult()), reduction->result);
    });
    return result;
  }

  /// Elements of four bits lie in pairs, and each pair where its two elements
  /// lie in another type. What computes says where, if it can be halved.
  void seedFromConversions() {
    role.walk([&](tile::ConvertOp op) {
      const bool fromPairs = isOfPairs(op.getValue());
      if (!fromPairs && !isOfPairs(op.getResult()))
        return;
      OpOperand &source = op.getValueMutable();
      auto result = cast<OpResult>(op.getResult());
      Value pairs = fromPairs ? source.get() : Value(result);
      Value elements = fromPairs ? Value(result) : source.get();
      std::optional<FragmentLayout> ofPairs;
      if (auto &whole = layoutFor(elements))
        if (auto halved = layout::pairsOf(*whole))
          ofPairs = *halved;
      if (!ofPairs && !layoutFor(pairs))
        return;
      FragmentLayout lies = *layoutFor(ofPairs ? elements : pairs);
      if (!ofPairs)
        lies = layout::elementsOf(lies);
      if (fromPairs == ofPairs.has_value())
        setOperand(source, ofPairs ? *ofPairs : lies);
      else
        setResult(result, ofPairs ? *ofPairs : lies);
    });
  }

  static bool isOfPairs(Value value) {
    return tile::isPair(
        cast<RankedTensorType>(value.getType()).getElementType());
  }

  /// A broadcast may feed another: the last one in the program first.
  void seedFromBroadcasts() {
    const SmallVector<tile::BroadcastOp> all = broadcasts();
    for (tile::BroadcastOp op : llvm::reverse(all))
      if (auto whole = layoutFor(op.getResult()))
        setOperand(op.getValueMutable(), sliceFor(op, *whole));
  }

  SmallVector<tile::BroadcastOp> broadcasts() {
    SmallVector<tile::BroadcastOp> found;
    role.walk([&](tile::BroadcastOp op) { found.push_back(op); });
    return found;
  }

  static FragmentLayout sliceFor(tile::BroadcastOp op,
                                 const FragmentLayout &whole) {
    return layout::broadcastLayout(
        whole, shapeOf(op.getValue()).vec(),
        {op.getDimensions().begin(), op.getDimensions().end()});
  }

  /// A layout of the value's shape that fits what is broadcast to it: as what
  /// it comes from lies, say.
  std::optional<FragmentLayout> fitting(Value value) {
    SmallVector<tile::BroadcastOp> toIt;
    for (tile::BroadcastOp op : broadcasts())
      if (classOf[op.getResult()] == classOf[value] && layoutFor(op.getValue()))
        toIt.push_back(op);
    if (toIt.empty())
      return std::nullopt;
    for (const auto &known : layouts)
      if (known && ArrayRef(known->shape) == shapeOf(value) &&
          llvm::all_of(toIt, [&](tile::BroadcastOp op) {
            return sliceFor(op, *known) == *layoutFor(op.getValue());
          }))
        return known;
    return std::nullopt;
  }

  /// Fragments of more dimensions first: those of fewer may be slices of them.
  /// Pairs last: they lie as what is made of them.
  LogicalResult seedTheRest() {
    SmallVector<Value> order(values);
    llvm::stable_sort(order, [](Value a, Value b) {
      return std::pair(-int64_t(shapeOf(a).size()), isOfPairs(a)) <
             std::pair(-int64_t(shapeOf(b).size()), isOfPairs(b));
    });
    for (Value value : order) {
      if (layoutFor(value))
        continue;
      if (auto known = fitting(value)) {
        layoutFor(value) = known;
        if (failed(seedWhatFollows()))
          return failure();
        continue;
      }
      auto layout = layoutByItself(value);
      if (!layout)
        return emitError(value.getLoc())
               << "role '" << role.getName()
               << "' cannot hold this fragment: " << layout.why()
               << (isOfPairs(value) ? "; of four bits, two count as one" : "");
      layoutFor(value) = *layout;
      if (failed(seedWhatFollows()))
        return failure();
    }
    return success();
  }

  /// The layout of what nothing else says where it lies: spread, and if it is
  /// cut into parts, each of these.
  layout::Result<FragmentLayout> layoutByItself(Value value) {
    const std::vector<int64_t> shape = shapeOf(value).vec();
    const int64_t warps = role.getWarps(),
                  threads = target::warpThreads * warps;
    if (const FragmentMovement moved = accesses.movementOf(value);
        moved.transposedBytes) {
      const int64_t bytes = moved.transposedBytes;
      // Of a row of a tensor, threads side by side reach whole sectors.
      const int64_t down = moved.global || bytes > 2 ? 16 : 32;
      auto layout =
          layout::columnLayout(shape[0], shape[1], threads, bytes, down);
      if (bytes == 1)
        if (auto blocks = layout::byteBlockLayout(shape[0], shape[1], threads))
          layout = blocks;
      if (bytes == 2 && !moved.global)
        if (auto matrices = layout::matrixLayout(shape[0], shape[1], warps))
          layout = matrices;
      if (layout)
        return layout;
    }
    auto layout = layoutOfParts(value, shape);
    std::vector<int64_t> unit = shape;
    bool isUneven = false;
    role.walk([&](Operation *op) {
      if (!layout || !isCut(op) || classOf[op->getOperand(0)] != classOf[value])
        return;
      isUneven |= !cut(*layout, op);
      for (auto [extent, ofPart] : llvm::zip(unit, unitOf(op)))
        extent = std::gcd(extent, ofPart);
    });
    if (auto parts = layoutOfParts(value, unit); isUneven && parts)
      return parts;
    return layout;
  }

  LogicalResult checkScans() {
    LogicalResult result = success();
    role.walk([&](tile::ScanOp op) {
      auto scan =
          layout::warpScan(*layoutFor(op.getResult()), int(op.getDimension()));
      if (!scan)
        result = op.emitError(scan.why());
    });
    return result;
  }

  LogicalResult checkRegisters() {
    int64_t limit =
        role.getRegisters() ? role.getRegisters() : target::mostRegisters;
    for (Value value : values) {
      auto type = cast<RankedTensorType>(value.getType());
      Type element = type.getElementType();
      int64_t bits =
          layoutFor(value)->value.size() *
          (tile::isPair(element) ? 8 : element.getIntOrFloatBitWidth());
      if (bits > 32 * limit)
        return emitError(value.getLoc())
               << "role '" << role.getName()
               << "' cannot hold this fragment: it takes "
               << llvm::divideCeil(bits, 32) << " registers of each of its "
               << target::warpThreads * role.getWarps()
               << " threads, which have " << limit
               << ": use smaller tiles or more warpgroups";
    }
    return success();
  }

  LogicalResult setTypes() {
    for (Value value : values) {
      auto type = cast<RankedTensorType>(value.getType());
      auto encoding =
          tile::FragmentAttr::get(type.getContext(), *layoutFor(value));
      auto assigned = RankedTensorType::get(type.getShape(),
                                            type.getElementType(), encoding);
      if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
        auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!elements)
          return constant.emitError("a constant fragment has one value "
                                    "everywhere");
        constant.setValueAttr(elements.resizeSplat(assigned));
      }
      value.setType(assigned);
    }
    return success();
  }

  tile::RoleOp role;
  SmallVector<Value> values;
  DenseMap<Value, unsigned> classOf; ///< of values that share a layout
  FragmentAccesses accesses;
  std::vector<std::optional<FragmentLayout>> layouts;
  /// What was relayed for products, by the value and its layout.
  std::map<std::pair<void *, std::string>, Value> factors;
};

struct TileAssignLayouts : impl::TileAssignLayoutsBase<TileAssignLayouts> {
  void runOnOperation() override {
    if (failed(assignSharedLayouts(getOperation())))
      return signalPassFailure();
    for (auto role : getOperation().getBody().getOps<tile::RoleOp>())
      if (failed(Fragments(role).assign()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
