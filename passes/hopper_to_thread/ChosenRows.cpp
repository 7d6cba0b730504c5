#include "passes/hopper_to_thread/ChosenRows.h"

namespace ashlar {

using namespace mlir;

Value ChosenRows::of(PtxBuilder &b, Value row) const {
  SmallVector<Value> at(coordinates);
  at.back() = b.add(at.back(), row);
  Value element = b.i64(0), inside;
  for (auto [coordinate, extent, stride] : llvm::zip(at, extents, strides)) {
    element = b.add(element, b.mul(b.extend(coordinate), stride));
    inside =
        b.both(inside, b.within(coordinate, extent, /*nonNegative=*/false));
  }
  Value address = b.elementAddress(pointer, b.getI32Type(), element);
  return b.ptx("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $2, 0;\n\t"
               "mov.b32 $0, -1;\n\t@p ld.global.b32 $0, [$1];\n\t}",
               b.getI32Type(), {address, b.flag(inside)})[0];
}

} // namespace ashlar
