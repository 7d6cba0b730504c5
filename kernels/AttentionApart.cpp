// O so wide that no thread has registers for all columns of a row: warpgroups
// of their own keep each half. One role has the scores and the softmax; the
// other gets the weights, and what its sums are multiplied by before, through
// shared memory.

#include "kernels/AttentionProgram.h"

#include <numbers>

namespace ashlar {

void AttentionProgram::storeHalf(const AttentionTile &t, const Fragment &o,
                                 int64_t column) {
  const Fragment result = convert(o, form.type);
  if (isGrouped() ? queries == 1 : !form.packed)
    store(resultOf(t, column), result);
  else
    scatterRows(t, rows({config.bm, 1}), column, result);
}

void AttentionProgram::finishHalf(const AttentionTile &t, const Fragment &o,
                                  const std::optional<Fragment> &l,
                                  int64_t column) {
  if (config.splits)
    return finishPart(t, {o}, *l, ticketOf(t, column), column);
  storeHalf(t, o, column);
  if (L && column == 0)
    storeLogarithms(t, *l * std::numbers::ln2_v<float>);
}

void AttentionProgram::defineScores() {
  role("scores", warpgroups(warpgroupsOfRole(config)),
       registers(scoreRegisters(form, config)), [&] {
         forEachTile([&](const AttentionTile &t) {
           expectValues(t);
           const Scalar unit = unitOfScores();
           Fragment o = zeros(f32, {config.bm, half});
           AttentionRows row = beginRows(t);
           const std::optional<Fragment> slope = slopeOf(t);
           Stage q = query.wait();
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
           auto handOver = [&](const Fragment &shrink) {
             if (weights)
               weightRing->commit(*weights);
             tell(shrink);
           };
           // Where V is in K, that of a block stays until it is multiplied.
           std::optional<Stage> left, right;
           auto productOf = [&](const Stage &ofLeft) {
             Fragment x = mma(queryPart(q, 0, half), ofLeft[0].T());
             Stage ofRight = rightRing->wait();
             x = mma(queryPart(q, half, form.d - half), ofRight[0].T(), x);
             if (right)
               *right = ofRight;
             else
               right = ofRight;
             return x;
           };
           auto firstProduct = [&] {
             if (form.latent) {
               left = ring.wait();
               return productOf(*left);
             }
             Stage key = keyRing->wait();
             Fragment x = mma(q[0], key[0].T());
             keyRing->release(key);
             return x;
           };
           Fragment product = firstProduct();
           // This block's sums, and behind them the next one's scores.
           auto multiply = [&](const Fragment &p) {
             if (form.latent) {
               Stage nextLeft = ring.wait();
               o = mma(p, (*left)[0], o);
               ring.release(*left);
               product = productOf(nextLeft);
               *left = nextLeft;
               return;
             }
             Stage key = keyRing->wait(), values = ring.wait();
             o = mma(p, values[0], o);
             ring.release(values);
             product = mma(q[0], key[0].T());
             keyRing->release(key);
           };
           Index last = endOfBlocks(t) - 1;
           auto weightsOfBlock = [&](const Index &n, bool isLast) {
             return weightsOf(t, product, n, isLast, unit, slope, row,
                              handOver);
           };
           for (Index n : range(firstBlock(t), last)) {
             const Fragment e = weightsOfBlock(n, false);
             Fragment p = convert(e, form.type);
             if (right)
               rightRing->release(*right);
             if (config.eager)
               weightRing->commit(put(p));
             addWeights(row, e);
             o = shrunk(o, row.shrink);
             multiply(p);
             if (!config.eager)
               *weights = put(p);
           }
           query.release(q);
           const Fragment e = weightsOfBlock(last, true);
           Fragment p = convert(e, form.type);
           addWeights(row, e);
           if (!form.latent)
             left = ring.wait();
           clearBehind(t, last, (*left)[0]);
           if (right)
             clearBehind(t, last, rightValues(*right));
           weightRing->commit(put(p));
           if (right)
             rightRing->release(*right);
           o = mma(p, (*left)[0], shrunk(o, row.shrink));
           ring.release(*left);
           const Fragment factor = factorOfRows(row);
           tell(factor);
           std::optional<Fragment> l;
           if (L || config.splits)
             l.emplace(logarithmOf(row));
           if (config.splits)
             tell(*l);
           finishHalf(t, o * along_rows(factor), l, 0);
         });
       });
}

void AttentionProgram::defineValues() {
  role("values", warpgroups(warpgroupsOfRole(config)),
       registers(valueRegisters(form, config)), [&] {
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
             o = shrunk(o, heard());
             Stage right = rightRing->wait(), weights = weightRing->wait();
             if (!form.latent)
               clearBehind(t, n, rightValues(right));
             o = mma(weights[0], rightValues(right), o);
             weightRing->release(weights);
             rightRing->release(right);
           }
           o = shrunk(o, heard());
           std::optional<Fragment> l;
           if (config.splits)
             l.emplace(heard());
           finishHalf(t, o, l, half);
         });
       });
}

} // namespace ashlar
