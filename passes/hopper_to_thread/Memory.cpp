// Fragments to and from shared memory.

#include "compiler/layout/SharedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ByteBlocks.h"
#include "passes/hopper_to_thread/Matrices.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

/// Stores what a thread holds of so many bytes of memory one behind another,
/// and takes it out of the values.
static void storeRuns(hopper::SharedStoreOp op,
                      Operands<hopper::SharedStoreOp> in, ThreadBuilder &b,
                      Registers &scalars, Offsets &offsets, int64_t bytes) {
  const Words words(bytes);
  const layout::Swizzle swizzle = op.getTarget().getType().getLayout()->swizzle;
  for (size_t v = 0; v < scalars.size(); ++v) {
    SmallVector<Value> parts;
    for (int64_t part : offsets.runFrom(int64_t(v), bytes)) {
      parts.push_back(scalars[part]);
      scalars[part] = {};
    }
    if (parts.empty())
      continue;
    SmallVector<Value> operands{
        offsets.address(one(in.getTarget()), swizzle, int64_t(v))};
    llvm::append_range(operands, toWords(b, words, parts));
    b.ptx("st." + spaceOf(op.getPeer()) + words.suffix() + " [$0], " +
              words.list(1) + ";",
          operands);
  }
}

static FailureOr<Registers> lower(hopper::SharedStoreOp op,
                                  Operands<hopper::SharedStoreOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  const layout::SwizzledLayout &tile = *op.getTarget().getType().getLayout();
  bool transposed = op.getTransposed();
  Offsets offsets(b, type, tile.layout, transposed);
  const bool isInterleaved = layout::hasInterleavedColumns(tile);
  if (!isInterleaved && offsets.areSums() && storeMatrices(op, in, b, type))
    return Registers();
  OpBuilder::InsertionGuard guard(b);
  if (Value isFirst = isFirstCopy(b, type))
    b.setInsertionPointToStart(
        scf::IfOp::create(b, b.loc, isFirst).thenBlock());
  if (transposed && storeByteBlocks(op, in, b, type, offsets))
    return Registers();
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = transposed || isInterleaved ? 1 : vectorLength(type, 16);
  Words words(length * bytes);
  Registers scalars = unpack(b, type, in.getValue());
  if (isInterleaved)
    storeRuns(op, in, b, scalars, offsets, 16);
  else if (transposed)
    storeRuns(op, in, b, scalars, offsets, 4);
  for (int64_t v = 0; v < type.values; v += length) {
    if (!scalars[v])
      continue;
    Value address = offsets.address(one(in.getTarget()), tile.swizzle, v);
    SmallVector<Value> operands{address};
    for (Value word : toWords(b, words, ArrayRef(scalars).slice(v, length)))
      operands.push_back(widen(b, word));
    b.ptx("st." + spaceOf(op.getPeer()) + words.suffix() + " [$0], " +
              words.list(1) + ";",
          operands);
  }
  return Registers();
}

/// Single bytes that a thread holds of neighbouring words: loads the words, as
/// the threads beside it do that hold the other bytes of them.
static bool loadAcross(ThreadBuilder &b, bool peer, Value address,
                       Offsets &offsets, int64_t value, Registers &scalars) {
  for (int64_t count : {4, 2}) {
    const SmallVector<int64_t> values = offsets.acrossWords(value, count);
    if (values.empty())
      continue;
    const Words words(4 * count);
    const Type i32 = b.getI32Type();
    const Value byte = b.bitAnd(address, b.i32(3));
    const SmallVector<Value> loaded =
        b.ptx("ld." + spaceOf(peer) + words.suffix() + " " + words.list(0) +
                  ", [$" + std::to_string(count) + "];",
              SmallVector<Type>(count, i32), b.sub(address, byte));
    // The byte of the first word, and of the second, whose bytes are 4 to 7.
    const Value selector = b.add(b.mul(byte, 0x11), 0x40);
    for (int64_t i = 0; i < count; i += 2) {
      const Value two = permuteBytes(b, loaded[i], loaded[i + 1], selector);
      const Registers bytes = splitWord(b, two, 2, 8);
      scalars[values[i]] = bytes[0];
      scalars[values[i + 1]] = bytes[1];
    }
    return true;
  }
  return false;
}

static FailureOr<Registers> lower(hopper::SharedLoadOp op,
                                  Operands<hopper::SharedLoadOp> in,
                                  ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  const layout::SwizzledLayout &tile = *op.getSource().getType().getLayout();
  const bool transposed = op.getTransposed(),
             isInterleaved = layout::hasInterleavedColumns(tile);
  Offsets offsets(b, type, tile.layout, transposed);
  if (!isInterleaved && offsets.areSums())
    if (auto registers = loadMatrices(op, in, b, type))
      return *registers;
  if (transposed && offsets.areSums())
    if (auto registers = loadByteMatrices(op, in, b, type))
      return *registers;
  if (transposed)
    if (auto registers = loadByteBlocks(op, in, b, type, offsets))
      return *registers;
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = transposed || isInterleaved ? 1 : vectorLength(type, 16);
  Words words(length * bytes);
  Type scalar = bytes == 1 ? b.getIntegerType(8) : type.element;
  Registers scalars(type.values);
  for (int64_t v = 0; v < type.values; v += length) {
    if (scalars[v])
      continue;
    Value address = offsets.address(one(in.getSource()), tile.swizzle, v);
    if (bytes * length == 1 &&
        loadAcross(b, op.getPeer(), address, offsets, v, scalars))
      continue;
    SmallVector<Type> results(words.count, wordRegister(b, words));
    SmallVector<Value> loaded =
        b.ptx("ld." + spaceOf(op.getPeer()) + words.suffix() + " " +
                  words.list(0) + ", [$" + std::to_string(words.count) + "];",
              results, address);
    for (Value &word : loaded)
      word = narrow(b, words, word);
    llvm::copy(fromWords(b, loaded, scalar, length), scalars.begin() + v);
  }
  return pack(b, type, scalars);
}

static FailureOr<Registers> lower(hopper::SharedValueOp op,
                                  Operands<hopper::SharedValueOp> in,
                                  ThreadBuilder &b) {
  const layout::SwizzledLayout &tile = *op.getSource().getType().getLayout();
  Type type = op.getResult().getType();
  int64_t bytes = tile::elementBytes(type);
  if (bytes == 1)
    type = b.getIntegerType(8);
  Value offset = b.i32(0);
  for (auto [i, coordinate] : llvm::enumerate(ones(in.getCoordinates())))
    offset = b.add(offset, image(b, tile.layout.mode(i), coordinate));
  Words words(bytes);
  SmallVector<Value> loaded = b.ptx(
      "ld.shared::cta" + words.suffix() + " $0, [$1];", wordRegister(b, words),
      b.add(one(in.getSource()), swizzled(b, tile.swizzle, offset)));
  loaded[0] = narrow(b, words, loaded[0]);
  return fromWords(b, loaded, type, 1);
}

void addSharedMemory(ThreadPatterns &patterns) {
  patterns.add<hopper::SharedLoadOp, hopper::SharedStoreOp,
               hopper::SharedValueOp>();
}

} // namespace ashlar
