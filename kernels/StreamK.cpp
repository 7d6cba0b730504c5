#include "StreamK.h"

namespace ashlar {

namespace {

Index tilesToCut(const Index &tiles, const Index &ctas) {
  Index left = tiles % ctas;
  return select(left == 0, 0, min(tiles, left + ctas));
}

} // namespace

// At least one step for each CTA and each tile: they are divided by.
StreamK::StreamK(const Index &tiles, const Index &steps, const Index &ctas)
    : tiles(tiles), steps(max(steps, 1)), ctas(ctas),
      cut(tilesToCut(tiles, ctas)), units(cut * this->steps),
      each(max(ceil_div(units, ctas), 1)) {}

Index StreamK::cutPieces(const Index &cta) const {
  Index from = begin(cta), to = end(cta);
  return select(from < to, ceil_div(to, steps) - from / steps, 0);
}

Index StreamK::pieces(const Index &cta) const {
  return cutPieces(cta) + (tiles - cut) / ctas;
}

StreamK::Piece StreamK::piece(const Index &cta, const Index &number) const {
  Index whole = number - cutPieces(cta);
  Index tile =
      select(whole < 0, begin(cta) / steps + number, cut + cta + whole * ctas);
  // Counted from the first step of the tile.
  Index first = select(whole < 0, max(begin(cta) - tile * steps, 0), 0);
  Index last = select(whole < 0, min(end(cta) - tile * steps, steps), steps);
  return {tile, first, last, range(cta - ceil_div(steps - last, each), cta)};
}

} // namespace ashlar
