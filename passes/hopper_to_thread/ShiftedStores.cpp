#include "passes/hopper_to_thread/ShiftedRows.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/TileRows.h"

namespace ashlar {

using namespace mlir;

namespace {

/// A tile that threads write to global memory.
class Store {
public:
  Store(ThreadBuilder &b, hopper::CopyTileOutOp op,
        Operands<hopper::CopyTileOutOp> in)
      : b(b), tile(op, in, op.getSource().getType()),
        threads(target::warpThreads *
                (op.getPerWarp() ? 1 : b.role.getWarps())),
        bytes(tile.elementBytes), elements(wordBytes / bytes),
        columns(tile.type.getShape().back()), rows(tile.count()),
        source(one(in.getSource())),
        thread(op.getPerWarp() ? b.laneOfWarp() : b.threadOfRole()),
        alignment(op.getAlignment()) {
    begin = b.i32(0);
    if (!tile.nonNegative)
      begin = b.createOrFold<arith::MaxSIOp>(b.loc, begin,
                                             b.sub(begin, tile.column()));
    end =
        b.createOrFold<arith::MinSIOp>(b.loc, b.sub(tile.end(), tile.column()),
                                       b.i32(tile.type.getShape().back()));
  }

  void copy() {
    auto isLong = scf::IfOp::create(
        b, b.loc,
        arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::sge,
                              b.sub(end, begin), b.i32(elements)),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isLong.thenBlock());
    copyWords();
    b.setInsertionPointToStart(isLong.elseBlock());
    copyElements();
  }

private:
  /// The address of an element of a row.
  Value address(const TileRow &row, Value place) {
    return b.elementAddress(tile.pointer, b.getIntegerType(8 * bytes),
                            b.add(row.element, b.extend(place)));
  }

  Value low(Value address) {
    return LLVM::PtrToIntOp::create(b, b.loc, b.getI32Type(), address);
  }

  /// The pointer to an element of the shared tile.
  Value shared(const TileRow &row, Value place) {
    return LLVM::IntToPtrOp::create(
        b, b.loc, LLVM::LLVMPointerType::get(b.getContext(), 3),
        b.add(source, swizzled(b, tile.type.getLayout()->swizzle,
                               tile.shared(b, row, place))));
  }

  /// The word of the shared tile that begins at an element; where there is none
  /// another one of its row, of which nothing is needed.
  void appendWord(const TileRow &row, Value place, SmallVector<Value> &words) {
    place =
        b.createOrFold<arith::MinSIOp>(b.loc, place, b.i32(columns - elements));
    auto vector = VectorType::get({4}, b.getI32Type());
    Value word =
        LLVM::LoadOp::create(b, b.loc, vector, shared(row, place), wordBytes);
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(b.extract(word, i));
  }

  void whereInside(Value condition, llvm::function_ref<void()> body) {
    if (!condition)
      return body();
    auto branch = scf::IfOp::create(b, b.loc, condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  /// An aligned word of the tensor, and whether all its elements are the tile's
  /// and the tensor's.
  struct Word {
    Value to, isWhole;
    SmallVector<Value> content;
  };

  /// Those that begin first in so many words of the tile, of which each is as
  /// far behind the one before as there are threads.
  SmallVector<Word> read(Value first, int64_t count) {
    const int64_t ofRow = columns / elements, ofTile = rows * ofRow;
    const bool isAll = count * threads >= ofTile;
    const int64_t step = threads % ofRow == 0 ? threads / ofRow : 0;
    SmallVector<TileRow> below;
    if (step)
      below = tile.rows(b, b.div(first, ofRow), step, count);
    SmallVector<Word> all;
    Value atFirst;
    for (int64_t i = 0; i < count; ++i) {
      Value number = b.add(first, i * threads), exists, there = number;
      if (isAll ? (i + 1) * threads > ofTile
                : i > 0 && ofTile % (count * threads) != 0) {
        exists = b.lessThan(number, b.i32(ofTile));
        there =
            b.createOrFold<arith::MinSIOp>(b.loc, number, b.i32(ofTile - 1));
      }
      // In shared memory a thread reads only what is the tile's.
      TileRow row = tile.row(b, b.div(there, ofRow));
      if (step) {
        below[i].shared = row.shared;
        row = below[i];
      }
      Value place = b.mul(b.rem(step ? first : there, ofRow), elements);
      Value at = low(address(row, place));
      if (i == 0)
        atFirst = at;
      else if (step && tile.areAlike(step))
        at = atFirst;
      all.push_back(read(row, place, at, b.both(exists, row.inside)));
    }
    return all;
  }

  /// The one that begins first in the word of the tile at a place, whose
  /// address in the tensor ends like `at`.
  Word read(const TileRow &row, Value first, Value at, Value exists) {
    Word word;
    Value distance = b.bitAnd(b.sub(b.i32(0), at), b.i32(wordBytes - 1));
    appendWord(row, first, word.content);
    appendWord(row, b.add(first, elements), word.content);
    word.content = shifted(b, word.content, distance, alignment);
    Value place = b.add(first, b.div(distance, bytes));
    word.to = address(row, place);
    auto compare = [&](Value left, Value right) -> Value {
      return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::sle, left,
                                   right);
    };
    word.isWhole = b.both(exists, compare(b.add(place, elements), end));
    if (!tile.nonNegative)
      word.isWhole = b.both(word.isWhole, compare(begin, place));
    return word;
  }

  void store(const Word &word) {
    SmallVector<Value> operands{word.to};
    llvm::append_range(operands, word.content);
    operands.push_back(b.flag(word.isWhole));
    b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $5, 0;\n\t"
          "@p st.global.v4.b32 [$0], {$1, $2, $3, $4};\n\t}",
          operands);
  }

  /// Neighbours have neighbouring words, so that what they store meets whole
  /// sectors; a thread reads some before it stores them, and where these are
  /// all that it has, what it has of the ends of rows as well.
  void copyWords() {
    // Of a word some 8 registers are known at once, of an end 16.
    const int64_t most =
        (b.otherRegisters() - target::registersBesideFragments - 16) / 8;
    const int64_t words = rows * columns / elements;
    const int64_t rounds = llvm::divideCeil(words, threads);
    const bool isOnce =
        rounds <= std::min<int64_t>(most, 4) && 2 * rows <= threads;
    const int64_t batch = isOnce ? rounds : std::min<int64_t>(rounds, 2);
    forEach(b, thread, words, batch * threads, batch == rounds,
            [&](Value first) {
              const SmallVector<Word> all = read(first, batch);
              std::optional<End> ofRow;
              if (isOnce)
                ofRow = readEnd(thread);
              for (const Word &word : all)
                store(word);
              if (ofRow)
                store(*ofRow);
            });
    if (!isOnce)
      forEach(b, thread, 2 * rows, threads, 2 * rows <= threads,
              [&](Value number) { store(readEnd(number)); });
  }

  /// What the row has of the aligned word in which it begins or ends, if that
  /// is not all of it.
  struct End {
    Value to, isThere, isLast;
    Value before; ///< bytes of the word that lie before the row's bound
    SmallVector<Value> content;
  };

  Value either(const End &part, Value ofLast, Value ofFirst) {
    return arith::SelectOp::create(b, b.loc, part.isLast, ofLast, ofFirst);
  }

  /// Two for each row of the tile.
  End readEnd(Value number) {
    End part;
    if (2 * rows % threads != 0) {
      part.isThere = b.lessThan(number, b.i32(2 * rows));
      number =
          b.createOrFold<arith::MinSIOp>(b.loc, number, b.i32(2 * rows - 1));
    }
    const TileRow row = tile.row(b, b.div(number, 2));
    part.isThere = b.both(part.isThere, row.inside);
    part.isLast = b.equal(b.rem(number, 2), b.i32(1));
    Value bound = either(part, end, begin);
    part.before = b.bitAnd(low(address(row, bound)), b.i32(wordBytes - 1));
    Value place = b.sub(bound, b.div(part.before, bytes));
    Value distance = b.mul(b.bitAnd(place, b.i32(elements - 1)), bytes);
    Value first = b.bitAnd(place, b.i32(-elements));
    appendWord(row, b.createOrFold<arith::MaxSIOp>(b.loc, first, b.i32(0)),
               part.content);
    appendWord(row, b.add(first, elements), part.content);
    part.content = shifted(b, part.content, distance, alignment);
    part.to = address(row, place);
    return part;
  }

  /// By pieces of 8 bytes and less.
  void store(const End &part) {
    // An end has the bytes up to `before`, the largest piece first, and a
    // beginning those from there on, the smallest first.
    Value from = part.before;
    for (int64_t piece = bytes; piece < wordBytes; piece *= 2) {
      Value isPiece =
          arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne,
                                b.bitAnd(from, b.i32(piece)), b.i32(0));
      Value at = either(
          part, b.bitAnd(part.before, b.i32(wordBytes - 2 * piece)), from);
      storePiece(part.to, part.content, at, piece,
                 b.both(part.isThere, isPiece));
      // A beginning goes on behind its piece.
      from = either(part, part.before,
                    b.bitAnd(b.add(from, piece), b.i32(-2 * piece)));
    }
  }

  /// `piece` bytes of a word, from its byte `at` on.
  void storePiece(Value to, ArrayRef<Value> words, Value at, int64_t piece,
                  Value isThere) {
    auto pick = [&](Value ofOne, Value ofOther, int64_t bit) -> Value {
      Value isOne = arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne,
                                          b.bitAnd(at, b.i32(bit)), b.i32(0));
      return arith::SelectOp::create(b, b.loc, isOne, ofOne, ofOther);
    };
    Value address =
        LLVM::GEPOp::create(b, b.loc, to.getType(), b.getIntegerType(8), to,
                            ArrayRef<LLVM::GEPArg>{at});
    SmallVector<Value> stored{address};
    std::string form;
    if (piece == 8) {
      stored.push_back(pick(words[2], words[0], 8));
      stored.push_back(pick(words[3], words[1], 8));
      form = "v2.b32 [$0], {$1, $2}";
    } else {
      Value word =
          pick(pick(words[3], words[2], 4), pick(words[1], words[0], 4), 8);
      if (piece < 4)
        word = arith::ShRUIOp::create(b, b.loc, word,
                                      b.mul(b.bitAnd(at, b.i32(3)), 8));
      stored.push_back(word);
      form = "b" + std::to_string(8 * piece) + " [$0], " +
             (piece == 4 ? "$1" : "v");
    }
    stored.push_back(b.flag(isThere));
    const std::string flag = "$" + std::to_string(stored.size() - 1);
    std::string text =
        "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " + flag + ", 0;\n\t";
    if (piece == 2)
      text += ".reg .b16 v;\n\tcvt.u16.u32 v, $1;\n\t";
    if (piece == 1)
      text += ".reg .b16 v;\n\tcvt.u16.u32 v, $1;\n\t";
    b.ptx(text + "@p st.global." + form + ";\n\t}", stored);
  }

  /// Where both ends may be in one word: a thread for each element.
  void copyElements() {
    forEach(b, thread, 2 * elements * rows, threads, false, [&](Value number) {
      const TileRow row = tile.row(b, b.div(number, 2 * elements));
      Value isSecond = b.equal(b.rem(b.div(number, elements), 2), b.i32(1));
      Value bound = arith::SelectOp::create(b, b.loc, isSecond, end, begin);
      Value before = b.div(
          b.bitAnd(low(address(row, bound)), b.i32(wordBytes - 1)), bytes);
      Value word = b.sub(bound, before);
      Value place = b.add(word, b.rem(number, elements));
      auto compare = [&](arith::CmpIPredicate how, Value left,
                         Value right) -> Value {
        return arith::CmpIOp::create(b, b.loc, how, left, right);
      };
      using enum arith::CmpIPredicate;
      Value condition = b.both(row.inside, b.both(compare(sle, begin, place),
                                                  compare(slt, place, end)));
      // Not what is whole, nor what is the first word too.
      Value isWhole = b.both(compare(sle, begin, word),
                             compare(sle, b.add(word, elements), end));
      Value isFirst = b.both(isSecond, compare(sle, word, begin));
      condition = b.both(condition,
                         b.equal(b.flag(b.bitOr(isWhole, isFirst)), b.i32(0)));
      whereInside(condition, [&] {
        Type element = b.getIntegerType(8 * bytes);
        Value value =
            LLVM::LoadOp::create(b, b.loc, element, shared(row, place));
        LLVM::StoreOp::create(b, b.loc, value, address(row, place));
      });
    });
  }

  ThreadBuilder &b;
  const TileRows tile;
  const int64_t threads;
  const int64_t bytes, elements; ///< of an element, in a word
  const int64_t columns, rows;   ///< of the tile
  Value source, thread;
  int64_t alignment;
  Value begin, end; ///< of what lies in the tensor, in a row of the tile
};

} // namespace

void copyShifted(ThreadBuilder &b, hopper::CopyTileOutOp op,
                 Operands<hopper::CopyTileOutOp> in) {
  Store(b, op, in).copy();
}

} // namespace ashlar
