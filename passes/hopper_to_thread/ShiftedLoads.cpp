#include "passes/hopper_to_thread/ShiftedLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/TileEdges.h"
#include "passes/hopper_to_thread/Words.h"

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
  /// All that is loaded is on its way before the first of it is shifted.
  SmallVector<Value> loadWhole(ArrayRef<WordOfRow> words) {
    SmallVector<Pair> pairs;
    SmallVector<SmallVector<Value>> loaded;
    for (const WordOfRow &word : words) {
      pairs.push_back(alignedAround(word));
      SmallVector<Value> both = half(pairs.back(), 0, {});
      llvm::append_range(both, half(pairs.back(), 1, {}));
      loaded.push_back(both);
    }
    return shiftedWords(pairs, loaded);
  }

  SmallVector<Value> loadParts(ArrayRef<WordOfRow> words) {
    SmallVector<Pair> pairs = llvm::map_to_vector(
        words, [&](const WordOfRow &word) { return around(word); });
    SmallVector<SmallVector<Value>> loaded;
    for (const Pair &pair : pairs) {
      SmallVector<Value> both = half(pair, 0, pair.isFirstRead);
      llvm::append_range(both, half(pair, 1, pair.isSecondRead));
      loaded.push_back(both);
    }
    const SmallVector<Value> torn = loadTorn(words, pairs);
    SmallVector<Value> result = shiftedWords(pairs, loaded);
    withoutOthers(result, words);
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
    Value isFirstRead, isSecondRead;
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

  /// The simulator is told that it may have what lies between rows.
  SmallVector<Value> half(const Pair &pair, int64_t number, Value isRead) {
    const Words words(wordBytes);
    const std::string around = "//@ around\n\t";
    SmallVector<Value> operands{pair.first};
    std::string text;
    if (isRead) {
      operands.push_back(b.flag(isRead));
      text = loadOrZeros(words, "global", wordBytes * number);
      text.insert(text.find("@p ld"), around);
    } else {
      text = around + "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+" +
             std::to_string(wordBytes * number) + "];";
    }
    const SmallVector<Type> types(words.count, b.getI32Type());
    return b.ptx(text, types, operands);
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
        llvm::append_range(
            all, ifElse(pair.isTorn, count, [&] { return elementsOf(word); }));
      return all;
    });
  }

  SmallVector<Value> elementsOf(const WordOfRow &word) {
    const Words element(tile.elementBytes);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < wordBytes / tile.elementBytes; ++i) {
      Value isInside = b.within(b.add(column, word.column + i), tile.end(),
                                tile.nonNegative);
      Value loaded =
          b.ptx(loadOrZeros(element, "global", tile.elementBytes * i),
                wordRegister(b, element), {word.address, b.flag(isInside)})[0];
      elements.push_back(narrow(b, element, loaded));
    }
    return toWords(b, Words(wordBytes), elements);
  }

  /// Zeros in place of what is not the tensor's, where the tile has any.
  void withoutOthers(SmallVector<Value> &words, ArrayRef<WordOfRow> of) {
    Value hasOthers =
        b.lessThan(tile.end(), b.add(tile.column(), tile.shape.back()));
    if (!tile.nonNegative)
      hasOthers = b.bitOr(hasOthers, b.lessThan(tile.column(), b.i32(0)));
    auto branch = scf::IfOp::create(b, b.loc, ValueRange(words).getTypes(),
                                    hasOthers, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, b.loc, words);
    b.setInsertionPointToStart(branch.thenBlock());
    const int64_t count = Words(wordBytes).count;
    std::map<int64_t, SmallVector<Value>> masks; ///< by columns
    for (auto [i, word] : llvm::enumerate(words)) {
      const int64_t offset = of[i / count].column;
      if (!masks.contains(offset))
        masks[offset] = bitsBetween(b, begin(offset), end(offset), count);
      word = b.bitAnd(word, masks[offset][i % count]);
    }
    scf::YieldOp::create(b, b.loc, words);
    words = branch.getResults();
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
