#include "passes/hopper_to_thread/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ashlar {

using namespace mlir;

Value combine(PtxBuilder &b, tile::Reduction how, OfNaN ofNaN, Value x,
              Value y) {
  auto make =
      [&]<typename Kept, typename Ignored, typename Integer>() -> Value {
    if (!isa<FloatType>(x.getType()))
      return Integer::create(b, b.loc, x, y);
    return ofNaN == OfNaN::kept ? Value(Kept::create(b, b.loc, x, y))
                                : Value(Ignored::create(b, b.loc, x, y));
  };
  switch (how) {
  case tile::Reduction::add:
    return make.operator()<arith::AddFOp, arith::AddFOp, arith::AddIOp>();
  case tile::Reduction::min:
    return make
        .operator()<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>();
  case tile::Reduction::max:
    return make
        .operator()<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>();
  }
  return {};
}

Value neutral(PtxBuilder &b, tile::Reduction how, Type type) {
  const bool isLeast = how == tile::Reduction::max;
  TypedAttr value = b.getZeroAttr(type);
  if (how != tile::Reduction::add) {
    if (auto real = dyn_cast<FloatType>(type)) {
      value = FloatAttr::get(
          type, APFloat::getInf(real.getFloatSemantics(), isLeast));
    } else {
      const unsigned bits = type.getIntOrFloatBitWidth();
      value = IntegerAttr::get(type, isLeast ? APInt::getSignedMinValue(bits)
                                             : APInt::getSignedMaxValue(bits));
    }
  }
  return arith::ConstantOp::create(b, b.loc, value);
}

std::string reduceMemory(tile::Reduction how, bool floating, StringRef space) {
  const bool adds = how == tile::Reduction::add;
  return "red.relaxed." + std::string(space == "global" ? "gpu." : "cta.") +
         space.str() + "." + tile::stringifyReduction(how).str() +
         (floating ? ".f32" : (adds ? ".u32" : ".s32"));
}

Value combineAll(PtxBuilder &b, tile::Reduction how, OfNaN ofNaN,
                 ValueRange all) {
  SmallVector<Value> values(all);
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(b, how, ofNaN, values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

} // namespace ashlar
