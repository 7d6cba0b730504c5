// Asynchronous copies as PTX.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ShiftedRows.h"
#include "passes/hopper_to_thread/TileRows.h"

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
TileChunk tileChunk(PtxBuilder &b, const TileRows &tile, Value number,
                    int64_t length) {
  const int64_t chunks = tile.type.getShape().back() / length;
  const bool isOneRow = tile.type.getShape().size() == 1;
  const TileRow row = tile.row(b, b.div(number, chunks));
  Value place = b.mul(isOneRow ? number : b.rem(number, chunks), length);
  Value column = b.add(tile.column(), place);
  TileChunk chunk{
      swizzled(b, tile.type.getLayout()->swizzle, tile.shared(b, row, place)),
      b.add(row.element, b.extend(place)), row.inside,
      b.sub(tile.end(), column)};
  // A row's end may cut a chunk, its start does not.
  if (!tile.nonNegative)
    chunk.inside = b.both(chunk.inside, b.within(column, tile.end(), false));
  return chunk;
}

} // namespace

static FailureOr<Registers> lower(hopper::CopyTileOp op,
                                  Operands<hopper::CopyTileOp> in,
                                  ThreadBuilder &b) {
  tile::SharedType type = op.getTarget().getType();
  int64_t elementBytes = type.elementBytes();
  const bool async = op.isAsync();
  if (isByShifting(op)) {
    copyShifted(b, op, in);
    return Registers();
  }
  // cp.async moves 4, 8 or 16 bytes and fills up what lies outside; ordinary
  // loads move one element.
  int64_t chunkBytes = async ? op.getAlignment() : elementBytes;
  int64_t length = chunkBytes / elementBytes;
  const TileRows rows(op, in, type);
  Value target = one(in.getTarget());

  auto loop = scf::ForOp::create(
      b, b.loc, b.threadOfRole(), b.i32(type.sizeBytes() / chunkBytes),
      b.i32(target::warpThreads * b.role.getWarps()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileChunk chunk = tileChunk(b, rows, loop.getInductionVar(), length);
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
  Value from = b.elementAddress(rows.pointer,
                                b.getIntegerType(8 * elementBytes), element);
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
  // What is aligned comes here where TMA can't take it, which is rare: by
  // elements it takes the least code beside TMA's.
  if (!op.getReduction() && hasWholeWords(type) && op.getAlignment() < 16) {
    copyShifted(b, op, in);
    return Registers();
  }
  const TileRows rows(op, in, type);
  Value source = one(in.getSource());
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
  TileChunk chunk = tileChunk(b, rows, loop.getInductionVar(), 1);
  Value inside = b.both(chunk.inside, b.lessThan(b.i32(0), chunk.left));
  auto branch = scf::IfOp::create(b, b.loc, inside);
  b.setInsertionPointToStart(branch.thenBlock());
  Value from = LLVM::IntToPtrOp::create(
      b, b.loc, LLVM::LLVMPointerType::get(b.getContext(), 3),
      b.add(source, chunk.sharedOffset));
  Value value = LLVM::LoadOp::create(b, b.loc, element, from);
  Value to = b.elementAddress(rows.pointer, element, chunk.element);
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
