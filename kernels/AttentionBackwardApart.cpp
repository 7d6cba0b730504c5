// Heads so wide that no thread has registers for both dK and dV: warpgroups of
// their own keep each.

#include "kernels/AttentionBackwardProgram.h"

namespace ashlar {

void AttentionBackwardProgram::defineValues() {
  role("values", warpgroups(warpgroupsOfRole), registers(mathBudget), [&] {
    forEachBlock([&](const KeyBlock &t) {
      expectSequence(t);
      Stage kv = keyRing.wait(), s = rowRing.wait();
      Fragment dv = zeros(f32, {config.bn, form.dv});
      Fragment x = scoresOf(kv, s);
      Index first = firstTurn(t) * rowsOfTurn, end = endOfTurns(t) * rowsOfTurn,
            row = first;
      auto take = [&](bool isLast) {
        Fragment p = convert(weightsOf(t, rowOf(s, row), x), form.type);
        Stage out = weightRing->acquire();
        store(out[0], p);
        weightRing->commit(out);
        dv = mma(p, s[1], dv);
        if (isLast)
          return;
        Stage next = rowRing.wait();
        x = scoresOf(kv, next);
        rowRing.release(s);
        s = next;
        row += config.bm;
        row = select(row == end, first, row);
      };
      for (Index turn : range(turnsOf(t) - 1))
        take(false);
      take(true);
      rowRing.release(s);
      keyRing.release(kv);
      store(keysOf(DV, t), convert(dv, form.type));
    });
  });
}

void AttentionBackwardProgram::defineKeys() {
  role("keys", warpgroups(warpgroupsOfRole), registers(mathBudget), [&] {
    forEachBlock([&](const KeyBlock &t) {
      Stage kv = keyRing.wait(), s = rowRing.wait();
      Fragment dk = zeros(f32, {config.bn, form.d});
      Fragment dp = gradientOf(kv, s);
      auto sumsOf = [&](int64_t column) {
        return mma(slopes.T(),
                   slice(kv[0], {0, column}, {config.bn, sumColumns}));
      };
      auto take = [&](bool isLast) {
        Stage weights = weightRing->wait();
        Fragment p = convert(load(weights[0]), f32);
        weightRing->release(weights);
        if (isDeltaLate())
          dp = dp - load(s[3]);
        Fragment slope = convert(p * dp, form.type);
        store(slopes, slope);
        Fragment dq = sumsOf(0);
        dk = mma(slope, s[0], dk);
        for (int64_t column = 0; column < form.d; column += sumColumns) {
          Stage out = sumRing.acquire();
          store(out[0], dq);
          sumRing.commit(out);
          if (column + sumColumns < form.d)
            dq = sumsOf(column + sumColumns);
        }
        if (isLast)
          return;
        Stage next = rowRing.wait();
        dp = gradientOf(kv, next);
        rowRing.release(s);
        s = next;
      };
      for (Index turn : range(turnsOf(t) - 1))
        take(false);
      take(true);
      rowRing.release(s);
      keyRing.release(kv);
      storeKeys(t, DK, dk * scale);
    });
  });
}

} // namespace ashlar
