// Fragments to and from global memory, by ordinary loads and stores.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/hopper_to_thread/GlobalAccess.h"
#include "passes/hopper_to_thread/ShiftedLoads.h"
#include "passes/hopper_to_thread/ShiftedWords.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Whether it is known that a fragment lies inside of a tensor in one of its
/// own dimensions.
template <typename Op>
bool liesInside(Op op, ArrayRef<int64_t> shape, size_t dimension) {
  size_t i = op.getCoordinates().size() - shape.size() + dimension;
  auto at = getConstantIntValue(op.getCoordinates()[i]);
  auto extent = getConstantIntValue(op.getExtents()[i]);
  return at && extent && *at >= 0 && *at + shape[dimension] <= *extent;
}

/// The same in all of them.
template <typename Op> bool liesInside(Op op, ArrayRef<int64_t> shape) {
  return !op.getRows() && llvm::all_of(llvm::seq(shape.size()), [&](size_t i) {
    return liesInside(op, shape, i);
  });
}

} // namespace

template <typename Op>
static GlobalAccess globalAccess(PtxBuilder &b, Op op, const FragmentType &type,
                                 SmallVector<Value> coordinates,
                                 SmallVector<Value> extents,
                                 SmallVector<Value> strides, Value pointer,
                                 std::optional<ChosenRows> chosen) {
  int64_t bytes = tile::elementBytes(type.element);
  SmallVector<int64_t> shape(ArrayRef<int64_t>(type.layout.shape));
  if (op.getTransposed())
    std::swap(shape[0], shape[1]);
  return {b,
          coordinates,
          extents,
          strides,
          pointer,
          b.getIntegerType(8 * bytes),
          shape,
          coordinates.size() - type.layout.shape.size(),
          op.getNonnegative(),
          std::move(chosen),
          {}};
}

/// Values of a thread that are next to each other in memory.
template <typename Op>
static int64_t lengthInMemory(Op op, const FragmentType &type) {
  return op.getTransposed() ? 1 : vectorLength(type, op.getAlignment());
}

/// At the edge of a tensor a vector that lies inside is accessed whole, and of
/// others the elements that do.
static scf::IfOp insideOrNot(PtxBuilder &b, Value rowInside,
                             function_ref<Value(int64_t)> isColumn,
                             int64_t column, int64_t length,
                             ArrayRef<Type> results) {
  Value whole = b.both(rowInside,
                       b.both(isColumn(column), isColumn(column + length - 1)));
  return scf::IfOp::create(b, b.loc, results, whole, true, true);
}

/// How others see an access that they may make as well meanwhile.
constexpr StringRef relaxed = "relaxed.gpu.";

static void storeWords(PtxBuilder &b, const FragmentType &type, Value address,
                       ArrayRef<Value> scalars, Value condition,
                       StringRef order = "") {
  Words words(int64_t(scalars.size()) * tile::elementBytes(type.element));
  SmallVector<Value> operands{address};
  for (Value word : toWords(b, words, scalars))
    operands.push_back(widen(b, word));
  std::string store = "st." + order.str() + "global" + words.suffix() +
                      " [$0], " + words.list(1) + ";";
  if (!condition)
    return (void)b.ptx(store, operands);
  operands.push_back(b.flag(condition));
  b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $" +
            std::to_string(operands.size() - 1) + ", 0;\n\t@p " + store +
            "\n\t}",
        operands);
}

/// Words; zeros where the condition, if there is one, does not hold.
static SmallVector<Value> loadWords(PtxBuilder &b, const Words &words,
                                    Value address, Value condition) {
  SmallVector<Value> operands{address};
  SmallVector<Type> types(words.count, wordRegister(b, words));
  std::string load = "ld.global" + words.suffix() + " " + words.list(0) +
                     ", [$" + std::to_string(words.count) + "];";
  if (condition) {
    load = loadOrZeros(words, "global");
    operands.push_back(b.flag(condition));
  }
  SmallVector<Value> loaded = b.ptx(load, types, operands);
  for (Value &word : loaded)
    word = narrow(b, words, word);
  return loaded;
}

/// Whether each vector is moved under a test of its own, wherever a fragment
/// lies: where the tensor cuts rows off but no vector, or what is moved is
/// little. Twice as much code would be in the way of everything else.
static bool testsVectors(const FragmentType &type, int64_t length, bool hasEdge,
                         bool cutsVectors) {
  constexpr int64_t few = 2;
  return (hasEdge && !cutsVectors) || (length == 1 && type.values <= few);
}

/// Goes through such vectors: the number of the first value of each, where it
/// lies, and whether that is inside.
static void forEachVector(
    GlobalAccess &access, const Place &place, const FragmentType &type,
    int64_t length, bool cutsVectors,
    llvm::function_ref<void(int64_t v, Value address, Value inside)> body) {
  std::function<Value(int64_t)> isColumn;
  if (cutsVectors)
    isColumn = access.columnTest(place.thread.back());
  for (int64_t v = 0; v < type.values; v += length) {
    auto &row = access.row(place.thread, rowOf(place.value, v));
    const int64_t column = place.value.back()[v];
    body(v, access.address(row, column),
         cutsVectors ? access.b.both(row.inside, isColumn(column))
                     : row.inside);
  }
}

static FailureOr<Registers>
lower(hopper::StoreOp op, Operands<hopper::StoreOp> in, ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  GlobalAccess access = globalAccess(
      b, op, type, ones(in.getCoordinates()), ones(in.getExtents()),
      ones(in.getStrides()), one(in.getPointer()), chosenRows(in));
  Place place = placeInMemory(b, type, op.getTransposed());
  Registers scalars = unpack(b, type, in.getValue());
  int64_t length = lengthInMemory(op, type);

  bool hasEdge = !liesInside(op, access.shape);
  bool cutsVectors = !liesInside(op, access.shape, access.shape.size() - 1);
  if (op.getRelaxed()) {
    const Value isFirst = isFirstCopy(b, type);
    forEachVector(access, place, type, cutsVectors ? 1 : length, cutsVectors,
                  [&](int64_t v, Value address, Value inside) {
                    storeWords(
                        b, type, address,
                        ArrayRef(scalars).slice(v, cutsVectors ? 1 : length),
                        b.both(inside, isFirst), relaxed);
                  });
    return Registers();
  }
  if (testsVectors(type, length, hasEdge, cutsVectors)) {
    forEachVector(access, place, type, length, cutsVectors,
                  [&](int64_t v, Value address, Value inside) {
                    storeWords(b, type, address,
                               ArrayRef(scalars).slice(v, length), inside);
                  });
    return Registers();
  }
  // Inside the tensor, whole vectors without a test; at its edge, a test for
  // each vector and elements of those that it cuts; nothing outside of it.
  Value interior = access.interior();
  auto branch =
      scf::IfOp::create(b, b.loc, interior, /*withElseRegion=*/hasEdge);
  OpBuilder::InsertionGuard guard(b);
  for (bool whole : {true, false}) {
    if (!whole && !hasEdge)
      continue;
    b.setInsertionPointToStart(whole ? branch.thenBlock() : branch.elseBlock());
    access.rows.clear();
    std::function<Value(int64_t)> isColumn;
    if (!whole)
      isColumn = access.columnTest(place.thread.back());
    for (int64_t v = 0; v < type.values; v += length) {
      auto &row = access.row(place.thread, rowOf(place.value, v));
      int64_t column = place.value.back()[v];
      Value address = access.address(row, column);
      auto vector = ArrayRef(scalars).slice(v, length);
      if (whole) {
        storeWords(b, type, address, vector,
                   access.chosen ? row.inside : Value());
        continue;
      }
      OpBuilder::InsertionGuard guard(b);
      if (length > 1) {
        auto parts = insideOrNot(b, row.inside, isColumn, column, length, {});
        b.setInsertionPointToStart(parts.elseBlock());
        scf::YieldOp::create(b, b.loc);
        b.setInsertionPointToStart(parts.thenBlock());
        storeWords(b, type, address, vector, Value());
        scf::YieldOp::create(b, b.loc);
        b.setInsertionPointToStart(parts.elseBlock());
      }
      for (auto [i, element] : llvm::enumerate(vector))
        storeWords(b, type, access.address(row, column + i), element,
                   b.both(row.inside, isColumn(column + i)));
    }
  }
  return Registers();
}

static FailureOr<Registers>
lower(hopper::LoadOp op, Operands<hopper::LoadOp> in, ThreadBuilder &b) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  GlobalAccess access = globalAccess(
      b, op, type, ones(in.getCoordinates()), ones(in.getExtents()),
      ones(in.getStrides()), one(in.getPointer()), chosenRows(in));
  Place place = placeInMemory(b, type, op.getTransposed());
  int64_t bytes = tile::elementBytes(type.element);
  Type scalar = bytes == 1 ? b.getIntegerType(8) : type.element;
  const bool isShifted = isByShifting(op, type);
  int64_t length = isShifted ? wordBytes / bytes : lengthInMemory(op, type);
  bool hasEdge = !liesInside(op, access.shape);
  bool cutsVectors = !liesInside(op, access.shape, access.shape.size() - 1);
  // Where arms meet a byte takes a register, if it is not one of a word.
  const Words words(length * bytes);
  constexpr int64_t inWord = 4;
  const bool joins =
      bytes == 1 && type.packed == 1 && type.values % inWord == 0;
  /// So many values of so many words at a time.
  auto takenFrom = [&](ArrayRef<Value> words, int64_t count, int64_t values) {
    Registers scalars;
    for (; !words.empty(); words = words.drop_front(count))
      llvm::append_range(scalars,
                         fromWords(b, words.take_front(count), scalar, values));
    return scalars;
  };
  auto toResults = [&](ArrayRef<Value> loaded) {
    if (joins && words.bits == 8 * inWord)
      return Registers(loaded);
    const Registers scalars = takenFrom(loaded, words.count, length);
    if (!joins)
      return pack(b, type, scalars);
    Registers joined;
    for (int64_t v = 0; v < type.values; v += inWord)
      llvm::append_range(joined, toWords(b, Words(inWord),
                                         ArrayRef(scalars).slice(v, inWord)));
    return joined;
  };
  auto fromResults = [&](Registers results) {
    return joins ? takenFrom(results, 1, inWord) : results;
  };
  if (isShifted) {
    SmallVector<WordOfRow> around;
    for (int64_t v = 0; v < type.values; v += length) {
      auto &row = access.row(place.thread, rowOf(place.value, v));
      const int64_t column = place.value.back()[v];
      around.push_back({access.address(row, column), row.inside, column});
    }
    return fromResults(toResults(loadShifted(
        b, op, in, access.shape,
        b.add(access.coordinates.back(), place.thread.back()), around)));
  }
  // Where arms of a branch meet, ptxas waits for what all threads load alike.
  if (testsVectors(type, length, hasEdge, cutsVectors)) {
    SmallVector<Value> loaded;
    forEachVector(access, place, type, length, cutsVectors,
                  [&](int64_t, Value address, Value inside) {
                    llvm::append_range(loaded,
                                       loadWords(b, words, address, inside));
                  });
    return fromResults(toResults(loaded));
  }
  Value interior = access.interior();
  SmallVector<Type> results(type.registers(), type.registerType);
  if (joins)
    results.assign(type.values / inWord, b.getI32Type());
  auto branch = scf::IfOp::create(b, b.loc, results, interior, true, true);
  {
    OpBuilder::InsertionGuard guard(b);
    for (bool whole : {true, false}) {
      b.setInsertionPointToStart(whole ? branch.thenBlock()
                                       : branch.elseBlock());
      access.rows.clear();
      if (!whole && !hasEdge) {
        Value zero =
            arith::ConstantOp::create(b, b.loc, b.getZeroAttr(results.front()));
        scf::YieldOp::create(b, b.loc, Registers(results.size(), zero));
        continue;
      }
      SmallVector<Value> loaded;
      std::function<Value(int64_t)> isColumn;
      if (!whole)
        isColumn = access.columnTest(place.thread.back());
      for (int64_t v = 0; v < type.values; v += length) {
        auto &row = access.row(place.thread, rowOf(place.value, v));
        int64_t column = place.value.back()[v];
        auto loadVector = [&](Value condition) {
          return loadWords(b, words, access.address(row, column), condition);
        };
        if (whole) {
          llvm::append_range(loaded,
                             loadVector(access.chosen ? row.inside : Value()));
          continue;
        }
        auto loadElements = [&] {
          Registers elements;
          for (int64_t i = 0; i < length; ++i)
            llvm::append_range(
                elements,
                fromWords(b,
                          loadWords(b, Words(bytes),
                                    access.address(row, column + i),
                                    b.both(row.inside, isColumn(column + i))),
                          scalar, 1));
          return toWords(b, words, elements);
        };
        if (length == 1) {
          llvm::append_range(loaded, loadElements());
          continue;
        }
        SmallVector<Type> types(words.count, b.getIntegerType(words.bits));
        auto parts =
            insideOrNot(b, row.inside, isColumn, column, length, types);
        OpBuilder::InsertionGuard guard(b);
        for (bool all : {true, false}) {
          b.setInsertionPointToStart(all ? parts.thenBlock()
                                         : parts.elseBlock());
          scf::YieldOp::create(b, b.loc,
                               all ? loadVector(Value()) : loadElements());
        }
        b.setInsertionPointAfter(parts);
        llvm::append_range(loaded, parts.getResults());
      }
      scf::YieldOp::create(b, b.loc, toResults(loaded));
    }
  }
  return fromResults(branch.getResults());
}

void addGlobalMemory(ThreadPatterns &patterns) {
  patterns.add<hopper::LoadOp, hopper::StoreOp>();
}

} // namespace ashlar
