// What declarations, indices and stages of the tile dialect require, in the
// author's words.

#include "compiler/tile/Verify.h"
#include "compiler/layout/SharedTile.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ashlar::tile {

namespace {

constexpr int64_t mostDimensions = 5; ///< of a schedule
constexpr int mostTerms = 1000;       ///< of an index that the launch computes

/// Whether an operation may stand beside the roles: declarations, what is
/// computed from sizes and scalars, and what a launch is to keep.
bool standsBesideRoles(Operation &op) {
  if (auto expected = dyn_cast<ExpectOp>(op))
    return isKnownAtLaunch(expected.getCondition());
  return op.hasTrait<OpTrait::HasParent<KernelOp>::Impl>() ||
         isa<ScheduleOp, MultipleOfOp, AtMostOp>(op) ||
         (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
          llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>));
}

/// What the launch can compute the value of.
LogicalResult checkExtents(Operation *op, const Twine &what,
                           OperandRange extents, StringRef remedy) {
  for (Value extent : extents) {
    llvm::APInt constant;
    bool isConstant = matchPattern(extent, m_ConstantInt(&constant));
    if (!isConstant && !extent.getDefiningOp<SizeOp>())
      return op->emitError(what) << " has an extent that is neither a size nor "
                                    "a constant; "
                                 << remedy;
    if (isConstant && constant.isNegative())
      return op->emitError(what)
             << " has an extent of " << constant.getSExtValue()
             << "; an extent is at least 0";
  }
  return success();
}

} // namespace

/// "128x64"
std::string dimensions(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

LogicalResult checkScalar(Operation *op) {
  Type type = op->getResult(0).getType();
  if (elementType(type) && registerType(type) == type && !isStorage(type))
    return success();
  return op->emitOpError("is ") << elementName(type) << "; a scalar is of a "
                                << "type that a thread holds: use f32 or s32";
}

LogicalResult ScalarOp::verify() { return checkScalar(*this); }

LogicalResult checkSelfContained(Operation *role) {
  auto stays = [](Type type) {
    return isa<TensorType, SharedType, PipelineType, ScheduleType, BarrierType>(
        type);
  };
  WalkResult result = role->walk([&](Operation *op) {
    if (op == role || isa<TileDialect>(op->getDialect()))
      return WalkResult::advance();
    auto found = llvm::find_if(op->getResultTypes(), stays);
    if (found == op->getResultTypes().end())
      return WalkResult::advance();
    op->emitOpError("gives ")
        << *found
        << "; which it is must be known where it is used: "
           "use what was declared or taken";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelOp::verify() {
  if (!target::fitOneSm(getCtasPerSm(), target::warpThreads))
    return emitOpError("has ")
           << int64_t(getCtasPerSm())
           << " CTAs to a multiprocessor, which has room for 1 to "
           << target::mostCtas;
  if (auto cluster = getCluster()) {
    uint64_t size = 1;
    for (int64_t extent : *cluster) {
      if (extent < 1)
        return emitOpError("has a cluster extent of ")
               << extent << "; each is at least 1";
      size = llvm::SaturatingMultiply(size, uint64_t(extent));
    }
    if (size > target::portableCluster)
      return emitOpError("has clusters of ")
             << size << " CTAs; the portable limit is "
             << target::portableCluster;
  }
  for (Operation &op : getBody().getOps())
    if (!standsBesideRoles(op))
      return op.emitError("this stands outside every role, and only roles run: "
                          "move it into one, such as role(\"math\", "
                          "warpgroups(1), [&] { ... })");
  llvm::StringSet<> names;
  for (Operation &op : getBody().getOps())
    if (auto name = op.getAttrOfType<StringAttr>("name"))
      if (!names.insert(name.getValue()).second)
        return op.emitError("the name '")
               << name.getValue() << "' is declared twice in this kernel";
  auto cluster = getCluster();
  if (!cluster)
    return success();
  bool hasLoop = false;
  WalkResult walked = walk([&](ScheduleOp schedule) -> WalkResult {
    hasLoop = true;
    if (cluster->size() == schedule.getTile().size())
      return success();
    return emitOpError("has a cluster of ")
           << cluster->size() << " dimensions and a tile loop of "
           << schedule.getTile().size()
           << ": give the cluster's extent along each dimension of the loop";
  });
  if (!hasLoop && cluster->size() != 1)
    return emitOpError("has a cluster of ")
           << cluster->size()
           << " dimensions and no tile loop: give the cluster one dimension, "
              "or declare a tile loop";
  return failure(walked.wasInterrupted());
}

LogicalResult AwaitTurnOp::verify() {
  const auto behind = llvm::make_range(std::next((*this)->getIterator()),
                                       (*this)->getBlock()->end());
  if (llvm::any_of(behind, llvm::IsaPred<PassTurnOp>))
    return success();
  return emitOpError("has no tile.pass_turn behind it");
}

LogicalResult PassTurnOp::verify() {
  const auto before =
      llvm::make_range((*this)->getBlock()->begin(), (*this)->getIterator());
  if (llvm::any_of(before, llvm::IsaPred<AwaitTurnOp>))
    return success();
  return emitOpError("has no tile.await_turn before it");
}

LogicalResult TensorOp::verify() {
  TensorType type = getResult().getType();
  if (type.getRank() < 1 || type.getRank() > target::tmaDimensions)
    return emitOpError("'")
           << getName() << "' has " << type.getRank()
           << " dimensions; a tensor has 1 to " << target::tmaDimensions
           << ": merge dimensions that are contiguous";
  if (static_cast<int64_t>(getExtents().size()) != type.getRank())
    return emitOpError("'") << getName() << "' has " << getExtents().size()
                            << " extents and rank " << type.getRank();
  int64_t bytes = elementBytes(type.getElementType());
  int64_t alignment = getAlignment();
  if (alignment < bytes || alignment > 128 || (alignment & (alignment - 1)))
    return emitOpError("'")
           << getName() << "' is aligned to " << getAlignment()
           << " bytes; the alignment is a power of two from the size of an "
              "element ("
           << bytes << ") to 128";
  return checkExtents(*this, "tensor '" + getName() + "'", getExtents(),
                      "declare it with size()");
}

LogicalResult ScheduleOp::verify() {
  if (getExtents().size() != getTile().size() || getTile().empty() ||
      getTile().size() > mostDimensions)
    return emitOpError("has ")
           << getExtents().size() << " extents and " << getTile().size()
           << " tile extents; both are 1 to " << mostDimensions << " and agree";
  for (int64_t extent : getTile())
    if (extent < 1)
      return emitOpError("has a tile extent of ") << extent;
  if (getRaster().has_value() != (getTile().size() > 1))
    return emitOpError("has a tile of ")
           << getTile().size() << " dimensions and "
           << (getRaster() ? "a raster; one dimension has none"
                           : "no raster; two or more have one");
  if (getResult().getType().getRank() != static_cast<int64_t>(getTile().size()))
    return emitOpError("has a result of another rank");
  if (isa_and_present<KernelOp>((*this)->getParentOp()))
    return checkExtents(*this, "the tile loop", getExtents(),
                        "declare it with size(), or the loop in each role");
  if (!roleOf(*this))
    return emitOpError("stands neither in a kernel nor in a role");
  if (!getPersistent())
    return emitOpError("in a role has a CTA for each tile; how many there are "
                       "the launch does not know: only a persistent one "
                       "stands there");
  return success();
}

LogicalResult ScheduleRangeOp::verify() {
  auto schedule = getSchedule().getDefiningOp<ScheduleOp>();
  if (!getAfter() || !schedule || schedule.getPersistent())
    return success();
  return emitOpError("counts on from other loops with a CTA for each tile; a "
                     "persistent loop does");
}

LogicalResult PipelineOp::verify() {
  PipelineType type = getResult().getType();
  if (type.getStages() < 1)
    return emitOpError("has ") << type.getStages() << " stages; at least 1";
  if (type.getTiles().empty())
    return emitOpError("has no tile in its stages; give it at least one "
                       "smem(type, shape)");
  for (Type tile : type.getTiles())
    if (!isa<SharedType>(tile))
      return emitOpError("has a stage of ") << tile << ", not a shared tile";
  // The two barriers of each stage lie in shared memory.
  constexpr int64_t most = target::sharedBytes / (2 * target::mbarrierBytes);
  if (type.getStages() > most)
    return emitOpError("has ")
           << type.getStages() << " stages; at most " << most;
  return success();
}

LogicalResult RoleOp::verify() {
  if (!isa<KernelOp>(getOperation()->getParentOp()))
    return emitOpError("'") << getName()
                            << "' stands inside another role; "
                               "roles stand directly in the kernel";
  if (getInstances() < 1)
    return emitOpError("'") << getName() << "' has " << getInstances()
                            << " instances; a role has at least 1";
  if (getWarps() < 1 || getInstances() > uint64_t(target::mostWarps) ||
      getWarps() > target::mostWarps / getInstances())
    return emitOpError("'")
           << getName() << "' has " << getWarps() * getInstances()
           << " warps; a CTA has 1 to " << target::mostWarps;
  int64_t registers = getRegisters();
  if (registers && !target::isRegisterBudget(registers))
    return emitOpError("'")
           << getName() << "' has a budget of " << registers
           << " registers; a budget is a multiple of " << target::registerStep
           << " from " << target::leastBudget << " to " << target::mostBudget;
  return checkLaunchWaits(*this);
}

LogicalResult RoleOp::verifyRegions() {
  if (failed(checkSelfContained(*this)))
    return failure();
  return checkFragments(*this, target::warpThreads * getWarps());
}

LogicalResult MbarrierOp::verify() {
  const int64_t offset = getOffset(), count = getCount();
  if (offset < 0 || offset % target::mbarrierBytes ||
      offset > target::sharedBytes - target::mbarrierBytes)
    return emitOpError("lies at byte ")
           << offset << " of shared memory; it takes " << target::mbarrierBytes
           << " of the " << target::sharedBytes
           << " there are, from a multiple of that on";
  if (count < 1 || count > target::mbarrierMost)
    return emitOpError("counts ")
           << count << " arrivals; a barrier takes 1 to 2^20 - 1";
  return success();
}

LogicalResult TileCoordinateOp::verify() {
  const int64_t dimension = getDimension();
  if (dimension >= 0 && dimension < mostDimensions)
    return success();
  return emitOpError("lies along dimension ")
         << dimension << "; a schedule has at most " << mostDimensions;
}

LogicalResult ScheduleCoordinatesOp::verify() {
  if (static_cast<int64_t>(getCoordinates().size()) !=
      getSchedule().getType().getRank())
    return emitOpError("gives ")
           << getCoordinates().size() << " coordinates for a schedule of rank "
           << getSchedule().getType().getRank();
  return success();
}

namespace {

LogicalResult checkPlace(Operation *op, ValueRange place) {
  if (place.empty() || place.size() == 2)
    return success();
  return op->emitOpError("stands at ")
         << place.size()
         << " values; a place in a ring is a stage and a parity";
}

LogicalResult checkTake(Operation *op, ValueRange place,
                        std::optional<ArrayRef<int64_t>> holds) {
  if (failed(checkPlace(op, place)))
    return failure();
  if (!holds)
    return success();
  auto kernel = op->getParentOfType<KernelOp>();
  const size_t pipelines =
      kernel ? llvm::range_size(kernel.getBody().getOps<PipelineOp>()) : 0;
  if (holds->size() == pipelines)
    return success();
  return op->emitOpError("may hold stages of ")
         << holds->size() << " pipelines; the kernel has " << pipelines;
}

} // namespace

LogicalResult AcquireOp::verify() {
  return checkTake(*this, getPlace(), getHolds());
}
LogicalResult WaitOp::verify() {
  return checkTake(*this, getPlace(), getHolds());
}
LogicalResult TryAcquireOp::verify() { return checkPlace(*this, getPlace()); }
LogicalResult TryWaitOp::verify() { return checkPlace(*this, getPlace()); }

LogicalResult BufferOp::verify() {
  auto pipeline = pipelineOf(getStage());
  if (!pipeline)
    return emitOpError("reads a stage that no acquire or wait gave");
  int64_t count = pipeline.getType().getTiles().size();
  int64_t index = getIndex();
  if (index < 0 || index >= count)
    return emitOpError("takes tile ")
           << index << " of a stage that has " << count;
  if (pipeline.getType().tile(index) != getResult().getType())
    return emitOpError("has the type ")
           << getResult().getType() << ", the stage's tile is "
           << pipeline.getType().tile(index);
  return success();
}

namespace {

LogicalResult checkInCluster(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || kernel.getCluster())
    return success();
  return op->emitOpError("is of a cluster, and the kernel has none");
}

} // namespace

LogicalResult PeerOp::verify() {
  if (getSource().getDefiningOp<PartOp>())
    return emitOpError("is of a part of a tile: make the part of the peer's");
  if (bufferOf(getSource()))
    return emitOpError("is one of a stage, which only this CTA's roles fill "
                       "and drain");
  SmallVector<Operation *> users(getResult().getUsers());
  for (size_t i = 0; i < users.size(); ++i)
    if (isa<PartOp>(users[i]))
      llvm::append_range(users, users[i]->getUsers());
    else if (!isa<ReadOp, WriteOp, CopyToPeerOp>(users[i]))
      return emitOpError("is used by ")
             << users[i]->getName() << "; only parts, reads, writes and copies "
             << "to it reach the memory of another CTA";
  return checkInCluster(*this);
}

LogicalResult ClusterRankOp::verify() { return checkInCluster(*this); }

LogicalResult ClusterSyncOp::verify() {
  if (!roleOf(*this))
    return emitOpError("stands outside a kernel's roles");
  return checkInCluster(*this);
}

SmallVector<int64_t> PartOp::getKnownOffsets() {
  return llvm::map_to_vector(getOffsets(), [](int64_t offset) {
    return ShapedType::isDynamic(offset) ? 0 : offset;
  });
}

SmallVector<int64_t> PartOp::getChosenDimensions() {
  SmallVector<int64_t> dimensions;
  for (auto [dimension, offset] : llvm::enumerate(getOffsets()))
    if (ShapedType::isDynamic(offset))
      dimensions.push_back(static_cast<int64_t>(dimension));
  return dimensions;
}

LogicalResult PartOp::verify() {
  SharedType source = getSource().getType(), part = getResult().getType();
  if (source.getElementType() != part.getElementType())
    return emitOpError("changes the element type");
  if (source.getShape().size() != part.getShape().size() ||
      source.getShape().size() != getOffsets().size())
    return emitOpError("takes a part of ")
           << part.getShape().size() << " dimensions, from "
           << getOffsets().size() << " offsets, of a shared tile of "
           << source.getShape().size();
  if (getChosenDimensions().size() != getPlaces().size())
    return emitOpError("has ")
           << getPlaces().size() << " places for "
           << getChosenDimensions().size() << " offsets that indices choose";
  const SmallVector<int64_t> offsets = getKnownOffsets();
  for (auto [whole, extent, offset] :
       llvm::zip(source.getShape(), part.getShape(), offsets))
    if (offset < 0 || offset > whole - extent)
      return emitOpError("takes ")
             << extent << " from " << offset << " of a dimension of " << whole;
  if (!source.getLayout() || !part.getLayout())
    return success();
  auto layout = layout::partOfTile(
      *source.getLayout(), std::vector<int64_t>(offsets.begin(), offsets.end()),
      part.getShape().vec(), part.elementBytes());
  if (!layout)
    return emitOpError() << layout.why();
  if (*layout != *part.getLayout() && source.getLayout() != part.getLayout())
    return emitOpError("lies as ")
           << part.getLayout()->str() << "; in its tile "
           << "it lies as " << layout->str();
  return success();
}

LogicalResult ViewOp::verify() {
  if (int64_t(getNumber()) < 0)
    return emitOpError("is number ")
           << int64_t(getNumber()) << "; the first is 0";
  if (getSource().getDefiningOp<PartOp>())
    return emitOpError("sees a part of a shared tile as another tile, and a "
                       "part has no memory of its own: view the whole tile");
  return success();
}

LogicalResult InTurnsOp::verify() {
  for (Operation *user : getResult().getUsers())
    // A loop may count in 64 bits.
    if (auto loop = dyn_cast<scf::ForOp>(user);
        !isa<arith::IndexCastOp>(user) &&
        (!loop || loop.getStep() != getResult() ||
         loop.getLowerBound() == getResult() ||
         loop.getUpperBound() == getResult()))
      return emitOpError("is the step of loops alone");
  return success();
}

LogicalResult MultipleOfOp::verify() {
  int64_t divisor = getDivisor();
  if (divisor < 1)
    return emitOpError("promises a multiple of ")
           << divisor << "; give a positive number";
  llvm::APInt number;
  if (matchPattern(getIndex(), m_ConstantInt(&number)) &&
      number.getSExtValue() % divisor)
    return emitOpError("promises that ")
           << number.getSExtValue() << " is a multiple of " << divisor
           << ", which it is not";
  return success();
}

LogicalResult AtMostOp::verify() {
  const auto most = static_cast<int64_t>(getMost());
  if (most < 0)
    return emitOpError("takes at most ") << most << "; give a number from 0 on";
  if (!isKnownAtLaunch(getIndex()))
    return emitOpError("bounds an index that the launch can't compute: only "
                       "sizes, numbers and +, -, *, /, %, ceil_div, min, max "
                       "of them, 1000 in all");
  return success();
}

/// Whether the launch can do an operation, given its operands.
static bool isDoneByLaunch(Operation *op) {
  // Conditions are no numbers whose bits would be combined.
  if (isa<arith::AndIOp, arith::OrIOp>(op))
    return op->getResult(0).getType().isInteger(1);
  if (auto negation = dyn_cast<arith::XOrIOp>(op))
    return negation.getType().isInteger(1) &&
           matchPattern(negation.getRhs(), m_One());
  if (auto compared = dyn_cast<arith::CmpIOp>(op))
    return compared.getPredicate() <= arith::CmpIPredicate::sge;
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
             arith::RemSIOp, arith::CeilDivSIOp, arith::MinSIOp, arith::MaxSIOp,
             arith::IndexCastOp, MultipleOfOp, AtMostOp>(op);
}

bool isKnownAtLaunch(Value value) {
  SmallVector<Value> left = {value};
  for (int terms = 0; !left.empty(); ++terms) {
    Value term = left.pop_back_val();
    Operation *op = term.getDefiningOp();
    if (isa_and_present<SizeOp>(op) || matchPattern(term, m_Constant()))
      continue;
    if (terms == mostTerms || !op || !isDoneByLaunch(op))
      return false;
    llvm::append_range(left, op->getOperands());
  }
  return true;
}

} // namespace ashlar::tile
