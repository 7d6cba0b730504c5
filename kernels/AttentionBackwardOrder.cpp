// Parts of dQ in a fixed order. The tiles of a head that are taken at the same
// time are a gang. Its blocks of keys walk over the rows so that, in step, no
// two of them want the same ones at the same time, and the parts of a row are
// added in the order in which they come: those of earlier tiles, then the
// gang's.
//
// Blocks begin a few turns apart, and each goes round the turns that it has, of
// all heads: the last block of a gang comes first to most rows. The second
// block of a pair goes from the last row to the first, so that it comes before
// those of the tiles before it too.
//
// Who is waited for has an earlier tile, or comes before by these walks: so
// nobody waits for ever, however many CTAs there are.
//
// A role of its own works all this out, some turns ahead: those that multiply
// have no registers for it. Of CTAs that share dQ's columns it is the one that
// loads, which leaves a warp to them that exchange.

#include "kernels/AttentionBackwardProgram.h"

namespace ashlar {

void AttentionBackwardProgram::forEachOrderedTurn(
    const KeyBlock &t, const std::function<void(const Turn &)> &body) const {
  // Whether the blocks of a gang begin at different turns: all see many of the
  // same.
  const bool isSpread = isPaired() || (!form.after && !form.before);
  // What a cluster has at a time is one block here.
  const int64_t width = config.cluster * config.bn;
  Index n = t.first / config.cluster, count = ceil_div(t.keys, width);
  Index own = isPaired() ? min(n, count - 1 - n) : n;
  Index tiles = isPaired() ? ceil_div(count, 2) : count;
  Condition isSecond = n > own;
  // The gang's tiles.
  Index cta = isShared ? sharedBlocks->cta() : blocks->cta(),
        ctas = isShared ? sharedBlocks->ctas() : blocks->ctas();
  Index ahead = min(own, cta), gang = own - ahead,
        endOfGang = own + min(max(ctas - cta, 1), tiles - own);
  const Index first = firstTurn(t), end = endOfTurns(t);
  // How many blocks of the gang begin apart, from which turn on, which all see
  // as they see those behind it, and how far.
  Index spread = 0, common = first, gap = 1, start = first;
  if (isSpread) {
    spread = endOfGang - gang;
    common = firstTurn(t, (endOfGang - 1) * config.cluster);
    gap = select(2 * spread <= end - common, 2, 1);
    start = min(common + ahead * gap, end);
  }
  Index behind = -1 - own;
  if (isPaired()) {
    behind += select(isSecond, min(endOfGang, count / 2), gang);
    spread = select(isSecond, 0, spread);
    start = select(isSecond, first, start);
  }
  const Index heads = H / Hk, firstHead = min(t.g * heads, H);
  for (Index round : range(heads + 1)) {
    Condition isFirst = round == 0, isLast = round == heads;
    Condition isEnd = isLast || (start == first && round == heads - 1);
    Index from = select(isFirst, start, first), to = select(isLast, start, end);
    Index h = min(firstHead + select(isLast, 0, round), H);
    // Some of the gang begin in the first round, at turns of the first head
    // that the others come to in the last one.
    Index others = behind - select(isFirst, spread, 0);
    Index begins = select(isFirst || isLast, common - gap, end);
    for (Index turn : range(from, to)) {
      Index at = turn;
      if (isPaired())
        at = select(isSecond, (first + end - 1) - turn, turn);
      Index row = at * rowsOfTurn;
      // The blocks of keys that these rows see.
      Index low = form.before ? max(placeOf(t, row) - *form.before, 0) / width
                              : Index(0);
      Index keys = t.keys;
      if (form.after)
        keys = min(keys, placeOf(t, row + rowsOfTurn) + *form.after);
      Index high = ceil_div(keys, width);
      // In a gang the last is first, but for those that have begun with
      // these rows or before and come before all that come round to them.
      Index before = min(endOfGang, high) + others;
      if (isSpread) {
        Index begun = at - begins;
        before += clamp(select(gap == 2, begun / 2, begun), 0, spread);
      }
      if (isPaired())
        before += max(high - (count - gang), 0);
      else
        before += max(gang - low, 0);
      Condition isThere = row < t.rows && n >= low && n < high;
      body({h, row, select(isThere, before, -1),
            select(before == high - low - 1, lastPart, 0) +
                select(isEnd && turn + 1 == to, lastTurn, 0)});
    }
  }
}

void AttentionBackwardProgram::tellTurn(const Turn &turn) const {
  Stage s = turnRing->acquire();
  store(s[0], listOf({turn.head, turn.row, turn.place, turn.marks}));
  turnRing->commit(s);
}

void AttentionBackwardProgram::defineOrder() {
  role("order", warps(1), registers(copyBudget), [&] {
    forEachBlock([&](const KeyBlock &t) {
      forEachOrderedTurn(t, [&](const Turn &turn) { tellTurn(turn); });
    });
  });
}

void AttentionBackwardProgram::forEachTurn(
    const std::function<void(const SharedTile &)> &body) const {
  for (Index turn : range(endless)) {
    Stage s = turnRing->wait();
    body(s[0]);
    Condition isLast = load_index(s[0], {marks}) >= lastTurn;
    turnRing->release(s);
    last_if(isLast);
  }
}

void AttentionBackwardProgram::defineStoreInOrder() {
  // What is added is seen by others some time later: two warps take turns, so
  // that this may be longer than what is computed between two parts.
  for (int own : {0, 1})
    role(own ? "store odd turns" : "store even turns", warps(1),
         registers(copyBudget), [&] {
           Index next = 0;
           forEachBlock([&](const KeyBlock &t) {
             forEachTurn([&](const SharedTile &turn) {
               auto number = [&](int64_t i) { return load_index(turn, {i}); };
               Condition isThere = next == own && number(place) >= 0;
               auto counter = [&] {
                 Index row = number(firstRow) / rowsOfTurn;
                 if (isShared)
                   row = row * config.cluster + cluster_rank();
                 return order->at({t.b, number(head), row});
               };
               when(isThere, [&] { await(counter(), number(place)); });
               addSums(t, number(head), number(firstRow), isThere);
               when(isThere, [&] {
                 // The last one leaves zero.
                 constexpr int64_t most = int64_t(1) << 24;
                 signal(counter(), select(number(marks) % 2 == lastPart,
                                          clamp(-number(place), -most, 0), 1));
               });
               next = 1 - next;
             });
             copyKeys(t, own == 0);
           });
         });
}

} // namespace ashlar
