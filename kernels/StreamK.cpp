#include "StreamK.h"

namespace ashlar {

namespace {

Index tilesToCut(const Index &tiles, const Index &ctas) {
  Index left = tiles % ctas;
  return min(left, 1) * min(tiles, left + ctas);
}

} // namespace

// At least one step for each CTA and each tile: they are divided by.
StreamK::StreamK(const Index &tiles, const Index &steps, const Index &ctas)
    : tiles(at_most(tiles, most)), steps(max(steps, 1)), ctas(ctas),
      cut(tilesToCut(this->tiles, ctas)),
      units(at_most(cut * this->steps, most)),
      each(max(ceil_div(units, ctas), 1)) {}

StreamK::Share StreamK::share(const Index &cta) const {
  Index from = begin(cta), to = end(cta);
  Condition hasCut = from < to;
  Index tile = from / steps;
  Index cutPieces = select(hasCut, ceil_div(to, steps) - tile, 0);
  return {cta,  cutPieces + (tiles - cut) / ctas, cutPieces,
          tile, select(hasCut, from % steps, 0),  (to - 1) % steps + 1};
}

StreamK::Piece StreamK::piece(const Share &share, const Index &number) const {
  Index whole = number - share.cutPieces;
  Index tile =
      select(whole < 0, share.tile + number,
             min(cut + share.cta + max(whole, 0) * ctas, max(tiles, 1) - 1));
  Index end = select(whole == -1, share.end, steps);
  return {tile, select(number == 0, share.first, 0), end,
          range(share.cta - ceil_div(steps - end, each), share.cta)};
}

} // namespace ashlar
