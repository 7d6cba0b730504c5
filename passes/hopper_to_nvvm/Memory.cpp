// Fragments to and from memory.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_nvvm/ThreadLowering.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace ashlar {

using namespace mlir;

namespace {

/// The largest known divisor of an index value, from how it is computed.
int64_t divisor(Value value) {
  constexpr int64_t any = int64_t(1) << 30;
  Operation *op = value.getDefiningOp();
  if (!op)
    return 1;
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
    return constant.value() ? std::abs(constant.value()) : any;
  if (isa<arith::MulIOp>(op))
    return std::min(any,
                    divisor(op->getOperand(0)) * divisor(op->getOperand(1)));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(divisor(op->getOperand(0)), divisor(op->getOperand(1)));
  return 1;
}

/// Values that one access moves: consecutive in registers and in memory.
int64_t vectorLength(const FragmentType &type, int64_t alignmentBytes,
                     int64_t coordinateDivisor) {
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = std::min(layout::contiguousValues(type.layout),
                            std::max<int64_t>(alignmentBytes / bytes, 1));
  length = std::min<int64_t>(length, 16 / bytes);
  // A vector starts at a multiple of its length along the last dimension.
  auto aligned = [&](const layout::Layout &layout) {
    auto strides = layout.stride().flatten(), shape = layout.shape().flatten();
    for (size_t i = 0; i < strides.size(); ++i)
      if (shape[i] > 1 && strides[i] >= length && strides[i] % length)
        return false;
    return true;
  };
  auto thread = layout::perDimension(type.layout.thread, type.layout.shape);
  auto value = layout::perDimension(type.layout.value, type.layout.shape);
  while (length > 1 && (coordinateDivisor % length || type.values % length ||
                        !aligned(thread.back()) || !aligned(value.back())))
    length /= 2;
  return length;
}

} // namespace

LogicalResult ThreadLowering::lowerMemory(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<hopper::SharedLoadOp, hopper::SharedStoreOp>(
          [&](auto access) { return lower(access); })
      .Case<hopper::LoadOp, hopper::StoreOp>([&](auto access) {
        lower(access);
        return success();
      })
      .Default([](Operation *) { return failure(); });
}

namespace {

/// Vectors of a fragment as one memory access sees them: as integers of at most
/// 32 bits.
struct Words {
  int64_t bits;  ///< of one word
  int64_t count; ///< to an access

  Words(int64_t bytes)
      : bits(std::min<int64_t>(8 * bytes, 32)), count(8 * bytes / bits) {}
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" +
           std::to_string(bits);
  }
  /// "{$1, $2}" or "$1"
  std::string list(unsigned first) const {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return count > 1 ? "{" + text + "}" : text;
  }
};

} // namespace

/// `count` scalars of the fragment's element as words.
static SmallVector<Value> toWords(PtxBuilder &b, const Words &words,
                                  ArrayRef<Value> scalars) {
  Type scalar = scalars.front().getType();
  auto vector = VectorType::get({int64_t(scalars.size())}, scalar);
  Value packed = LLVM::PoisonOp::create(b, b.loc, vector);
  for (auto [i, value] : llvm::enumerate(scalars))
    packed = LLVM::InsertElementOp::create(b, b.loc, packed, value, b.i32(i));
  Type word = b.getIntegerType(words.bits);
  if (words.count == 1)
    return {LLVM::BitcastOp::create(b, b.loc, word, packed)};
  Value cast = LLVM::BitcastOp::create(
      b, b.loc, VectorType::get({words.count}, word), packed);
  SmallVector<Value> result;
  for (int64_t i = 0; i < words.count; ++i)
    result.push_back(LLVM::ExtractElementOp::create(b, b.loc, cast, b.i32(i)));
  return result;
}

static SmallVector<Value> fromWords(PtxBuilder &b, ArrayRef<Value> words,
                                    Type scalar, int64_t count) {
  Value packed = words.front();
  if (words.size() > 1) {
    packed = LLVM::PoisonOp::create(
        b, b.loc,
        VectorType::get({int64_t(words.size())}, words.front().getType()));
    for (auto [i, word] : llvm::enumerate(words))
      packed = LLVM::InsertElementOp::create(b, b.loc, packed, word, b.i32(i));
  }
  Value cast = LLVM::BitcastOp::create(
      b, b.loc, VectorType::get({count}, scalar), packed);
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(LLVM::ExtractElementOp::create(b, b.loc, cast, b.i32(i)));
  return result;
}

/// PTX moves 8 bits through a 16-bit register.
static Type wordRegister(PtxBuilder &b, const Words &words) {
  return b.getIntegerType(std::max<int64_t>(words.bits, 16));
}
static Value widen(PtxBuilder &b, Value word) {
  return word.getType().isInteger(8)
             ? Value(arith::ExtUIOp::create(b, b.loc, b.getI16Type(), word))
             : word;
}
static Value narrow(PtxBuilder &b, const Words &words, Value word) {
  return words.bits == 8 ? Value(arith::TruncIOp::create(
                               b, b.loc, b.getIntegerType(8), word))
                         : word;
}

/// Byte offsets of a fragment's vectors in a shared tile, each the sum of a
/// thread's part and a constant, then swizzled.
static LogicalResult checkAdditive(Operation *op, const FragmentType &type,
                                   const layout::Layout &tile,
                                   bool transposed = false) {
  auto coordinate = [&](int64_t thread, int64_t value) {
    auto at = layout::coordinate(type.layout, thread, value);
    if (transposed)
      std::swap(at[0], at[1]);
    return at;
  };
  int64_t threads = type.layout.thread.size();
  for (int64_t bit = 1; bit < threads; bit *= 2)
    for (int64_t value = 0; value < type.values; ++value) {
      auto whole = coordinate(threads - bit, value);
      auto ofThread = coordinate(threads - bit, 0);
      auto ofValue = coordinate(0, value);
      if (tile.at(whole) != tile.at(ofThread) + tile.at(ofValue))
        return op->emitError("the layout of this fragment, ")
               << type.layout.str() << ", crosses that of the shared tile, "
               << tile.str();
    }
  return success();
}

LogicalResult ThreadLowering::lower(hopper::SharedStoreOp op) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  auto tile = layout::SwizzledLayout::parse(
      op.getTarget().getType().getLayout().getValue().str());
  bool transposed = op.getTransposed();
  if (failed(checkAdditive(op, type, tile.layout, transposed)))
    return failure();
  if (storeMatrices(op, type, tile))
    return success();
  auto mode = [&](size_t i) {
    return tile.layout.mode(transposed ? 1 - i : i);
  };
  Place place = placeOf(type);
  Value base = b.i32(0);
  for (auto [i, coordinate] : llvm::enumerate(place.thread))
    base = b.add(base, image(mode(i), coordinate));
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = transposed ? 1 : vectorLength(type, 16, 16 / bytes);
  Words words(length * bytes);
  Registers scalars = unpack(type, registersOf(op.getValue()));
  for (int64_t v = 0; v < type.values; v += length) {
    int64_t offset = 0;
    for (size_t d = 0; d < place.value.size(); ++d)
      offset += mode(d)(place.value[d][v]);
    Value address = b.add(lookup(op.getTarget()),
                          swizzled(tile.swizzle, b.add(base, offset)));
    SmallVector<Value> operands{address};
    for (Value word : toWords(b, words, ArrayRef(scalars).slice(v, length)))
      operands.push_back(widen(b, word));
    b.ptx("st.shared::cta" + words.suffix() + " [$0], " + words.list(1) + ";",
          operands);
  }
  return success();
}

LogicalResult ThreadLowering::lower(hopper::SharedLoadOp op) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  auto tile = layout::SwizzledLayout::parse(
      op.getSource().getType().getLayout().getValue().str());
  if (failed(checkAdditive(op, type, tile.layout)))
    return failure();
  Place place = placeOf(type);
  Value base = b.i32(0);
  for (auto [i, coordinate] : llvm::enumerate(place.thread))
    base = b.add(base, image(tile.layout.mode(i), coordinate));
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = vectorLength(type, 16, 16 / bytes);
  Words words(length * bytes);
  Type scalar = bytes == 1 ? b.getIntegerType(8) : type.element;
  Registers scalars;
  for (int64_t v = 0; v < type.values; v += length) {
    int64_t offset = 0;
    for (size_t d = 0; d < place.value.size(); ++d)
      offset += tile.layout.mode(d)(place.value[d][v]);
    Value address = b.add(lookup(op.getSource()),
                          swizzled(tile.swizzle, b.add(base, offset)));
    SmallVector<Type> results(words.count, wordRegister(b, words));
    SmallVector<Value> loaded =
        b.ptx("ld.shared::cta" + words.suffix() + " " + words.list(0) + ", [$" +
                  std::to_string(words.count) + "];",
              results, address);
    for (Value &word : loaded)
      word = narrow(b, words, word);
    llvm::append_range(scalars, fromWords(b, loaded, scalar, length));
  }
  values.set(op.getResult(), pack(type, scalars));
  return success();
}

namespace {

/// The accesses of a fragment to a tensor in global memory.
struct GlobalAccess {
  PtxBuilder &b;
  SmallVector<Value> coordinates, extents, strides;
  Value pointer;
  Type scalar;
  size_t leading; ///< tensor dimensions before those of the fragment

  /// The element coordinates of value v, and whether it lies inside in every
  /// dimension but the last.
  struct Row {
    Value address, inside;
  };
  std::map<std::vector<int64_t>, Row> rows;

  Row &row(ArrayRef<Value> thread, const std::vector<int64_t> &offset) {
    auto [it, isNew] = rows.try_emplace(offset);
    if (!isNew)
      return it->second;
    Value address = b.i64(0), inside;
    for (size_t i = 0; i < coordinates.size(); ++i) {
      Value at = coordinates[i];
      bool last = i + 1 == coordinates.size();
      if (i >= leading)
        at = b.add(at, last ? thread[i - leading]
                            : b.add(thread[i - leading], offset[i - leading]));
      address =
          b.add(address, last ? b.extend(at) : b.mul(b.extend(at), strides[i]));
      if (!last)
        inside = b.both(inside, b.lessThan(at, extents[i]));
    }
    it->second = {b.elementAddress(pointer, scalar, address), inside};
    return it->second;
  }

  Value address(Row &row, int64_t column) {
    return column ? b.elementAddress(row.address, scalar, b.i64(column))
                  : row.address;
  }
};

} // namespace

template <typename Op>
static GlobalAccess globalAccess(PtxBuilder &b, Op op, const FragmentType &type,
                                 SmallVector<Value> coordinates,
                                 SmallVector<Value> extents,
                                 SmallVector<Value> strides, Value pointer) {
  int64_t bytes = tile::elementBytes(type.element);
  return {b,
          coordinates,
          extents,
          strides,
          pointer,
          b.getIntegerType(8 * bytes),
          coordinates.size() - type.layout.shape.size(),
          {}};
}

/// Offsets of value v in every dimension but the last.
static std::vector<int64_t>
rowOf(const std::vector<std::vector<int64_t>> &value, int64_t v) {
  std::vector<int64_t> offset;
  for (size_t d = 0; d + 1 < value.size(); ++d)
    offset.push_back(value[d][v]);
  return offset;
}

void ThreadLowering::lower(hopper::StoreOp op) {
  FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  GlobalAccess access = globalAccess(
      b, op, type, lookup(op.getCoordinates()), lookup(op.getExtents()),
      lookup(op.getStrides()), lookup(op.getPointer()));
  Place place = placeOf(type);
  Registers scalars = unpack(type, registersOf(op.getValue()));
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = vectorLength(type, op.getAlignment(),
                                divisor(op.getCoordinates().back()));

  // Inside the tensor, whole vectors without a test; at its edge, element by
  // element.
  Value interior;
  for (size_t i = 0; i < access.coordinates.size(); ++i) {
    int64_t extent =
        i < access.leading ? 1 : type.layout.shape[i - access.leading];
    interior =
        b.both(interior, b.lessThan(b.add(access.coordinates[i], extent - 1),
                                    access.extents[i]));
  }
  auto branch = scf::IfOp::create(b, b.loc, interior, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool whole : {true, false}) {
    b.setInsertionPointToStart(whole ? branch.thenBlock() : branch.elseBlock());
    access.rows.clear();
    int64_t step = whole ? length : 1;
    Words words(step * bytes);
    Value lastColumn;
    if (!whole)
      lastColumn = b.sub(access.extents.back(),
                         b.add(access.coordinates.back(), place.thread.back()));
    for (int64_t v = 0; v < type.values; v += step) {
      auto &row = access.row(place.thread, rowOf(place.value, v));
      int64_t column = place.value.back()[v];
      SmallVector<Value> operands{access.address(row, column)};
      for (Value word : toWords(b, words, ArrayRef(scalars).slice(v, step)))
        operands.push_back(widen(b, word));
      std::string store =
          "st.global" + words.suffix() + " [$0], " + words.list(1) + ";";
      if (whole) {
        b.ptx(store, operands);
        continue;
      }
      Value inside = b.both(row.inside, b.lessThan(b.i32(column), lastColumn));
      operands.push_back(b.flag(inside));
      b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $" +
                std::to_string(operands.size() - 1) + ", 0;\n\t@p " + store +
                "\n\t}",
            operands);
    }
  }
}

void ThreadLowering::lower(hopper::LoadOp op) {
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  GlobalAccess access = globalAccess(
      b, op, type, lookup(op.getCoordinates()), lookup(op.getExtents()),
      lookup(op.getStrides()), lookup(op.getPointer()));
  Place place = placeOf(type);
  int64_t bytes = tile::elementBytes(type.element);
  Type scalar = bytes == 1 ? b.getIntegerType(8) : type.element;
  int64_t length = vectorLength(type, op.getAlignment(),
                                divisor(op.getCoordinates().back()));
  Value interior;
  for (size_t i = 0; i < access.coordinates.size(); ++i) {
    int64_t extent =
        i < access.leading ? 1 : type.layout.shape[i - access.leading];
    interior =
        b.both(interior, b.lessThan(b.add(access.coordinates[i], extent - 1),
                                    access.extents[i]));
  }
  SmallVector<Type> results(type.registers(), type.registerType);
  auto branch = scf::IfOp::create(b, b.loc, results, interior, true, true);
  {
    OpBuilder::InsertionGuard guard(b);
    for (bool whole : {true, false}) {
      b.setInsertionPointToStart(whole ? branch.thenBlock()
                                       : branch.elseBlock());
      access.rows.clear();
      int64_t step = whole ? length : 1;
      Words words(step * bytes);
      Registers scalars;
      Value lastColumn;
      if (!whole)
        lastColumn =
            b.sub(access.extents.back(),
                  b.add(access.coordinates.back(), place.thread.back()));
      for (int64_t v = 0; v < type.values; v += step) {
        auto &row = access.row(place.thread, rowOf(place.value, v));
        int64_t column = place.value.back()[v];
        SmallVector<Value> operands{access.address(row, column)};
        SmallVector<Type> loadedTypes(words.count, wordRegister(b, words));
        std::string address = "[$" + std::to_string(words.count) + "]";
        std::string load =
            "ld.global" + words.suffix() + " " + words.list(0) + ", ";
        SmallVector<Value> loaded;
        if (whole) {
          loaded = b.ptx(load + address + ";", loadedTypes, operands);
        } else {
          Value inside =
              b.both(row.inside, b.lessThan(b.i32(column), lastColumn));
          operands.push_back(b.flag(inside));
          std::string zero =
              "mov.b" + std::to_string(std::max<int64_t>(words.bits, 16));
          loaded = b.ptx("{\n\t.reg .pred p;\n\t.reg .b" +
                             std::to_string(std::max<int64_t>(words.bits, 16)) +
                             " e;\n\tsetp.ne.b32 p, $2, 0;\n\t" + zero +
                             " e, 0;\n\t@p ld.global.b" +
                             std::to_string(words.bits) + " e, [$1];\n\t" +
                             zero + " $0, e;\n\t}",
                         loadedTypes, operands);
        }
        for (Value &word : loaded)
          word = narrow(b, words, word);
        llvm::append_range(scalars, fromWords(b, loaded, scalar, step));
      }
      scf::YieldOp::create(b, b.loc, pack(type, scalars));
    }
  }
  values.set(op.getResult(), Registers(branch.getResults()));
}

} // namespace ashlar
