// Asynchronous copies as PTX.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ChosenRows.h"

namespace ashlar {

using namespace mlir;

namespace {

/// "{$2, $3}": TMA wants the innermost coordinate first.
std::string coordinateList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = count; i-- > 0;)
    text += "$" + std::to_string(first + i) + (i ? ", " : "");
  return text + "}";
}

/// createpolicy's priorities and the variable it makes; its fraction may not
/// be 0.
std::string policy(float kept) {
  if (kept == 0)
    return "L2::evict_first.b64 policy, 1.0";
  return "L2::evict_normal.L2::evict_first.b64 policy, " + std::to_string(kept);
}

} // namespace

static FailureOr<Registers> lower(hopper::TensorMapPrefetchOp,
                                  Operands<hopper::TensorMapPrefetchOp> in,
                                  ThreadBuilder &b) {
  b.ptx("prefetch.tensormap [$0];", one(in.getMap()));
  return Registers();
}

static FailureOr<Registers> lower(hopper::TmaPrefetchOp op,
                                  Operands<hopper::TmaPrefetchOp> in,
                                  ThreadBuilder &b) {
  const unsigned rank = op.getCoordinates().size();
  SmallVector<Value> operands{one(in.getMap())};
  llvm::append_range(operands, ones(in.getCoordinates()));
  b.ptx("cp.async.bulk.prefetch.tensor." + std::to_string(rank) +
            "d.L2.global.tile [$0, " + coordinateList(1, rank) + "];",
        operands);
  return Registers();
}

static FailureOr<Registers>
lower(hopper::BulkCommitOp, Operands<hopper::BulkCommitOp>, ThreadBuilder &b) {
  b.ptx("cp.async.bulk.commit_group;");
  return Registers();
}

static FailureOr<Registers>
lower(hopper::BulkWaitOp op, Operands<hopper::BulkWaitOp>, ThreadBuilder &b) {
  b.ptx(std::string("cp.async.bulk.wait_group") +
        (op.getRead() ? ".read " : " ") + std::to_string(op.getPending()) +
        ";");
  return Registers();
}

static FailureOr<Registers>
lower(hopper::TmaLoadOp op, Operands<hopper::TmaLoadOp> in, ThreadBuilder &b) {
  unsigned rank = op.getCoordinates().size();
  SmallVector<Value> operands{one(in.getAddress()), one(in.getMap()),
                              one(in.getBarrier())};
  llvm::append_range(operands, ones(in.getCoordinates()));
  std::string text = "cp.async.bulk.tensor." + std::to_string(rank) +
                     "d.shared::" + (op.getMask() ? "cluster" : "cta") +
                     ".global.tile.mbarrier::complete_tx::bytes" +
                     (op.getMask() ? ".multicast::cluster" : "") +
                     (op.getKept() ? ".L2::cache_hint" : "") + " [$0], [$1, " +
                     coordinateList(3, rank) + "], [$2]";
  if (op.getMask()) {
    text += ", $" + std::to_string(operands.size());
    operands.push_back(
        arith::TruncIOp::create(b, b.loc, b.getI16Type(), one(in.getMask())));
  }
  if (std::optional<llvm::APFloat> kept = op.getKept())
    text = "{\n\t.reg .b64 policy;\n\tcreatepolicy.fractional." +
           policy(kept->convertToFloat()) + ";\n\t" + text + ", policy;\n\t}";
  else
    text += ";";
  b.ptx(text, operands);
  return Registers();
}

static FailureOr<Registers> lower(hopper::TmaStoreOp op,
                                  Operands<hopper::TmaStoreOp> in,
                                  ThreadBuilder &b) {
  unsigned rank = op.getCoordinates().size();
  SmallVector<Value> operands{one(in.getAddress()), one(in.getMap())};
  llvm::append_range(operands, ones(in.getCoordinates()));
  std::string text = op.getReduction() ? "cp.reduce" : "cp";
  text += ".async.bulk.tensor." + std::to_string(rank) + "d.global.shared::cta";
  if (op.getReduction())
    text += "." + tile::stringifyReduction(*op.getReduction()).str();
  text += ".tile.bulk_group [$1, " + coordinateList(2, rank) + "], [$0];";
  b.ptx(text, operands);
  return Registers();
}

static FailureOr<Registers> lower(hopper::CopyToPeerOp op,
                                  Operands<hopper::CopyToPeerOp> in,
                                  ThreadBuilder &b) {
  b.ptx("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        " [$0], [$1], " +
            std::to_string(op.getBytes()) + ", [$2];",
        {one(in.getTarget()), one(in.getSource()), one(in.getBarrier())});
  return Registers();
}

namespace {

/// Consecutive elements of a tile's row, in shared and in global memory.
struct TileChunk {
  Value sharedOffset; ///< bytes from the tile's start
  Value element;      ///< elements from the tensor's base, 64 bits
  /// i1: the first element lies in the tensor, or behind its row's end; null:
  /// always.
  Value inside;
  Value left; ///< elements from the first to the end of the row
};

/// The chunk of this number, `length` elements, counted in row-major order.
TileChunk tileChunk(PtxBuilder &b, tile::SharedType type, Value number,
                    int64_t length, ArrayRef<Value> coordinates,
                    ArrayRef<Value> extents, ArrayRef<Value> strides,
                    bool nonNegative,
                    const std::optional<ChosenRows> &chosen = std::nullopt) {
  const layout::SwizzledLayout &layout = *type.getLayout();
  ArrayRef<int64_t> shape = type.getShape();
  size_t leading = coordinates.size() - shape.size();
  SmallVector<Value> at(coordinates);
  Value rest = number, offset = b.i32(0);
  for (size_t i = shape.size(); i-- > 0;) {
    bool last = i + 1 == shape.size();
    int64_t extent = last ? shape[i] / length : shape[i];
    Value place = i ? b.rem(rest, extent) : rest;
    rest = i ? b.div(rest, extent) : rest;
    if (last)
      place = b.mul(place, length);
    offset = b.add(offset, image(b, layout.layout.mode(i), place));
    if (chosen && i + 2 == shape.size())
      place = chosen->of(b, place);
    at[leading + i] = b.add(at[leading + i], place);
  }
  TileChunk chunk{swizzled(b, layout.swizzle, offset), b.i64(0), {}, {}};
  for (auto [i, coordinate] : llvm::enumerate(at)) {
    chunk.element =
        b.add(chunk.element, b.mul(b.extend(coordinate), strides[i]));
    // A row's end may cut a chunk, its start does not.
    if (i + 1 < at.size() || !nonNegative)
      chunk.inside =
          b.both(chunk.inside,
                 b.within(coordinate, extents[i],
                          nonNegative && !(chosen && i + 2 == at.size())));
  }
  chunk.left = b.sub(extents.back(), at.back());
  return chunk;
}

} // namespace

static FailureOr<Registers> lower(hopper::CopyTileOp op,
                                  Operands<hopper::CopyTileOp> in,
                                  ThreadBuilder &b) {
  tile::SharedType type = op.getTarget().getType();
  int64_t elementBytes = type.elementBytes();
  // cp.async moves 4, 8 or 16 bytes and fills up what lies outside; ordinary
  // loads move one element.
  bool async = op.getAlignment() >= 4;
  int64_t chunkBytes = async ? op.getAlignment() : elementBytes;
  int64_t length = chunkBytes / elementBytes;
  SmallVector<Value> coordinates = ones(in.getCoordinates());
  SmallVector<Value> extents = ones(in.getExtents());
  SmallVector<Value> strides = ones(in.getStrides());
  Value pointer = one(in.getPointer()), target = one(in.getTarget());

  auto loop = scf::ForOp::create(
      b, b.loc, b.threadOfRole(), b.i32(type.sizeBytes() / chunkBytes),
      b.i32(target::warpThreads * b.role.getWarps()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileChunk chunk =
      tileChunk(b, type, loop.getInductionVar(), length, coordinates, extents,
                strides, op.getNonnegative(), chosenRows(in));
  // Counted in elements: the bytes of a row may be more than 31 bits hold.
  Value elements = b.createOrFold<arith::MinSIOp>(
      b.loc, b.createOrFold<arith::MaxSIOp>(b.loc, chunk.left, b.i32(0)),
      b.i32(length));
  Value bytes = b.mul(elements, elementBytes);
  if (chunk.inside)
    bytes = arith::SelectOp::create(b, b.loc, chunk.inside, bytes, b.i32(0));
  // With no byte to read the address may lie anywhere: keep it at the base.
  Value reads = arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::sgt,
                                      bytes, b.i32(0));
  Value element =
      arith::SelectOp::create(b, b.loc, reads, chunk.element, b.i64(0));
  Value from =
      b.elementAddress(pointer, b.getIntegerType(8 * elementBytes), element);
  Value to = b.add(target, chunk.sharedOffset);
  if (async) {
    b.ptx("cp.async.ca.shared::cta.global [$0], [$1], " +
              std::to_string(chunkBytes) + ", $2;",
          {to, from, bytes});
    return Registers();
  }
  std::string bits = std::to_string(8 * elementBytes);
  b.ptx("{\n\t.reg .pred p;\n\t.reg .b16 element;\n\tsetp.ne.b32 p, $2, 0;\n\t"
        "mov.b16 element, 0;\n\t@p ld.global.b" +
            bits + " element, [$1];\n\tst.shared::cta.b" + bits +
            " [$0], element;\n\t}",
        {to, from, bytes});
  return Registers();
}

static FailureOr<Registers> lower(hopper::CopyTileOutOp op,
                                  Operands<hopper::CopyTileOutOp> in,
                                  ThreadBuilder &b) {
  tile::SharedType type = op.getSource().getType();
  SmallVector<Value> coordinates = ones(in.getCoordinates());
  SmallVector<Value> extents = ones(in.getExtents());
  SmallVector<Value> strides = ones(in.getStrides());
  Value pointer = one(in.getPointer()), source = one(in.getSource());
  Type element = type.getElementType();
  if (element.isTF32())
    element = b.getF32Type();
  if (!element.isIntOrFloat() || type.elementBytes() == 1)
    element = b.getIntegerType(8);
  else if (element.isInteger())
    element = b.getIntegerType(element.getIntOrFloatBitWidth());

  bool perWarp = op.getPerWarp();
  auto loop = scf::ForOp::create(
      b, b.loc, perWarp ? b.laneOfWarp() : b.threadOfRole(),
      b.i32(type.sizeBytes() / type.elementBytes()),
      b.i32(target::warpThreads * (perWarp ? 1 : b.role.getWarps())));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileChunk chunk = tileChunk(b, type, loop.getInductionVar(), 1, coordinates,
                              extents, strides, op.getNonnegative());
  Value inside = b.both(chunk.inside, b.lessThan(b.i32(0), chunk.left));
  auto branch = scf::IfOp::create(b, b.loc, inside);
  b.setInsertionPointToStart(branch.thenBlock());
  Value from = LLVM::IntToPtrOp::create(
      b, b.loc, LLVM::LLVMPointerType::get(b.getContext(), 3),
      b.add(source, chunk.sharedOffset));
  Value value = LLVM::LoadOp::create(b, b.loc, element, from);
  Value to = b.elementAddress(pointer, element, chunk.element);
  if (!op.getReduction()) {
    LLVM::StoreOp::create(b, b.loc, value, to);
    return Registers();
  }
  bool floating = isa<FloatType>(element);
  LLVM::AtomicBinOp operation;
  switch (*op.getReduction()) {
  case tile::Reduction::add:
    operation = floating ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
    break;
  case tile::Reduction::min:
    operation = floating ? LLVM::AtomicBinOp::fmin : LLVM::AtomicBinOp::min;
    break;
  case tile::Reduction::max:
    operation = floating ? LLVM::AtomicBinOp::fmax : LLVM::AtomicBinOp::max;
    break;
  }
  LLVM::AtomicRMWOp::create(b, b.loc, operation, to, value,
                            LLVM::AtomicOrdering::monotonic);
  return Registers();
}

void addCopies(ThreadPatterns &patterns) {
  patterns.add<hopper::TensorMapPrefetchOp, hopper::TmaPrefetchOp,
               hopper::TmaLoadOp, hopper::TmaStoreOp, hopper::CopyToPeerOp,
               hopper::CopyTileOp, hopper::CopyTileOutOp, hopper::BulkCommitOp,
               hopper::BulkWaitOp>();
}

} // namespace ashlar
