#include "passes/hopper_to_thread/ShiftedRows.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/TileRows.h"
#include "passes/hopper_to_thread/Words.h"

#include <numeric>

namespace ashlar {

using namespace mlir;

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

/// A tile that threads read from global memory.
class Load {
public:
  Load(ThreadBuilder &b, hopper::CopyTileOp op, Operands<hopper::CopyTileOp> in)
      : b(b), op(op), tile(op, in, op.getTarget().getType()),
        sharing(sharingOf(b, op)), target(one(in.getTarget())),
        alignment(op.getAlignment()), isWritten(op.getWritten()) {}

  void copy() {
    if (!isWritten)
      memory = memoryOf(/*ofTile=*/false);
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
      copyTorn();
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

  /// What one run of a row has to do with the words around it.
  struct Run {
    TileRow row;
    Value exists;      ///< null: the tile has such a row
    Value address;     ///< of its first element, 64 bits
    Value first, stop; ///< bytes from the first word on to what is read
    /// Whether the tensor has any of it, and whether a word around has bytes
    /// that are not to be read; then elements are read.
    Value isInside, isTorn;
  };

  /// Bytes of a run before those that the tensor's rows have, null if there
  /// are none, and up to their end.
  struct Bounds {
    Value at, skipped, end, isAny;
  };

  Bounds bounds(Value run) {
    const Value columns = b.i32(sharing.columns());
    auto bytesWithin = [&](Value elements) {
      Value atLeast = b.createOrFold<arith::MaxSIOp>(b.loc, elements, b.i32(0));
      return b.mul(b.createOrFold<arith::MinSIOp>(b.loc, atLeast, columns),
                   tile.elementBytes);
    };
    Bounds bounds{column(run), {}, {}, {}};
    bounds.end = bytesWithin(b.sub(tile.end(), bounds.at));
    if (!tile.nonNegative)
      bounds.skipped = bytesWithin(b.sub(b.i32(0), bounds.at));
    bounds.isAny =
        b.lessThan(bounds.skipped ? bounds.skipped : b.i32(0), bounds.end);
    return bounds;
  }

  Run runOf(Value number, Value run, const Bounds &bounds) {
    Run is{tile.row(b, number), {}, {}, {}, {}, {}, {}};
    is.address = address(is.row, b.mul(run, sharing.columns()));
    Value distance = b.bitAnd(low(is.address), b.i32(wordBytes - 1));
    is.first = bounds.skipped ? b.add(distance, bounds.skipped) : distance;
    is.stop = b.add(distance, bounds.end);
    is.isInside = b.both(is.row.inside, bounds.isAny);
    is.isTorn =
        b.both(is.isInside, isWritten ? hasOthers(is, run, bounds)
                                      : isBeyond(firstWord(is), wordsEnd(is)));
    return is;
  }

  Value low(Value address) {
    return arith::TruncIOp::create(b, b.loc, b.getI32Type(), address);
  }

  Value wordOf(Value address) {
    return arith::AndIOp::create(b, b.loc, address, b.i64(-wordBytes));
  }

  /// The addresses of the first word that is read, and behind the last one.
  Value firstWord(const Run &run) {
    Value word = wordOf(run.address);
    return tile.nonNegative
               ? word
               : b.add(word, b.extend(b.bitAnd(run.first, b.i32(-wordBytes))));
  }
  Value wordsEnd(const Run &run) {
    Value bytes = b.bitAnd(b.add(run.stop, wordBytes - 1), b.i32(-wordBytes));
    return b.add(wordOf(run.address), b.extend(bytes));
  }

  /// Whether words reach beyond the tensor's memory.
  Value isBeyond(Value from, Value to) {
    auto below = [&](Value left, Value right) -> Value {
      return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ult, left,
                                   right);
    };
    return b.bitOr(below(from, memory.begin), below(memory.end, to));
  }

  /// Whether words have elements that are not the tile's.
  Value hasOthers(const Run &is, Value run, const Bounds &bounds) {
    auto isNone = [&](Value bytes) {
      return b.equal(b.bitAnd(bytes, b.i32(wordBytes - 1)), b.i32(0));
    };
    Value isInner =
        b.both(b.lessThan(b.i32(0), run), b.lessThan(b.i32(0), bounds.at));
    Value isFollowed = b.both(
        b.lessThan(run, b.i32(sharing.runs - 1)),
        b.lessThan(b.add(bounds.at, sharing.columns() + sharing.elements - 1),
                   tile.end()));
    return isNot(b.both(b.bitOr(isInner, isNone(is.first)),
                        b.bitOr(isFollowed, isNone(is.stop))));
  }

  /// Where the tensor's memory begins and ends; and what the tile has of it:
  /// strides are not negative.
  struct Memory {
    Value begin, end;
  };
  Memory memoryOf(bool ofTile) {
    Value first = b.i64(0), last = b.i64(0);
    const size_t rank = tile.extents.size();
    ArrayRef<int64_t> shape = tile.type.getShape();
    for (size_t i = 0; i < rank; ++i) {
      Value begin = b.i32(0), end = tile.extents[i];
      if (ofTile && !(tile.chosen && i + 2 == rank)) {
        const size_t leading = rank - shape.size();
        begin =
            b.createOrFold<arith::MaxSIOp>(b.loc, begin, tile.coordinates[i]);
        end = b.createOrFold<arith::MinSIOp>(
            b.loc, end,
            b.add(tile.coordinates[i], i < leading ? 1 : shape[i - leading]));
      }
      auto scaled = [&](Value index) {
        return b.mul(b.extend(index), tile.strides[i]);
      };
      first = b.add(first, scaled(begin));
      last = b.add(last, scaled(b.sub(end, b.i32(1))));
    }
    auto at = [&](Value element) -> Value {
      return LLVM::PtrToIntOp::create(
          b, b.loc, b.getI64Type(),
          b.elementAddress(tile.pointer,
                           b.getIntegerType(8 * tile.elementBytes), element));
    };
    return {at(first), at(b.add(last, b.i64(1)))};
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
    const bool areAll = sharing.rows % (batch * sharing.slots()) == 0;
    const Bounds within = bounds(run);
    SmallVector<Run> runs;
    for (int64_t i = 0; i < batch; ++i) {
      Value number = b.add(first, i * sharing.slots());
      runs.push_back(runOf(number, run, within));
      if (!areAll)
        runs.back().exists = b.lessThan(number, b.i32(sharing.rows));
    }
    const Words words(wordBytes);
    const SmallVector<Type> types(words.count, b.getI32Type());
    SmallVector<SmallVector<Value>> content(batch);
    for (auto [is, read] : llvm::zip(runs, content)) {
      Value from = wordOf(is.address);
      Value isRead = b.both(b.both(is.isInside, is.exists), isNot(is.isTorn));
      for (int64_t i = 0; i <= sharing.words; ++i) {
        Value isNeeded =
            b.both(isRead, b.lessThan(b.i32(wordBytes * i), is.stop));
        if (!tile.nonNegative)
          isNeeded = b.both(isNeeded,
                            b.lessThan(is.first, b.i32(wordBytes * (i + 1))));
        llvm::append_range(read,
                           b.ptx(load(i), types, {from, b.flag(isNeeded)}));
      }
    }
    if (hopper::CopyTileOp next = isLoadedWith())
      b.setInsertionPointAfter(next);
    // While the words are on their way.
    if (sharing.isOneBatch())
      copyTorn();
    for (auto [is, read] : llvm::zip(runs, content))
      read = shifted(b, read, low(is.address), alignment);
    withoutOthers(content, within);
    Value place = b.mul(run, sharing.columns());
    for (auto [is, read] : llvm::zip(runs, content))
      store(is.row, place, read, b.both(isNot(is.isTorn), is.exists));
  }

  /// PTX that loads a word; where it may have what lies between rows the
  /// simulator is told.
  std::string load(int64_t word) const {
    std::string text =
        loadOrZeros(Words(wordBytes), "global", wordBytes * word);
    if (!isWritten)
      text.insert(text.find("@p ld"), "//@ around\n\t");
    return text;
  }

  /// Zeros in place of what is not the tensor's, where the tile has any.
  void withoutOthers(MutableArrayRef<SmallVector<Value>> content,
                     const Bounds &within) {
    const int64_t columns = tile.type.getShape().back();
    Value hasOthers = b.lessThan(tile.end(), b.add(tile.column(), columns));
    if (!tile.nonNegative)
      hasOthers = b.bitOr(hasOthers, b.lessThan(tile.column(), b.i32(0)));
    SmallVector<Value> all;
    for (ArrayRef<Value> words : content)
      llvm::append_range(all, words);
    auto branch = scf::IfOp::create(b, b.loc, ValueRange(all).getTypes(),
                                    hasOthers, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, b.loc, all);
    b.setInsertionPointToStart(branch.thenBlock());
    // Bits of each word of a run that lie before a byte of the run.
    auto before = [&](Value byte, int64_t word) {
      Value bits = b.createOrFold<arith::MaxSIOp>(
          b.loc, b.sub(b.mul(byte, 8), b.i32(32 * word)), b.i32(0));
      return b.value("shl.b32 $0, -1, $1;", b.getI32Type(), {bits});
    };
    SmallVector<Value> masks;
    for (int64_t word = 0; word < 4 * sharing.words; ++word) {
      Value mask = b.bitXor(before(within.end, word), b.i32(-1));
      if (within.skipped)
        mask = b.bitAnd(mask, before(within.skipped, word));
      masks.push_back(mask);
    }
    for (auto [i, word] : llvm::enumerate(all))
      word = b.bitAnd(word, masks[i % masks.size()]);
    scf::YieldOp::create(b, b.loc, all);
    size_t next = 0;
    for (SmallVector<Value> &words : content)
      for (Value &word : words)
        word = branch.getResult(next++);
  }

  /// Runs whose words have bytes that are not to be read, by elements: a thread
  /// for each word. Where nobody writes the tensor these are where its memory
  /// begins and ends.
  void copyTorn() {
    OpBuilder::InsertionGuard guard(b);
    auto where = [&](Value condition) {
      auto branch = scf::IfOp::create(b, b.loc, condition);
      b.setInsertionPointToStart(branch.thenBlock());
    };
    if (!isWritten) {
      const Memory ofTile = memoryOf(/*ofTile=*/true);
      where(isBeyond(wordOf(ofTile.begin),
                     wordOf(b.add(ofTile.end, b.i64(wordBytes - 1)))));
    }
    const int64_t words = sharing.runs * sharing.words;
    forEach(b, b.threadOfRole(), sharing.rows * words, sharing.threads, false,
            [&](Value number) {
              Value word = b.rem(number, words);
              Value run = b.div(word, sharing.words);
              const Run is = runOf(b.div(number, words), run, bounds(run));
              where(is.isTorn);
              copyElements(is.row, b.mul(word, sharing.elements));
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
  Memory memory;  ///< of the tensor, where nobody writes it
};

} // namespace

void copyShifted(ThreadBuilder &b, hopper::CopyTileOp op,
                 Operands<hopper::CopyTileOp> in) {
  Load(b, op, in).copy();
}

} // namespace ashlar
