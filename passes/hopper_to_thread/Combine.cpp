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
    if (isa<FloatType>(x.getType()))
      return arith::AddFOp::create(b, b.loc, x, y,
                                   arith::FastMathFlags::contract);
    return arith::AddIOp::create(b, b.loc, x, y);
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
  // An instruction's result is there four cycles later.
  constexpr size_t chains = 4;
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(all)) {
    if (i < chains)
      values.push_back(value);
    else
      values[i % chains] = combine(b, how, ofNaN, values[i % chains], value);
  }
  while (values.size() > 1) {
    Value last = values.pop_back_val();
    Value &into = values[(values.size() - 1) / 2];
    into = combine(b, how, ofNaN, into, last);
  }
  return values.front();
}

} // namespace ashlar
