// The tiles that a CTA takes: its share in a fixed order, or one whenever it is
// free.

#include "kernels/AttentionProgram.h"
#include "kernels/Sequences.h"

namespace ashlar {

void AttentionProgram::takeTile(const Index &split, const Index &b,
                                const Index &h, const Index &i,
                                const Index &part, const TileBody &body) const {
  auto [firstRow, rows] = sequenceOf(qStarts, b, Sq);
  auto [firstKey, keys] = sequenceOf(kStarts, b,
                                     Sk        ? Index(*Sk)
                                     : lengths ? load_index(lengths->at({b}))
                                               : Index(0));
  // TMA's rows begin at multiples of 16 bytes.
  const Index firstValue =
      vStarts ? multiple_of(load_index(vStarts->at({b})), 16) : firstKey;
  auto at = [&](const Index &m) {
    AttentionTile t{split,    b,    h,        m,    part,
                    firstRow, rows, firstKey, keys, firstValue};
    if (config.splits)
      when(split < partsOf(t), [&] { body(t); });
    else
      body(t);
  };
  if (isPaired()) {
    Index count = ceil_div(rows, queries);
    for (Index half : range(min(count - 2 * i, 2)))
      at(i + (1 - half) * (count - 1 - 2 * i));
  } else if (form.packed && !dynamic) {
    when(i * queries < rows, [&] { at(i); });
  } else {
    at(i);
  }
}

void AttentionProgram::takeTiles(
    const std::function<void(const AttentionTile &, const TakeNext &)> &body)
    const {
  if (!dynamic)
    return forEachTile([&](const AttentionTile &t) { body(t, [] {}); });
  Index keys = Sk          ? Index(*Sk)
               : form.page ? *Pages * *form.page
                           : *Tk / max(B, 1);
  if (!isGrouped())
    keys = keys * Hk / max(*H, 1); // of each head of Q
  const int64_t columns = form.latent ? given.d : given.d + given.dv;
  DynamicTiles::Space space{B, tileHeads(), ceil_div(Sq, queries),
                            keys * (columns * size_bytes(form.type))};
  // Where queries see keys before them alone the last ones see most.
  space.isBackwards = form.after && !form.before;
  if (form.packed)
    space.isThere = [&](const Index &b, const Index &i) {
      return i * queries < sequenceOf(qStarts, b, Sq).second;
    };
  dynamic->handOut(space, [&](const Index &b, const Index &h, const Index &i,
                              const TakeNext &takeNext) {
    takeTile(0, b, h, i, 0, [&](const AttentionTile &t) { body(t, takeNext); });
  });
}

void AttentionProgram::forEachTile(const TileBody &body) const {
  auto take = [&](const Index &split, const Index &b, const Index &h,
                  const Index &i,
                  const Index &part) { takeTile(split, b, h, i, part, body); };
  if (dynamic)
    dynamic->forEach([&](const Index &b, const Index &h, const Index &i) {
      take(0, b, h, i, 0);
    });
  else if (tiles)
    for (auto [b, h, i] : *tiles)
      take(0, b, h, i, 0);
  else if (splitTiles)
    for (auto [split, b, h, i] : *splitTiles)
      take(split, b, h, i, 0);
  else if (partTiles)
    for (auto [b, h, i, part] : *partTiles)
      take(0, b, h, i, part);
  else
    for (auto [split, b, h, i, part] : *splitPartTiles)
      take(split, b, h, i, part);
}

} // namespace ashlar
