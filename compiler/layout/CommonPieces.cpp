#include "compiler/layout/CommonPieces.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <cassert>

namespace ashlar::layout {

Result<std::vector<CommonPiece>> commonPieces(const SwizzledLayout &source,
                                              const SwizzledLayout &target,
                                              int64_t elementBytes) {
  assert(source.size() == target.size());
  constexpr int64_t unit = target::tmaAlignment; // no swizzle divides it
  const int64_t elements = source.size(),
                columns = source.layout.mode(source.layout.rank() - 1).size(),
                rows = elements / columns;
  if (columns * elementBytes % unit != 0)
    return refuse("the tile has rows of ", columns * elementBytes,
                  " bytes, and the copy engine moves whole ", unit);
  std::vector<CommonPiece> pieces;
  // The last dimension is the slowest of a linear index.
  for (int64_t column = 0; column < columns; column += unit / elementBytes)
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t element = row + rows * column;
      pieces.push_back({source(element), target(element), unit});
    }
  std::ranges::sort(pieces, {}, &CommonPiece::source);
  size_t last = 0;
  for (size_t i = 1; i < pieces.size(); ++i) {
    CommonPiece &before = pieces[last];
    const CommonPiece &piece = pieces[i];
    if (before.source + before.bytes == piece.source &&
        before.target + before.bytes == piece.target)
      before.bytes += piece.bytes;
    else
      pieces[++last] = piece;
  }
  pieces.resize(last + 1);
  return pieces;
}

} // namespace ashlar::layout
