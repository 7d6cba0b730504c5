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

} // namespace

void copyShifted(ThreadBuilder &b, hopper::CopyTileOp op,
                 Operands<hopper::CopyTileOp> in) {
  Load(b, op, in).copy();
}

} // namespace ashlar
