// Fragments that others post in global memory, loaded until all of their
// elements are there.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/hopper_to_thread/GlobalAccess.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Tiles that are loaded until all of their elements are there. A vector that
/// lies outside has no address: a test of that costs no register in the loop.
/// It is -0, which is there.
class TakeLowering : public OpConversionPattern<hopper::TakeOp> {
public:
  TakeLowering(const TypeConverter &types, MLIRContext *mlir,
               const ThreadContext &context)
      : OpConversionPattern(types, mlir), context(context) {}

  LogicalResult
  matchAndRewrite(hopper::TakeOp op, OneToNOpAdaptor in,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder b(rewriter, op, context);
    SmallVector<Vector> vectors;
    size_t first = 0;
    for (size_t i = 0; i < op.getResults().size(); ++i) {
      addVectors(vectors, b, op, in, i, first);
      first += op.getRanks()[i];
    }
    const ValueRange words = await(b, vectors);
    // Threads that hold the same have all seen it behind that.
    if (op.getBarrier())
      b.namedBarrier("bar.sync", *op.getBarrier(),
                     target::warpThreads * b.role.getWarps(),
                     b.role.getInstances() > 1);
    for (const Vector &each : vectors) {
      SmallVector<Value> operands{each.row};
      operands.append(each.words.count, b.i32(0));
      b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b64 p, $0, 0;\n\t@p st.relaxed.gpu."
            "global" +
                each.words.suffix() + " " + each.at(0) + ", " +
                each.words.list(1) + ";\n\t}",
            operands);
    }
    ValueRange left = words;
    SmallVector<SmallVector<Value>> results;
    for (Value result : op.getResults()) {
      const FragmentType type(cast<RankedTensorType>(result.getType()));
      Registers scalars;
      for (Value word : left.take_front(type.values))
        scalars.push_back(
            arith::BitcastOp::create(b, b.loc, b.getF32Type(), word));
      left = left.drop_front(type.values);
      results.push_back(pack(b, type, scalars));
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  struct Vector {
    Words words;
    Value row; ///< address, null outside
    int64_t offset;

    std::string at(size_t operand) const {
      return "[$" + std::to_string(operand) + "+" + std::to_string(offset) +
             "]";
    }
  };

  /// Those of one tile, whose coordinates begin at `first`.
  static void addVectors(SmallVector<Vector> &vectors, ThreadBuilder &b,
                         hopper::TakeOp op, OneToNOpAdaptor in, size_t tile,
                         size_t first) {
    const size_t rank = op.getRanks()[tile];
    auto own = [&](auto all) { return all.slice(first, rank); };
    const FragmentType type(
        cast<RankedTensorType>(op.getResults()[tile].getType()));
    const SmallVector<int64_t> shape(ArrayRef<int64_t>(type.layout.shape));
    GlobalAccess access{b,
                        ones(own(in.getCoordinates())),
                        ones(own(in.getExtents())),
                        ones(own(in.getStrides())),
                        one(in.getPointers()[tile]),
                        b.getF32Type(),
                        shape,
                        rank - shape.size(),
                        op.getNonnegative(),
                        std::nullopt,
                        {}};
    const auto at = getConstantIntValue(own(op.getCoordinates()).back()),
               extent = getConstantIntValue(own(op.getExtents()).back());
    const bool cutsVectors =
        !(at && extent && *at >= 0 && *at + shape.back() <= *extent);
    const int64_t length =
        cutsVectors ? 1 : vectorLength(type, op.getAlignments()[tile]);
    const Value nowhere =
        LLVM::ZeroOp::create(b, b.loc, access.pointer.getType());
    const Place place = placeInMemory(b, type, /*transposed=*/false);
    std::function<Value(int64_t)> isColumn;
    if (cutsVectors)
      isColumn = access.columnTest(place.thread.back());
    auto where = [&](Value inside, Value address) -> Value {
      return inside
                 ? arith::SelectOp::create(b, b.loc, inside, address, nowhere)
                       .getResult()
                 : address;
    };
    for (int64_t v = 0; v < type.values; v += length) {
      GlobalAccess::Row &row = access.row(place.thread, rowOf(place.value, v));
      const int64_t column = place.value.back()[v];
      Value address;
      if (cutsVectors)
        address = where(b.both(row.inside, isColumn(column)), row.address);
      else
        row = {address = where(row.inside, row.address), Value()};
      vectors.push_back({Words(length * 4), address, column * 4});
    }
  }

  /// The words of all vectors, loaded by a warp until none is zero.
  static ValueRange await(ThreadBuilder &b, ArrayRef<Vector> vectors) {
    SmallVector<Type> types;
    for (const Vector &each : vectors)
      types.append(each.words.count, b.getI32Type());
    auto loop = scf::WhileOp::create(b, b.loc, types, ValueRange());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    SmallVector<Value> loaded;
    for (const Vector &each : vectors)
      llvm::append_range(
          loaded,
          b.ptx(loadOrElse(each),
                SmallVector<Type>(each.words.count, b.getI32Type()), each.row));
    Value least = loaded.front();
    for (Value word : ArrayRef(loaded).drop_front())
      least = arith::MinUIOp::create(b, b.loc, least, word);
    const Value any = b.ptx("{\n\t.reg .pred lacks, any;\n\t"
                            "setp.eq.b32 lacks, $1, 0;\n\t"
                            "vote.sync.any.pred any, lacks, -1;\n\t"
                            "selp.b32 $0, 1, 0, any;\n\t}",
                            b.getI32Type(), least)[0];
    scf::ConditionOp::create(b, b.loc, b.equal(any, b.i32(1)), loaded);
    b.createBlock(&loop.getAfter(), {}, types,
                  SmallVector<Location>(types.size(), b.loc));
    scf::YieldOp::create(b, b.loc);
    return loop.getResults();
  }

  static std::string loadOrElse(const Vector &vector) {
    const Words &words = vector.words;
    std::string list, text;
    for (int64_t i = 0; i < words.count; ++i) {
      list += (i ? ", e" : "e") + std::to_string(i);
      text += "mov.b32 e" + std::to_string(i) + ", 0x80000000;\n\t";
    }
    text = "{\n\t.reg .pred p;\n\t.reg .b32 " + list + ";\n\tsetp.ne.b64 p, $" +
           std::to_string(words.count) + ", 0;\n\t" + text +
           "@p ld.relaxed.gpu.global" + words.suffix() + " " +
           (words.count > 1 ? "{" + list + "}" : list) + ", " +
           vector.at(words.count) + ";\n\t";
    for (int64_t i = 0; i < words.count; ++i)
      text +=
          "mov.b32 $" + std::to_string(i) + ", e" + std::to_string(i) + ";\n\t";
    return text + "}";
  }

  const ThreadContext &context;
};

} // namespace

void addTakes(ThreadPatterns &patterns) { patterns.addAny<TakeLowering>(); }

} // namespace ashlar
