#include "passes/hopper_to_thread/ShiftedLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/TileEdges.h"
#include "passes/hopper_to_thread/Words.h"

#include <map>

namespace ashlar {

using namespace mlir;

bool isByShifting(hopper::LoadOp op, const FragmentType &type) {
  const int64_t bytes = tile::elementBytes(type.element);
  // Words that are read twice save nothing over two of 8 bytes.
  return op.getAlignment() < 8 && !op.getTransposed() && !op.getWritten() &&
         !op.getRows() && vectorLength(type, wordBytes) * bytes == wordBytes;
}

namespace {

class Load {
public:
  Load(ThreadBuilder &b, hopper::LoadOp op, Operands<hopper::LoadOp> in,
       ArrayRef<int64_t> shape, Value column)
      : b(b),
        tile(op, in, shape,
             tile::elementBytes(cast<RankedTensorType>(op.getResult().getType())
                                    .getElementType())),
        edges(b, tile), alignment(op.getAlignment()), column(column) {}

  SmallVector<Value> load(ArrayRef<WordOfRow> words) {
    const SmallVector<Type> types(Words(wordBytes).count * words.size(),
                                  b.getI32Type());
    auto branch = scf::IfOp::create(b, b.loc, types, edges.isWhole(),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, b.loc, loadWhole(words));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, b.loc, loadParts(words));
    return branch.getResults();
  }

private:
  SmallVector<Value> loadWhole(ArrayRef<WordOfRow> words) {
    SmallVector<Pair> pairs = llvm::map_to_vector(
        words, [&](const WordOfRow &word) { return alignedAround(word); });
    return shiftedWords(pairs, loadPairs(pairs));
  }

  SmallVector<Value> loadParts(ArrayRef<WordOfRow> words) {
    SmallVector<Pair> pairs = llvm::map_to_vector(
        words, [&](const WordOfRow &word) { return around(word); });
    const SmallVector<SmallVector<Value>> loaded = loadPairs(pairs);
    const SmallVector<Value> torn = loadTorn(words, pairs);
    SmallVector<Value> result =
        withoutOthers(shiftedWords(pairs, loaded), words);
    for (auto [word, of] : llvm::zip(result, torn))
      word = b.bitOr(word, of);
    return result;
  }

  /// The two aligned words around one.
  struct Pair {
    Value first;      ///< where it lies, 64 bits
    Value distance;   ///< bytes from there on
    Value begin, end; ///< of the word's bytes in the tensor's row; null: 0
    Value isTorn;     ///< they reach beyond the tensor's memory
    Value isFirstRead, isSecondRead; ///< null: always
  };

  Value bytesWithin(Value elements) {
    const int64_t most = wordBytes / tile.elementBytes;
    Value some = b.createOrFold<arith::MaxSIOp>(b.loc, elements, b.i32(0));
    return b.mul(b.createOrFold<arith::MinSIOp>(b.loc, some, b.i32(most)),
                 tile.elementBytes);
  }
  Value begin(int64_t offset) {
    return tile.nonNegative ? Value()
                            : bytesWithin(b.sub(b.i32(-offset), column));
  }
  Value end(int64_t offset) {
    return bytesWithin(b.sub(b.add(tile.end(), -offset), column));
  }

  SmallVector<Value> shiftedWords(ArrayRef<Pair> pairs,
                                  ArrayRef<SmallVector<Value>> loaded) {
    SmallVector<Value> result;
    for (auto [pair, both] : llvm::zip(pairs, loaded))
      llvm::append_range(result, shifted(b, both, pair.distance, alignment));
    return result;
  }

  Pair alignedAround(const WordOfRow &word) {
    Pair pair;
    Value address =
        LLVM::PtrToIntOp::create(b, b.loc, b.getI64Type(), word.address);
    pair.first = edges.wordOf(address);
    pair.distance =
        b.bitAnd(arith::TruncIOp::create(b, b.loc, b.getI32Type(), address),
                 b.i32(wordBytes - 1));
    return pair;
  }

  Pair around(const WordOfRow &word) {
    Pair pair = alignedAround(word);
    pair.begin = begin(word.column);
    pair.end = end(word.column);
    Value isAny = b.both(
        word.inside, b.lessThan(pair.begin ? pair.begin : b.i32(0), pair.end));
    Value isFirst = isAny;
    if (pair.begin)
      isFirst = b.both(isAny, b.lessThan(b.add(pair.distance, pair.begin),
                                         b.i32(wordBytes)));
    Value isSecond = b.both(
        isAny, b.lessThan(b.i32(wordBytes), b.add(pair.distance, pair.end)));
    Value second = b.add(pair.first, b.i64(wordBytes)),
          behind = b.add(second, b.i64(wordBytes));
    pair.isTorn = b.bitOr(b.both(isFirst, edges.areBeyond(pair.first, second)),
                          b.both(isSecond, edges.areBeyond(second, behind)));
    Value isWhole = b.equal(b.flag(pair.isTorn), b.i32(0));
    pair.isFirstRead = b.both(isFirst, isWhole);
    pair.isSecondRead = b.both(isSecond, isWhole);
    return pair;
  }

  /// All that is loaded is on its way before the first of it is shifted.
  SmallVector<SmallVector<Value>> loadPairs(ArrayRef<Pair> pairs) {
    SmallVector<SmallVector<Value>> loaded;
    for (const Pair &pair : pairs) {
      SmallVector<Value> &both = loaded.emplace_back();
      for (auto [number, isRead] :
           llvm::enumerate(ArrayRef{pair.isFirstRead, pair.isSecondRead}))
        llvm::append_range(both, loadWord(b, pair.first, int64_t(number),
                                          isRead, "global",
                                          /*hasOthers=*/true));
    }
    return loaded;
  }

  /// Torn words, by elements; zeros for others.
  SmallVector<Value> loadTorn(ArrayRef<WordOfRow> words, ArrayRef<Pair> pairs) {
    auto ifElse = [&](Value condition, int64_t count,
                      llvm::function_ref<SmallVector<Value>()> then) {
      const SmallVector<Type> types(count, b.getI32Type());
      auto branch = scf::IfOp::create(b, b.loc, types, condition,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, b.loc, SmallVector<Value>(count, b.i32(0)));
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, b.loc, then());
      return SmallVector<Value>(branch.getResults());
    };
    const int64_t count = Words(wordBytes).count;
    return ifElse(edges.mayBeTorn(), count * words.size(), [&] {
      SmallVector<Value> all;
      for (auto [word, pair] : llvm::zip(words, pairs))
        llvm::append_range(all, ifElse(pair.isTorn, count, [&] {
                             return edges.elementsAt(
                                 word.address, b.add(column, word.column), {});
                           }));
      return all;
    });
  }

  /// Zeros in place of what is not the tensor's, where the tile has any.
  SmallVector<Value> withoutOthers(ArrayRef<Value> words,
                                   ArrayRef<WordOfRow> of) {
    auto masks = [&] {
      const int64_t count = Words(wordBytes).count;
      std::map<int64_t, SmallVector<Value>> byColumn;
      SmallVector<Value> masks;
      for (const WordOfRow &word : of) {
        SmallVector<Value> &ofWord = byColumn[word.column];
        if (ofWord.empty())
          ofWord = bitsBetween(b, begin(word.column), end(word.column), count);
        llvm::append_range(masks, ofWord);
      }
      return masks;
    };
    return edges.withoutOthers(words, edges.masks(words.size(), masks));
  }

  ThreadBuilder &b;
  const TensorTile tile;
  const TileEdges edges;
  const int64_t alignment;
  Value column;
};

} // namespace

SmallVector<Value> loadShifted(ThreadBuilder &b, hopper::LoadOp op,
                               Operands<hopper::LoadOp> in,
                               ArrayRef<int64_t> shape, Value column,
                               ArrayRef<WordOfRow> words) {
  return Load(b, op, in, shape, column).load(words);
}

} // namespace ashlar
