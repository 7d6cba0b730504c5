// O so wide that no thread has registers for all columns of a row: warpgroups
// of their own keep each half. One role has the scores and the softmax; the
// other gets the weights, and what its sums are multiplied by before, through
// shared memory.

#include "kernels/AttentionProgram.h"

#include <numbers>

namespace ashlar {

/// Zeros in the rows of a tile from this one on, a few at a time, which takes
/// few registers.
static void clearRows(const SharedTile &tile, const Index &first) {
  constexpr int64_t height = 16;
  const Shape shape{height, tile.shape()[1]};
  for (Index i : range(max(first, 0) / height, tile.shape()[0] / height)) {
    SharedTile part = slice(tile, {i * height, 0}, shape);
    store(part, select(rows(shape) < first - i * height, load(part), 0));
  }
}

void AttentionProgram::finishHalf(const AttentionTile &t, const Fragment &o,
                                  const std::optional<Fragment> &l,
                                  int64_t column) {
  if (config.splits)
    return finishPart(t, {o}, *l, column);
  const Fragment result = convert(o, form.type);
  if (isGrouped() ? queries == 1 : !form.packed)
    store(resultOf(t, column), result);
  else
    scatterRows(t, rows({config.bm, 1}), column, result);
  if (L && column == 0)
    storeLogarithms(t, *l * std::numbers::ln2_v<float>);
}

void AttentionProgram::defineScores() {
  role("scores", warpgroups(warpgroupsOfRole(config)),
       registers(mathRegisters(form, config)), [&] {
         expectHeads();
         forEachTile([&](const AttentionTile &t) {
           const Scalar unit = unitOfScores();
           Fragment o = zeros(f32, {config.bm, half});
           AttentionRows row = beginRows(t);
           const std::optional<Fragment> slope = slopeOf(t);
           Stage q = query.wait();
           // Of the next block: K, and V if it is another tensor.
           auto multiplyKeys = [&](const Stage &left, const Stage &right) {
             Fragment x = mma(queryPart(q, 0, half), left[0].T());
             return mma(queryPart(q, half, form.d - half), right[0].T(), x);
           };
           auto tell = [&](const Fragment &ofRows) {
             Stage s = factorRing->acquire();
             store(s[0], ofRows);
             factorRing->commit(s);
           };
           auto put = [&](const Fragment &p) {
             Stage s = weightRing->acquire();
             store(s[0], p);
             return s;
           };
           // Not eager: weights are handed over where the next scores are
           // there, so that the other role multiplies under this softmax. The
           // first thing handed over is nothing.
           std::optional<Stage> weights;
           if (!config.eager)
             weights = weightRing->acquire();
           auto handOver = [&] {
             if (weights)
               weightRing->commit(*weights);
           };
           Stage left = ring.wait(), right = rightRing->wait();
           Fragment product = multiplyKeys(left, right);
           Index last = endOfBlocks(t) - 1;
           auto weightsOfBlock = [&](const Index &n, bool isLast) {
             Fragment p = convert(
                 weightsOf(t, product, n, isLast, unit, slope, row, handOver),
                 form.type);
             tell(row.shrink);
             return p;
           };
           for (Index n : range(firstBlock(t), last)) {
             Fragment p = weightsOfBlock(n, false);
             rightRing->release(right);
             if (config.eager)
               weightRing->commit(put(p));
             o = o * along_rows(row.shrink);
             Stage nextLeft = ring.wait(), nextRight = rightRing->wait();
             o = mma(p, left[0], o);
             ring.release(left);
             product = multiplyKeys(nextLeft, nextRight);
             if (!config.eager)
               *weights = put(p);
             left = nextLeft;
             right = nextRight;
           }
           query.release(q);
           Fragment p = weightsOfBlock(last, true);
           if (form.packed || form.page)
             when((last + 1) * config.bn > t.keys, [&] {
               clearRows(left[0], t.keys - last * config.bn);
               clearRows(slice(right[0], {0, 0}, {config.bn, half}),
                         t.keys - last * config.bn);
             });
           weightRing->commit(put(p));
           rightRing->release(right);
           o = mma(p, left[0], o * along_rows(row.shrink));
           ring.release(left);
           const Fragment factor = factorOfRows(row);
           tell(factor);
           std::optional<Fragment> l;
           if (L || config.splits)
             l.emplace(row.top + log2(row.sum));
           if (config.splits)
             tell(*l);
           finishHalf(t, o * along_rows(factor), l, 0);
         });
       });
}

void AttentionProgram::defineValues() {
  role("values", warpgroups(warpgroupsOfRole(config)),
       registers(mathRegisters(form, config)), [&] {
         forEachTile([&](const AttentionTile &t) {
           Fragment o = zeros(f32, {config.bm, half});
           auto heard = [&] {
             Stage s = factorRing->wait();
             Fragment ofRows = load(s[0]);
             factorRing->release(s);
             return ofRows;
           };
           if (!config.eager)
             weightRing->release(weightRing->wait());
           for (Index n : range(firstBlock(t), endOfBlocks(t))) {
             o = o * along_rows(heard());
             Stage right = rightRing->wait(), weights = weightRing->wait();
             o = mma(weights[0], slice(right[0], {0, 0}, {config.bn, half}), o);
             weightRing->release(weights);
             rightRing->release(right);
           }
           o = o * along_rows(heard());
           std::optional<Fragment> l;
           if (config.splits)
             l.emplace(heard());
           finishHalf(t, o, l, half);
         });
       });
}

} // namespace ashlar
