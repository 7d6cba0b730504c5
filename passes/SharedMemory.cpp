#include "passes/SharedMemory.h"

#include "compiler/layout/SharedTile.h"
#include "compiler/tile/Stages.h"
#include "llvm/Support/MathExtras.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The tile that a part is cut from, whose layout it has; of a peer's, this
/// CTA's.
Value wholeOf(Value shared) {
  Operation *op = shared.getDefiningOp();
  return isa_and_present<tile::PartOp, tile::PeerOp>(op)
             ? wholeOf(op->getOperand(0))
             : shared;
}

void collectAccesses(Value shared, SmallVectorImpl<Operation *> &accesses) {
  for (Operation *user : shared.getUsers())
    if (isa<tile::PartOp, tile::ViewOp, tile::PeerOp>(user))
      collectAccesses(user->getResult(0), accesses);
    else if (!llvm::is_contained(accesses, user))
      accesses.push_back(user);
}

ArrayRef<int64_t> shapeOf(Value shared) {
  return cast<tile::SharedType>(shared.getType()).getShape();
}

int64_t offsetInMemory(Value shared) {
  auto view = wholeOf(shared).getDefiningOp<tile::ViewOp>();
  return view ? offsetInMemory(view.getSource()) + offsetOfView(view) : 0;
}

/// Where a part begins in the tile that it is cut from, along each dimension;
/// nothing where an index says.
SmallVector<std::optional<int64_t>> startOf(Value shared) {
  if (auto peer = shared.getDefiningOp<tile::PeerOp>())
    return startOf(peer.getSource());
  auto part = shared.getDefiningOp<tile::PartOp>();
  if (!part)
    return SmallVector<std::optional<int64_t>>(shapeOf(shared).size(), 0);
  SmallVector<std::optional<int64_t>> start = startOf(part.getSource());
  for (auto [first, offset] : llvm::zip(start, part.getOffsets()))
    first = ShapedType::isDynamic(offset) || !first
                ? std::nullopt
                : std::optional(*first + offset);
  return start;
}

/// Whether two tiles are parts of one without a common element.
bool areApart(Value a, Value b) {
  if (offsetInMemory(a) != offsetInMemory(b) ||
      wholeOf(a).getType() != wholeOf(b).getType())
    return false;
  for (auto [first, other, extent, otherExtent] :
       llvm::zip(startOf(a), startOf(b), shapeOf(a), shapeOf(b)))
    if (first && other &&
        (*first + extent <= *other || *other + otherExtent <= *first))
      return true;
  return false;
}

/// Whether it is, or is cut from, another CTA's tile.
bool isOfPeer(Value shared) {
  Operation *op = shared.getDefiningOp();
  return isa_and_present<tile::PeerOp>(op) ||
         (isa_and_present<tile::PartOp>(op) && isOfPeer(op->getOperand(0)));
}

} // namespace

bool shareMemory(Value a, Value b) {
  auto inStage = tile::bufferOf(a), otherInStage = tile::bufferOf(b);
  if (inStage && otherInStage)
    return inStage.getIndex() == otherInStage.getIndex() &&
           llvm::is_contained(tile::valuesOfStage(inStage.getStage()),
                              otherInStage.getStage());
  return tile::memoryOf(a) == tile::memoryOf(b);
}

bool overlap(Value a, Value b) {
  if (!shareMemory(a, b) || areApart(a, b))
    return false;
  auto end = [](Value tile) {
    return offsetInMemory(tile) +
           cast<tile::SharedType>(wholeOf(tile).getType()).sizeBytes();
  };
  return offsetInMemory(a) < end(b) && offsetInMemory(b) < end(a);
}

bool surelyOverlap(Value a, Value b) {
  Value whole = wholeOf(a), otherWhole = wholeOf(b);
  if (!shareMemory(a, b) || whole.getType() != otherWhole.getType() ||
      isa_and_present<tile::ViewOp>(whole.getDefiningOp()) ||
      isa_and_present<tile::ViewOp>(otherWhole.getDefiningOp()) ||
      isOfPeer(a) || isOfPeer(b))
    return false;
  for (auto [all, first, other, extent, otherExtent] : llvm::zip(
           shapeOf(whole), startOf(a), startOf(b), shapeOf(a), shapeOf(b))) {
    if (extent == all || otherExtent == all)
      continue;
    if (!first || !other || *first + extent <= *other ||
        *other + otherExtent <= *first)
      return false;
  }
  return true;
}

bool areSameElements(Value a, Value b) {
  const auto start = startOf(a);
  return shareMemory(a, b) && a.getType() == b.getType() &&
         offsetInMemory(a) == offsetInMemory(b) &&
         wholeOf(a).getType() == wholeOf(b).getType() && start == startOf(b) &&
         !llvm::is_contained(start, std::nullopt) && !isOfPeer(a) &&
         !isOfPeer(b);
}

SmallVector<Operation *> accessesOf(Value shared) {
  SmallVector<Operation *> accesses;
  auto buffer = tile::bufferOf(shared);
  if (!buffer)
    collectAccesses(tile::memoryOf(shared), accesses);
  else
    for (Value stage : tile::valuesOfStage(buffer.getStage()))
      for (Operation *user : stage.getUsers())
        if (auto other = dyn_cast<tile::BufferOp>(user))
          if (other.getIndex() == buffer.getIndex())
            collectAccesses(other.getResult(), accesses);
  return accesses;
}

SmallVector<Operation *> accessesOfStage(Value stage) {
  SmallVector<Operation *> accesses;
  for (Value value : tile::valuesOfStage(stage))
    for (Operation *user : value.getUsers())
      if (isa<tile::BufferOp>(user))
        collectAccesses(user->getResult(0), accesses);
  return accesses;
}

Value writtenTile(Operation *access) {
  if (auto copy = dyn_cast<tile::CopyOp>(access))
    return copy.getTarget();
  if (auto write = dyn_cast<tile::WriteOp>(access))
    return write.getTarget();
  if (auto scatter = dyn_cast<tile::ScatterOp>(access))
    return scatter.getTarget();
  return {};
}

Value accessedTile(Operation *access) {
  if (Value written = writtenTile(access))
    return written;
  if (auto read = dyn_cast<tile::ReadOp>(access))
    return read.getSource();
  if (auto value = dyn_cast<tile::SharedValueOp>(access))
    return value.getSource();
  if (auto out = dyn_cast<tile::CopyOutOp>(access))
    return out.getSource();
  if (auto copy = dyn_cast<tile::CopyToPeerOp>(access))
    return copy.getSource();
  if (auto gather = dyn_cast<tile::GatherOp>(access))
    return gather.getSource();
  return {};
}

int64_t offsetOfView(tile::ViewOp view) {
  tile::SharedType type = view.getResult().getType();
  return int64_t(view.getNumber()) *
         llvm::alignTo(type.sizeBytes(), alignmentOf(type));
}

int64_t authorsElements(tile::SharedType type, int64_t dimension) {
  return dimension + 1 == static_cast<int64_t>(type.getShape().size())
             ? tile::elementsIn(type.getElementType())
             : 1;
}

int64_t alignmentOf(tile::SharedType type) {
  return layout::alignmentBytes(*type.getLayout());
}

int64_t alignmentOf(Value shared) {
  int64_t alignment = alignmentOf(cast<tile::SharedType>(shared.getType()));
  for (Operation *user : shared.getUsers())
    if (isa<tile::ViewOp>(user))
      alignment = std::max(alignment, alignmentOf(user->getResult(0)));
  return alignment;
}

} // namespace ashlar
