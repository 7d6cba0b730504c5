#include "passes/hopper_to_thread/ShiftedRows.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/TileRows.h"
#include "passes/hopper_to_thread/Words.h"

#include <numeric>

namespace ashlar {

using namespace mlir;

static constexpr int64_t wordBytes = 16;

bool hasWholeWords(tile::SharedType type) {
  return type.getShape().back() * type.elementBytes() % wordBytes == 0;
}

bool isByShifting(hopper::CopyTileOp op) {
  return !op.isAsync() && hasWholeWords(op.getTarget().getType());
}

namespace {

/// Words that a thread takes one behind another: it reads one more. With more
/// of them accesses are fewer, but each meets more cache lines, as threads that
/// are neighbours are farther apart.
int64_t wordsOfRun(int64_t registers) {
  return registers < target::registersBesideFragments ? 1 : 2;
}

/// How threads share the words of a tile: each has runs of them in rows that
/// are evenly apart, and neighbours have neighbouring runs.
struct Sharing {
  int64_t elements; ///< of a word
  int64_t words;    ///< of a run
  int64_t runs;     ///< of a row
  int64_t rows;     ///< of the tile
  int64_t lanes;    ///< threads beside each other in a row
  int64_t threads;
  int64_t most; ///< runs that a thread can hold

  Sharing(tile::SharedType tile, int64_t threads, int64_t registers)
      : threads(threads), most((registers - target::registersBesideFragments) /
                               (4 * (wordsOfRun(registers) + 1))) {
    const int64_t columns = tile.getShape().back();
    elements = wordBytes / tile.elementBytes();
    words = std::gcd(columns / elements, wordsOfRun(registers));
    runs = columns / elements / words;
    rows = tile.sizeBytes() / tile.elementBytes() / columns;
    lanes = std::gcd(threads, runs);
  }

  int64_t columns() const { return words * elements; } ///< of a run
  int64_t slots() const {
    return threads / lanes;
  } ///< rows that are met at once
  int64_t rounds() const { return llvm::divideCeil(rows, slots()); }

  /// Runs whose words a thread holds at once.
  int64_t batch() const {
    const int64_t batches =
        llvm::divideCeil(rounds(), std::max<int64_t>(most, 1));
    return llvm::divideCeil(rounds(), batches);
  }
  /// Whether it holds at once all that it has of the tile.
  bool isOneBatch() const { return lanes == runs && batch() == rounds(); }
};

/// A loop; what it does is written once where it is done once.
void forEach(PtxBuilder &b, Value from, int64_t to, int64_t step, bool isOnce,
             llvm::function_ref<void(Value)> body) {
  if (isOnce)
    return body(from);
  auto loop = scf::ForOp::create(b, b.loc, from, b.i32(to), b.i32(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Words of 32 bits without the first `address` % 16 bytes of them, a multiple
/// of the alignment: four fewer.
SmallVector<Value> shifted(PtxBuilder &b, SmallVector<Value> words,
                           Value address, int64_t alignment) {
  const size_t count = words.size() - 4;
  for (int64_t bytes : {8, 4}) {
    if (alignment > bytes)
      continue;
    Value isFarther =
        arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne,
                              b.bitAnd(address, b.i32(bytes)), b.i32(0));
    const size_t distance = bytes / 4;
    for (size_t i = 0; i + distance < words.size(); ++i)
      words[i] = arith::SelectOp::create(b, b.loc, isFarther,
                                         words[i + distance], words[i]);
    words.pop_back_n(distance);
  }
  if (alignment < 4) {
    Value bits = b.mul(address, 8);
    for (size_t i = 0; i + 1 < words.size(); ++i)
      words[i] = b.value("shf.r.wrap.b32 $0, $1, $2, $3;", b.getI32Type(),
                         {words[i], words[i + 1], bits});
  }
  words.truncate(count);
  return words;
}

/// A tile that threads read from global memory.
class Load {
public:
  Load(ThreadBuilder &b, hopper::CopyTileOp op, Operands<hopper::CopyTileOp> in)
      : b(b), op(op), tile(op, in, op.getTarget().getType()),
        sharing(sharingOf(b, op)), target(one(in.getTarget())),
        alignment(op.getAlignment()), isWritten(op.getWritten()) {}

  void copy() {
    Value thread = b.threadOfRole();
    const int64_t slots = sharing.slots(), rounds = sharing.rounds();
    const int64_t batch = sharing.batch();
    OpBuilder::InsertionGuard guard(b);
    forEach(b, b.rem(thread, sharing.lanes), sharing.runs, sharing.lanes,
            sharing.lanes == sharing.runs, [&](Value run) {
              forEach(b, b.div(thread, sharing.lanes), sharing.rows,
                      batch * slots, batch == rounds,
                      [&](Value first) { copyRows(run, first, batch); });
            });
    if (!sharing.isOneBatch())
      copyRagged();
  }

private:
  static Sharing sharingOf(ThreadBuilder &b, hopper::CopyTileOp op) {
    return {op.getTarget().getType(),
            target::warpThreads * int64_t(b.role.getWarps()), b.registers()};
  }

  /// The copy that follows, where threads have registers for what is on its way
  /// beside this one's: then they store neither before both are loaded.
  hopper::CopyTileOp isLoadedWith() {
    Operation *next = op->getNextNode();
    while (next && !next->getNumRegions() && isMemoryEffectFree(next))
      next = next->getNextNode();
    auto copy = dyn_cast_or_null<hopper::CopyTileOp>(next);
    if (!copy || !isByShifting(copy) || !sharing.isOneBatch())
      return {};
    const Sharing other = sharingOf(b, copy);
    return other.isOneBatch() &&
                   sharing.rounds() + other.rounds() <= sharing.most
               ? copy
               : hopper::CopyTileOp();
  }

  Value column(Value run) {
    return b.add(tile.column(), b.mul(run, sharing.columns()));
  }

  /// Whether the words around a run hold nothing but elements of the row, and
  /// where others write the tensor, of the tile.
  Value isWhole(Value run) {
    const int64_t before = sharing.elements - alignment / tile.elementBytes;
    Value at = column(run);
    Value whole =
        b.both(b.lessThan(b.i32(before - 1), at),
               b.lessThan(b.add(at, sharing.columns() + sharing.elements - 1),
                          tile.end()));
    if (!isWritten)
      return whole;
    return b.both(whole, b.both(b.lessThan(b.i32(0), run),
                                b.lessThan(run, b.i32(sharing.runs - 1))));
  }

  /// Whether words around a run that has elements of the row hold others.
  Value isRagged(Value run) {
    Value at = column(run);
    Value hasElements = b.both(b.lessThan(b.i32(-sharing.columns()), at),
                               b.lessThan(at, tile.end()));
    return b.both(hasElements, isNot(isWhole(run)));
  }

  Value isNot(Value condition) { return b.equal(b.flag(condition), b.i32(0)); }

  /// The address of an element of a row.
  Value address(const TileRow &row, Value place) {
    return LLVM::PtrToIntOp::create(
        b, b.loc, b.getI64Type(),
        b.elementAddress(tile.pointer, b.getIntegerType(8 * tile.elementBytes),
                         b.add(row.element, b.extend(place))));
  }

  /// Of so many rows from the first one on, all words before the first use.
  void copyRows(Value run, Value first, int64_t batch) {
    struct Read {
      TileRow row;
      Value exists, address;
      SmallVector<Value> words;
    };
    const bool areAll = sharing.rows % (batch * sharing.slots()) == 0;
    Value whole = isWhole(run), place = b.mul(run, sharing.columns());
    SmallVector<Read> reads(batch);
    for (auto [i, read] : llvm::enumerate(reads)) {
      Value number = b.add(first, int64_t(i) * sharing.slots());
      if (!areAll)
        read.exists = b.lessThan(number, b.i32(sharing.rows));
      read.row = tile.row(b, number);
      read.address = address(read.row, place);
    }
    const Words words(wordBytes);
    const SmallVector<Type> types(words.count, b.getI32Type());
    for (Read &read : reads) {
      Value from =
          arith::AndIOp::create(b, b.loc, read.address, b.i64(-wordBytes));
      Value isRead =
          b.flag(b.both(whole, b.both(read.row.inside, read.exists)));
      for (int64_t i = 0; i <= sharing.words; ++i)
        llvm::append_range(read.words,
                           b.ptx(loadOrZeros(words, "global", wordBytes * i),
                                 types, {from, isRead}));
    }
    if (hopper::CopyTileOp next = isLoadedWith())
      b.setInsertionPointAfter(next);
    // While the words are on their way.
    if (sharing.isOneBatch())
      copyRagged();
    Value isStored = isNot(isRagged(run));
    for (Read &read : reads) {
      Value address =
          arith::TruncIOp::create(b, b.loc, b.getI32Type(), read.address);
      store(read.row, place, shifted(b, read.words, address, alignment),
            b.both(isStored, read.exists));
    }
  }

  /// Runs at the ends of the tensor's rows, by elements: a thread for each
  /// word.
  void copyRagged() {
    OpBuilder::InsertionGuard guard(b);
    auto where = [&](Value condition) {
      auto branch = scf::IfOp::create(b, b.loc, condition);
      b.setInsertionPointToStart(branch.thenBlock());
    };
    // There are none where the first and the last run are whole.
    where(isNot(b.both(isWhole(b.i32(0)), isWhole(b.i32(sharing.runs - 1)))));
    forEach(b, b.i32(0), sharing.runs, 1, false, [&](Value run) {
      where(isRagged(run));
      forEach(b, b.threadOfRole(), sharing.rows * sharing.words,
              sharing.threads, false, [&](Value number) {
                Value word = b.add(b.mul(run, sharing.words),
                                   b.rem(number, sharing.words));
                copyElements(tile.row(b, b.div(number, sharing.words)),
                             b.mul(word, sharing.elements));
              });
    });
  }

  /// The elements of a word, those outside of the tensor as zeros.
  void copyElements(const TileRow &row, Value place) {
    const Words element(tile.elementBytes);
    Value from = address(row, place), column = b.add(tile.column(), place);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < sharing.elements; ++i) {
      Value inside = b.both(
          row.inside, b.within(b.add(column, i), tile.end(), tile.nonNegative));
      Value loaded =
          b.ptx(loadOrZeros(element, "global", tile.elementBytes * i),
                wordRegister(b, element), {from, b.flag(inside)})[0];
      elements.push_back(narrow(b, element, loaded));
    }
    store(row, place, toWords(b, Words(wordBytes), elements), {});
  }

  /// Words to shared memory, on a condition.
  void store(const TileRow &row, Value place, ArrayRef<Value> words,
             Value condition) {
    for (size_t i = 0; i < words.size(); i += 4) {
      Value at = b.add(place, int64_t(i) / 4 * sharing.elements);
      SmallVector<Value> operands{
          b.add(target, swizzled(b, tile.type.getLayout()->swizzle,
                                 tile.shared(b, row, at)))};
      llvm::append_range(operands, words.slice(i, 4));
      const std::string store = "st.shared::cta.v4.b32 [$0], {$1, $2, $3, $4};";
      if (condition) {
        operands.push_back(b.flag(condition));
        b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $5, 0;\n\t@p " + store +
                  "\n\t}",
              operands);
      } else {
        b.ptx(store, operands);
      }
    }
  }

  ThreadBuilder &b;
  hopper::CopyTileOp op;
  const TileRows tile;
  const Sharing sharing;
  Value target;
  int64_t alignment;
  bool isWritten; ///< by the kernel
};

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

  /// Neighbours have neighbouring words, so that what they store meets whole
  /// sectors; a thread reads two before it stores them.
  void copy() {
    const int64_t words = rows * columns / elements;
    const int64_t rounds = llvm::divideCeil(words, threads);
    const int64_t batch = std::min<int64_t>(rounds, 2);
    forEach(b, thread, words, batch * threads, batch == rounds,
            [&](Value first) {
              SmallVector<Word> all;
              for (int64_t i = 0; i < batch; ++i)
                all.push_back(read(b.add(first, i * threads),
                                   words % (batch * threads) ? words : 0));
              for (const Word &word : all)
                store(word);
            });
    copyEnds();
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

  /// The first that begins in this word of the tile, of so many if there may be
  /// fewer.
  Word read(Value number, int64_t count) {
    Word word;
    if (count) {
      word.isWhole = b.lessThan(number, b.i32(count));
      number = b.createOrFold<arith::MinSIOp>(b.loc, number, b.i32(count - 1));
    }
    const TileRow row = tile.row(b, b.div(number, columns / elements));
    word.isWhole = b.both(word.isWhole, row.inside);
    Value first = b.mul(b.rem(number, columns / elements), elements);
    word.to = address(row, first);
    Value distance =
        b.bitAnd(b.sub(b.i32(0), low(word.to)), b.i32(wordBytes - 1));
    appendWord(row, first, word.content);
    appendWord(row, b.add(first, elements), word.content);
    word.content = shifted(b, word.content, distance, alignment);
    Value place = b.add(first, b.div(distance, bytes));
    word.to = address(row, place);
    auto compare = [&](Value left, Value right) -> Value {
      return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::sle, left,
                                   right);
    };
    word.isWhole = b.both(word.isWhole, compare(b.add(place, elements), end));
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

  /// The words at both ends of a row that have other elements too.
  void copyEnds() {
    auto isLong = scf::IfOp::create(
        b, b.loc,
        arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::sge,
                              b.sub(end, begin), b.i32(elements)),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isLong.thenBlock());
    copyEndsByPieces();
    b.setInsertionPointToStart(isLong.elseBlock());
    copyEndsByElements();
  }

  /// A thread for each end, which stores pieces of 8 bytes and less.
  void copyEndsByPieces() {
    forEach(b, thread, 2 * rows, threads, 2 * rows == threads,
            [&](Value number) {
              const TileRow row = tile.row(b, b.div(number, 2));
              whereInside(row.inside, [&] {
                copyEnd(row, b.equal(b.rem(number, 2), b.i32(1)));
              });
            });
  }

  /// What the row has of the aligned word in which it begins or ends, if that
  /// is not all of it.
  void copyEnd(const TileRow &row, Value isLast) {
    auto either = [&](Value ofLast, Value ofFirst) -> Value {
      return arith::SelectOp::create(b, b.loc, isLast, ofLast, ofFirst);
    };
    Value bound = either(end, begin);
    // Bytes of the word that lie before the bound.
    Value before = b.bitAnd(low(address(row, bound)), b.i32(wordBytes - 1));
    Value place = b.sub(bound, b.div(before, bytes));
    Value distance = b.mul(b.bitAnd(place, b.i32(elements - 1)), bytes);
    Value first = b.bitAnd(place, b.i32(-elements));
    SmallVector<Value> words;
    appendWord(row, b.createOrFold<arith::MaxSIOp>(b.loc, first, b.i32(0)),
               words);
    appendWord(row, b.add(first, elements), words);
    words = shifted(b, words, distance, alignment);
    Value to = address(row, place);
    // An end has the bytes up to `before`, the largest piece first, and a
    // beginning those from there on, the smallest first.
    Value from = before;
    for (int64_t piece = bytes; piece < wordBytes; piece *= 2) {
      Value isThere =
          arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne,
                                b.bitAnd(from, b.i32(piece)), b.i32(0));
      Value at = either(b.bitAnd(before, b.i32(wordBytes - 2 * piece)), from);
      storePiece(to, words, at, piece, isThere);
      // A beginning goes on behind its piece.
      from = either(before, b.bitAnd(b.add(from, piece), b.i32(-2 * piece)));
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

  /// The same where both ends may be in one word: a thread for each element.
  void copyEndsByElements() {
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

void copyShifted(ThreadBuilder &b, hopper::CopyTileOp op,
                 Operands<hopper::CopyTileOp> in) {
  Load(b, op, in).copy();
}

void copyShifted(ThreadBuilder &b, hopper::CopyTileOutOp op,
                 Operands<hopper::CopyTileOutOp> in) {
  Store(b, op, in).copy();
}

} // namespace ashlar
