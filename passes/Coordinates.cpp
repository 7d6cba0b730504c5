#include "passes/Coordinates.h"
#include "compiler/tile/Tile.h"

#include <numeric>

namespace ashlar {

using namespace mlir;

bool areNonNegative(ValueRange coordinates, const IndexFacts &facts) {
  return llvm::all_of(coordinates, [&](Value coordinate) {
    return facts.of(coordinate).low >= 0;
  });
}

int64_t rowAlignment(Value tensor, ValueRange coordinates,
                     const IndexFacts &facts) {
  int64_t alignment = tensor.getDefiningOp<tile::TensorOp>().getAlignment();
  int64_t bytes = tile::elementBytes(
      cast<tile::TensorType>(tensor.getType()).getElementType());
  return std::gcd(alignment, facts.of(coordinates.back()).divisor * bytes);
}

} // namespace ashlar
