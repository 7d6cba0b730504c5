// Asynchronous copies as PTX.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_nvvm/ThreadLowering.h"
#include "llvm/ADT/TypeSwitch.h"

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

} // namespace

LogicalResult ThreadLowering::lowerCopy(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<hopper::TmaLoadOp, hopper::TmaStoreOp, hopper::CopyTileOp>(
          [&](auto copy) { lower(copy); })
      .Case<hopper::BulkCommitOp>(
          [&](auto) { b.ptx("cp.async.bulk.commit_group;"); })
      .Case<hopper::BulkWaitOp>([&](auto wait) {
        b.ptx(std::string("cp.async.bulk.wait_group") +
              (wait.getRead() ? ".read " : " ") +
              std::to_string(wait.getPending()) + ";");
      });
  return success();
}

void ThreadLowering::lower(hopper::TmaLoadOp op) {
  unsigned rank = op.getCoordinates().size();
  SmallVector<Value> operands{lookup(op.getAddress()), lookup(op.getMap()),
                              lookup(op.getBarrier())};
  llvm::append_range(operands, lookup(op.getCoordinates()));
  std::string text = "cp.async.bulk.tensor." + std::to_string(rank) +
                     "d.shared::" + (op.getMask() ? "cluster" : "cta") +
                     ".global.tile.mbarrier::complete_tx::bytes" +
                     (op.getMask() ? ".multicast::cluster" : "") +
                     " [$0], [$1, " + coordinateList(3, rank) + "], [$2]";
  if (op.getMask()) {
    text += ", $" + std::to_string(operands.size());
    operands.push_back(arith::TruncIOp::create(
        b, b.loc, b.getI16Type(), lookup(op.getMask())));
  }
  b.ptx(text + ";", operands);
}

void ThreadLowering::lower(hopper::TmaStoreOp op) {
  unsigned rank = op.getCoordinates().size();
  SmallVector<Value> operands{lookup(op.getAddress()), lookup(op.getMap())};
  llvm::append_range(operands, lookup(op.getCoordinates()));
  std::string text = op.getReduction() ? "cp.reduce" : "cp";
  text += ".async.bulk.tensor." + std::to_string(rank) +
          "d.global.shared::cta";
  if (op.getReduction())
    text += "." + tile::stringifyReduction(*op.getReduction()).str();
  text += ".tile.bulk_group [$1, " + coordinateList(2, rank) + "], [$0];";
  b.ptx(text, operands);
}

void ThreadLowering::lower(hopper::CopyTileOp op) {
  tile::SharedType type = op.getTarget().getType();
  auto layout = layout::SwizzledLayout::parse(type.getLayout().getValue().str());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t elementBytes = type.elementBytes();
  int64_t chunkBytes = std::max<int64_t>(op.getAlignment(), elementBytes);
  int64_t chunk = chunkBytes / elementBytes;
  int64_t chunks = type.sizeBytes() / chunkBytes;
  int64_t threads = 32 * role.getWarps();
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  SmallVector<Value> extents = lookup(op.getExtents());
  SmallVector<Value> strides = lookup(op.getStrides());
  Value pointer = lookup(op.getPointer()), target = lookup(op.getTarget());
  size_t leading = coordinates.size() - shape.size();

  auto loop = scf::ForOp::create(b, b.loc, threadOfRole(), b.i32(chunks),
                                 b.i32(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  Value offset = b.i32(0), address = b.i64(0), inside;
  SmallVector<Value> at(coordinates);
  for (size_t i = shape.size(); i-- > 0;) {
    bool last = i + 1 == shape.size();
    int64_t extent = last ? shape[i] / chunk : shape[i];
    Value place = i ? b.rem(rest, extent) : rest;
    rest = i ? b.div(rest, extent) : rest;
    if (last)
      place = b.mul(place, chunk);
    offset = b.add(offset, image(layout.layout.mode(i), place));
    at[leading + i] = b.add(at[leading + i], place);
  }
  for (auto [i, coordinate] : llvm::enumerate(at)) {
    address = b.add(address, b.mul(b.extend(coordinate), strides[i]));
    if (i + 1 < at.size())
      inside = b.both(inside, b.lessThan(coordinate, extents[i]));
  }
  offset = b.add(target, swizzled(layout.swizzle, offset));
  Value left = b.mul(b.sub(extents.back(), at.back()), elementBytes);
  Value bytes = b.createOrFold<arith::MinSIOp>(
      b.loc, b.createOrFold<arith::MaxSIOp>(b.loc, left, b.i32(0)),
      b.i32(chunkBytes));
  if (inside)
    bytes = arith::SelectOp::create(b, b.loc, inside, bytes, b.i32(0));
  // With no byte to read the address may lie anywhere: keep it at the base.
  Value reads = arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::sgt,
                                      bytes, b.i32(0));
  address = arith::SelectOp::create(b, b.loc, reads, address, b.i64(0));
  Value from = b.elementAddress(
      pointer, b.getIntegerType(8 * elementBytes), address);
  std::string size = std::to_string(chunkBytes);
  if (chunkBytes >= 4) {
    b.ptx("cp.async.ca.shared::cta.global [$0], [$1], " + size + ", $2;",
          {offset, from, bytes});
    return;
  }
  std::string bits = std::to_string(8 * chunkBytes);
  b.ptx("{\n\t.reg .pred p;\n\t.reg .b16 element;\n\tsetp.ne.b32 p, $2, 0;\n\t"
        "mov.b16 element, 0;\n\t@p ld.global.b" +
            bits + " element, [$1];\n\tst.shared::cta.b" + bits +
            " [$0], element;\n\t}",
        {offset, from, bytes});
}

} // namespace ashlar
