#include "passes/hopper_to_thread/ShiftedRows.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/InRole.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/TileEdges.h"
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

/// What a thread was seen to need beside the words that it loads.
constexpr int64_t besideWords = target::registersBesideFragments + 8;

/// How threads share the words of a tile: each has runs of them in rows that
/// are evenly apart, and neighbours have neighbouring runs.
struct Sharing {
  int64_t elements; ///< of a word
  int64_t words;    ///< of a run
  int64_t runs;     ///< of a row
  int64_t rows;     ///< of the tile
  int64_t lanes;    ///< threads beside each other in a row
  int64_t threads;
  int64_t registers; ///< that a thread has for words
  int64_t most;      ///< runs that it can hold

  Sharing(tile::SharedType tile, int64_t threads, int64_t registers)
      : threads(threads), registers(registers - besideWords),
        most(this->registers / (4 * (wordsOfRun(registers) + 1))) {
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
  /// Whether there are registers for the elements of a run and its masks beside
  /// so many runs.
  bool hasRoomBeside(int64_t held) const {
    return registers - 4 * (words + 1) * held >= words * (elements + 4);
  }
  /// Whether it holds at once all that it has of the tile.
  bool isOneBatch() const { return lanes == runs && batch() == rounds(); }
};

/// A tile that threads read from global memory.
class Load {
public:
  Load(ThreadBuilder &b, hopper::CopyTileOp op, Operands<hopper::CopyTileOp> in)
      : b(b), op(op), tile(op, in, op.getTarget().getType()), edges(b, tile),
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
                      [&](Value first) { copyRuns(run, first, batch); });
            });
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

  /// What comes while the words are on their way: loads by TMA and waiting for
  /// what these need.
  Operation *lastBeforeUse() {
    Operation *last = op;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (goesOnMeanwhile(*next))
        last = next;
      else if (next->getNumRegions() || !isMemoryEffectFree(next))
        break;
    return last;
  }
  static bool goesOnMeanwhile(Operation &op) {
    if (isa<hopper::OnceOp>(op))
      return onlyLoadsOnce(&op);
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch && !branch.getNumResults() &&
           branch.getElseRegion().empty() &&
           llvm::all_of(branch.getThenRegion().getOps(), [](Operation &inner) {
             auto once = dyn_cast<hopper::OnceOp>(inner);
             auto barrier = dyn_cast<hopper::NamedBarrierOp>(inner);
             return isMemoryEffectFree(&inner) ||
                    isa<hopper::GridWaitOp, hopper::GridReleaseOp>(inner) ||
                    (once && once.isAwait()) || (barrier && barrier.isOfRole());
           });
  }

  Value column(Value run) {
    return b.add(tile.column(), b.mul(run, sharing.columns()));
  }

  /// Bytes of a run before those that the tensor's rows have, null if there
  /// are none, and up to their end.
  struct Bounds {
    Value skipped, end;
  };

  Bounds bounds(Value run) {
    const Value columns = b.i32(sharing.columns());
    auto bytesWithin = [&](Value elements) {
      Value atLeast = b.createOrFold<arith::MaxSIOp>(b.loc, elements, b.i32(0));
      return b.mul(b.createOrFold<arith::MinSIOp>(b.loc, atLeast, columns),
                   tile.elementBytes);
    };
    Value at = column(run);
    Bounds bounds{{}, bytesWithin(b.sub(tile.end(), at))};
    if (!tile.nonNegative)
      bounds.skipped = bytesWithin(b.sub(b.i32(0), at));
    return bounds;
  }

  /// One run of a row.
  struct Run {
    TileRow row;
    Value number;
    Value address; ///< of its first element, 64 bits
    Value low;     ///< the last 32 of an address that ends like this one
    Value exists;  ///< null: the tile has such a row
  };

  Run runOf(const TileRow &row, Value number) {
    Run run{row, number, {}, {}, {}};
    Value place = b.mul(number, sharing.columns());
    // What is the same for all tiles beside each other apart: it leaves a loop
    // over these.
    Value begin = edges.address(b.add(
        b.sub(run.row.element, b.extend(tile.column())), b.extend(place)));
    run.address =
        b.add(begin, b.mul(b.extend(tile.column()), tile.elementBytes));
    run.low = arith::TruncIOp::create(b, b.loc, b.getI32Type(), run.address);
    return run;
  }

  /// Of so many rows, from the first one on.
  SmallVector<Run> runsFrom(Value number, Value first, int64_t count) {
    const int64_t slots = sharing.slots();
    SmallVector<Run> runs;
    for (auto [i, row] : llvm::enumerate(tile.rows(b, first, slots, count))) {
      runs.push_back(runOf(row, number));
      if (tile.areAlike(slots))
        runs.back().low = runs.front().low;
      if (sharing.rows % (count * slots) != 0)
        runs.back().exists =
            b.lessThan(b.add(first, int64_t(i) * slots), b.i32(sharing.rows));
    }
    return runs;
  }

  /// What the tensor has of a run.
  struct Part {
    Value isAny;
    /// Bytes from the first word on to where it begins and ends.
    Value first, stop;
  };

  Part partOf(const Run &run, const Bounds &bounds) {
    Part part;
    part.isAny = b.both(
        run.row.inside,
        b.lessThan(bounds.skipped ? bounds.skipped : b.i32(0), bounds.end));
    part.first = b.bitAnd(run.low, b.i32(wordBytes - 1));
    part.stop = b.add(part.first, bounds.end);
    if (bounds.skipped)
      part.first = b.add(part.first, bounds.skipped);
    return part;
  }

  /// Whether a word around it has bytes that are not to be read; then elements
  /// are read.
  Value isTorn(const Run &run, const Part &part) {
    Value first = firstWord(run, part), end = wordsEnd(run, part);
    return b.both(part.isAny, isWritten ? hasOthers(part, run.number)
                                        : edges.areBeyond(first, end));
  }

  /// The addresses of the first word that is read, and behind the last one.
  Value firstWord(const Run &run, const Part &part) {
    Value word = edges.wordOf(run.address);
    return tile.nonNegative
               ? word
               : b.add(word, b.extend(b.bitAnd(part.first, b.i32(-wordBytes))));
  }
  Value wordsEnd(const Run &run, const Part &part) {
    Value bytes = b.bitAnd(b.add(part.stop, wordBytes - 1), b.i32(-wordBytes));
    return b.add(edges.wordOf(run.address), b.extend(bytes));
  }

  /// Whether words have elements that are not the tile's.
  Value hasOthers(const Part &part, Value run) {
    auto isNone = [&](Value bytes) {
      return b.equal(b.bitAnd(bytes, b.i32(wordBytes - 1)), b.i32(0));
    };
    Value at = column(run);
    Value isInner = b.both(b.lessThan(b.i32(0), run),
                           b.lessThan(b.i32(sharing.elements - 1), at));
    Value isFollowed =
        b.both(b.lessThan(run, b.i32(sharing.runs - 1)),
               b.lessThan(b.add(at, sharing.columns() + sharing.elements - 1),
                          tile.end()));
    return isNot(b.both(b.bitOr(isInner, isNone(part.first)),
                        b.bitOr(isFollowed, isNone(part.stop))));
  }

  Value isNot(Value condition) { return b.equal(b.flag(condition), b.i32(0)); }

  /// Which runs are loaded by words, and those that are torn, a bit each.
  SmallVector<Value> readable(ArrayRef<Run> runs, ArrayRef<Part> parts) {
    SmallVector<Value> inside;
    for (auto [run, part] : llvm::zip(runs, parts))
      inside.push_back(b.both(part.isAny, run.exists));
    SmallVector<Value> whole = inside;
    whole.push_back(b.i32(0));
    auto untorn = [&] {
      Value torn = b.i32(0);
      SmallVector<Value> read;
      for (size_t n = 0; n < runs.size(); ++n) {
        Value isTorn = b.both(this->isTorn(runs[n], parts[n]), runs[n].exists);
        read.push_back(b.both(inside[n], isNot(isTorn)));
        torn = b.bitOr(torn, b.mul(b.flag(isTorn), int64_t(1) << n));
      }
      read.push_back(torn);
      return read;
    };
    if (isWritten)
      return untorn();
    auto branch = scf::IfOp::create(b, b.loc, ValueRange(whole).getTypes(),
                                    edges.mayBeTorn(),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, b.loc, whole);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, b.loc, untorn());
    return branch.getResults();
  }

  /// The words around each run, and which of these are torn, a bit each.
  SmallVector<Value> load(ArrayRef<Run> runs) {
    if (isWritten || tile.chosen)
      return loadParts(runs);
    const SmallVector<Type> types(4 * (sharing.words + 1) * runs.size() + 1,
                                  b.getI32Type());
    auto branch = scf::IfOp::create(b, b.loc, types, edges.isWhole(),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> loaded;
    for (const Run &run : runs)
      for (int64_t i = 0; i <= sharing.words; ++i)
        appendWord(run, i, run.exists, loaded);
    loaded.push_back(b.i32(0));
    scf::YieldOp::create(b, b.loc, loaded);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, b.loc, loadParts(runs));
    return branch.getResults();
  }

  SmallVector<Value> loadParts(ArrayRef<Run> runs) {
    const Bounds within = bounds(runs.front().number);
    const SmallVector<Part> parts = llvm::map_to_vector(
        runs, [&](const Run &run) { return partOf(run, within); });
    SmallVector<Value> read = readable(runs, parts), loaded;
    for (auto [run, part, isRead] : llvm::zip(runs, parts, read))
      for (int64_t i = 0; i <= sharing.words; ++i) {
        Value isNeeded = isRead;
        if (i > 0)
          isNeeded =
              b.both(isNeeded, b.lessThan(b.i32(wordBytes * i), part.stop));
        if (!tile.nonNegative)
          isNeeded = b.both(isNeeded,
                            b.lessThan(part.first, b.i32(wordBytes * (i + 1))));
        appendWord(run, i, isNeeded, loaded);
      }
    loaded.push_back(read.back());
    return loaded;
  }

  /// A run of each of so many rows from one on: all words before the first use.
  void copyRuns(Value number, Value first, int64_t count) {
    const SmallVector<Run> runs = runsFrom(number, first, count);
    SmallVector<Value> loaded = load(runs);
    hopper::CopyTileOp next = isLoadedWith();
    if (next)
      b.setInsertionPointAfter(next);
    else if (sharing.isOneBatch())
      b.setInsertionPointAfter(lastBeforeUse());
    Value torn = loaded.pop_back_val();
    // Whether there are registers for what can be done while the words are on
    // their way.
    const bool isMeanwhile =
        sharing.hasRoomBeside(count + (next ? sharingOf(b, next).rounds() : 0));
    SmallVector<Value> masks;
    if (isMeanwhile) {
      masks = masksOf(number);
      copyTorn(torn, number, first, count, /*isRunAtOnce=*/true);
    }
    SmallVector<SmallVector<Value>> content;
    for (auto [i, run] : llvm::enumerate(runs)) {
      const size_t count = 4 * (sharing.words + 1);
      auto words = ArrayRef(loaded).slice(i * count, count);
      content.push_back(shifted(b, llvm::to_vector(words), run.low, alignment));
    }
    if (!isMeanwhile)
      masks = masksOf(number);
    withoutOthers(content, masks);
    Value place = b.mul(number, sharing.columns());
    for (auto [i, run] : llvm::enumerate(runs)) {
      Value isLoaded =
          b.equal(b.bitAnd(torn, b.i32(int64_t(1) << i)), b.i32(0));
      store(run.row, place, content[i], b.both(isLoaded, run.exists));
    }
    if (!isMeanwhile)
      copyTorn(torn, number, first, count, /*isRunAtOnce=*/false);
  }

  SmallVector<Value> masksOf(Value run) {
    return edges.masks(4 * sharing.words, [&] {
      const Bounds within = bounds(run);
      return bitsBetween(b, within.skipped, within.end, 4 * sharing.words);
    });
  }

  /// A word around a run, on a condition. Where it may have what lies between
  /// rows the simulator is told. Rows begin anywhere in a cache line: L2
  /// fetches with the last one what the next tile along them wants of it.
  void appendWord(const Run &run, int64_t number, Value condition,
                  SmallVector<Value> &loaded) {
    llvm::append_range(loaded,
                       loadWord(b, edges.wordOf(run.address), number, condition,
                                "global.L2::256B", !isWritten));
  }

  /// Zeros in place of what is not the tensor's, where the tile has any.
  void withoutOthers(MutableArrayRef<SmallVector<Value>> content,
                     ArrayRef<Value> masks) {
    SmallVector<Value> all;
    for (ArrayRef<Value> words : content)
      llvm::append_range(all, words);
    const SmallVector<Value> masked = edges.withoutOthers(all, masks);
    size_t next = 0;
    for (SmallVector<Value> &words : content)
      for (Value &word : words)
        word = masked[next++];
  }

  /// Runs whose words have bytes that are not to be read, a bit each, by
  /// elements. Where nobody writes the tensor these are where its memory begins
  /// and ends.
  void copyTorn(Value torn, Value number, Value first, int64_t count,
                bool isRunAtOnce) {
    OpBuilder::InsertionGuard guard(b);
    auto where = [&](Value condition) {
      auto branch = scf::IfOp::create(b, b.loc, condition);
      b.setInsertionPointToStart(branch.thenBlock());
    };
    where(isNot(b.equal(torn, b.i32(0))));
    forEach(b, b.i32(0), count, 1, count == 1, [&](Value i) {
      Value bit = arith::ShRUIOp::create(b, b.loc, torn, i);
      where(b.equal(b.bitAnd(bit, b.i32(1)), b.i32(1)));
      const TileRow row = tile.row(b, b.add(first, b.mul(i, sharing.slots())));
      const int64_t words = isRunAtOnce ? sharing.words : 1;
      forEach(b, b.i32(0), sharing.words, words, words == sharing.words,
              [&](Value word) {
                copyElements(row,
                             b.add(b.mul(number, sharing.columns()),
                                   b.mul(word, sharing.elements)),
                             words);
              });
    });
  }

  /// The elements of so many words, those outside of the tensor as zeros.
  void copyElements(const TileRow &row, Value place, int64_t count) {
    SmallVector<Value> words;
    for (int64_t i = 0; i < count; ++i) {
      Value at = b.add(place, i * sharing.elements);
      llvm::append_range(
          words,
          edges.elementsAt(edges.address(b.add(row.element, b.extend(at))),
                           b.add(tile.column(), at), row.inside));
    }
    store(row, place, words, {});
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
  const TileEdges edges;
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
