#include "passes/hopper_to_thread/ByteBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Words.h"

#include <array>

namespace ashlar {

using namespace mlir;

namespace {

constexpr int64_t edge = 4;

/// Four words of memory, the first byte of each one of four neighbours in
/// registers, and so their others.
using Block = SmallVector<int64_t>; ///< the neighbours' first value, by byte

/// The block whose first word begins with a value.
Block blockFrom(Offsets &offsets, int64_t value) {
  Block block = offsets.runFrom(value, 4);
  if (value % edge)
    return {};
  for (int64_t i = 1; i < edge; ++i) {
    SmallVector<int64_t> next = offsets.runFrom(value + i, 4);
    for (int64_t &first : next)
      first -= i;
    if (next != block)
      return {};
  }
  return block;
}

class ByteBlocks {
public:
  ByteBlocks(ThreadBuilder &b, const FragmentType &type, Offsets &offsets)
      : b(b), offsets(offsets) {
    std::set<int64_t> found;
    for (int64_t value = 0; value < type.values; value += edge) {
      if (found.contains(value))
        continue;
      Block block = blockFrom(offsets, value);
      if (block.empty()) {
        blocks.clear();
        return;
      }
      found.insert(block.begin(), block.end());
      blocks.push_back(std::move(block));
    }
    chooseFirst(type);
  }

  ArrayRef<Block> all() const { return blocks; }

  /// Of the word that a thread takes i-th.
  Value address(Value start, const layout::Swizzle &swizzle, const Block &block,
                int64_t i) {
    return further[i] ? offsets.address(start, swizzle, block[0], further[i])
                      : offsets.address(start, swizzle, block[0] + i);
  }

  /// Words of registers as the words that a thread takes, in that order.
  SmallVector<Value> toMemory(ArrayRef<Value> words) {
    constexpr int64_t other = 0x2222;
    return transposed(
        words, swapped(0x5140, other, pair), swapped(0x7362, other, pair),
        swapped(0x5410, other, inPair), swapped(0x7632, other, inPair));
  }
  SmallVector<Value> fromMemory(ArrayRef<Value> words) {
    constexpr int64_t other = 0x4444;
    return transposed(
        words, swapped(0x5140, other, inPair), swapped(0x7362, other, inPair),
        swapped(0x5410, other, pair), swapped(0x7632, other, pair));
  }

private:
  /// Threads side by side begin with different words of theirs: those of the
  /// same number lie in the same banks.
  void chooseFirst(const FragmentType &type) {
    const int64_t pitch = offsets.distance(0, 1);
    for (const Block &block : blocks)
      for (int64_t i = 1; i < edge; ++i)
        if (offsets.distance(block[0], block[0] + i) != i * pitch)
          return;
    const Value number = b.div(placeOf(b, type).thread.back(),
                               layout::contiguousValues(type.layout));
    const Value first = b.bitAnd(number, b.i32(edge - 1));
    inPair = b.bitAnd(first, b.i32(1));
    pair = b.div(first, 2);
    for (int64_t i = 0; i < edge; ++i)
      further[i] = b.mul(b.bitXor(first, b.i32(i)), pitch);
  }

  /// What selects bytes, or what others do where `bit` is 1.
  Value swapped(int64_t bytes, int64_t other, Value bit) {
    return bit ? b.bitXor(b.mul(bit, other), b.i32(bytes)) : b.i32(bytes);
  }

  SmallVector<Value> transposed(ArrayRef<Value> words, Value lowOfTwo,
                                Value highOfTwo, Value firstOfFour,
                                Value lastOfFour) {
    SmallVector<Value> result;
    for (Value ofTwo : {lowOfTwo, highOfTwo}) {
      const Value first = permuteBytes(b, words[0], words[1], ofTwo),
                  last = permuteBytes(b, words[2], words[3], ofTwo);
      result.push_back(permuteBytes(b, first, last, firstOfFour));
      result.push_back(permuteBytes(b, first, last, lastOfFour));
    }
    return result;
  }

  ThreadBuilder &b;
  Offsets &offsets;
  std::vector<Block> blocks;
  /// The number of the word that a thread takes first, as its two bits, and
  /// how far those it takes lie behind a block's first one; null where each
  /// thread takes them in order.
  Value pair, inPair;
  std::array<Value, edge> further;
};

} // namespace

bool storeByteBlocks(hopper::SharedStoreOp op,
                     Operands<hopper::SharedStoreOp> in, ThreadBuilder &b,
                     const FragmentType &type, Offsets &offsets) {
  if (!offsets.areSums() || type.values % (edge * edge))
    return false;
  ByteBlocks blocks(b, type, offsets);
  const Words word(edge);
  const layout::Swizzle swizzle = op.getTarget().getType().getLayout()->swizzle;
  const Registers scalars = unpack(b, type, in.getValue());
  for (const Block &block : blocks.all()) {
    SmallVector<Value> words;
    for (int64_t first : block)
      llvm::append_range(
          words, toWords(b, word, ArrayRef(scalars).slice(first, edge)));
    for (auto [i, moved] : llvm::enumerate(blocks.toMemory(words)))
      b.ptx("st." + spaceOf(op.getPeer()) + word.suffix() + " [$0], $1;",
            {blocks.address(one(in.getTarget()), swizzle, block, int64_t(i)),
             moved});
  }
  return !blocks.all().empty();
}

std::optional<Registers>
loadByteBlocks(hopper::SharedLoadOp op, Operands<hopper::SharedLoadOp> in,
               ThreadBuilder &b, const FragmentType &type, Offsets &offsets) {
  if (!offsets.areSums() || type.values % (edge * edge))
    return std::nullopt;
  ByteBlocks blocks(b, type, offsets);
  if (blocks.all().empty())
    return std::nullopt;
  const Words word(edge);
  const layout::Swizzle swizzle = op.getSource().getType().getLayout()->swizzle;
  Registers scalars(type.values);
  for (const Block &block : blocks.all()) {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < edge; ++i)
      llvm::append_range(
          loaded,
          b.ptx("ld." + spaceOf(op.getPeer()) + word.suffix() + " $0, [$1];",
                b.getI32Type(),
                blocks.address(one(in.getSource()), swizzle, block, i)));
    for (auto [first, bytes] : llvm::zip(block, blocks.fromMemory(loaded)))
      llvm::copy(fromWords(b, bytes, b.getIntegerType(8), edge),
                 scalars.begin() + first);
  }
  return pack(b, type, scalars);
}

} // namespace ashlar
