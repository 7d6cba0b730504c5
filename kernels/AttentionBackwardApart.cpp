// Heads so wide that no thread has registers for both dK and dV: warpgroups of
// their own keep each, and one more may multiply dQ.

#include "kernels/AttentionBackwardProgram.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace ashlar {

namespace {

/// Sums of a block of keys, multiplied 128 columns at a time: the assembler
/// refuses a wgmma whose sums are more registers than threads begin with.
class WideSums {
public:
  WideSums(int64_t keys, int64_t width) {
    for (int64_t column = 0; column < width; column += most)
      parts.push_back(zeros(f32, {keys, std::min(most, width - column)}));
  }

  void add(const Fragment &a, const SharedTile &b) {
    forEach([&](Fragment &part, int64_t column) {
      part =
          mma(a, slice(b, {0, column}, {b.shape()[0], part.shape()[1]}), part);
    });
  }

  void forEach(const std::function<void(Fragment &, int64_t)> &body) {
    int64_t column = 0;
    for (Fragment &part : parts) {
      body(part, column);
      column += most;
    }
  }

private:
  static constexpr int64_t most = 128;
  std::vector<Fragment> parts;
};

} // namespace

void AttentionBackwardProgram::defineValues() {
  role("values", warpgroups(1), registers(mathBudget), [&] {
    forEachBlock([&](const KeyBlock &t) {
      expectSequence(t);
      Stage kv = keyRing.wait(), s = rowRing.wait();
      WideSums dv(config.bn, form.dv);
      Fragment x = scoresOf(kv, s);
      Index first = firstTurn(t) * rowsOfTurn, end = endOfTurns(t) * rowsOfTurn,
            row = first;
      auto take = [&](bool isLast) {
        Fragment p = convert(weightsOf(t, rowOf(s, row), x), form.type);
        Stage out = weightRing->acquire();
        store(out[0], p);
        weightRing->commit(out);
        dv.add(p, s[1]);
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
      dv.forEach([&](Fragment &part, int64_t column) {
        store(keysOf(DV, t, column), convert(part, form.type));
      });
    });
  });
}

void AttentionBackwardProgram::defineKeys() {
  role("keys", warpgroups(1), registers(mathBudget), [&] {
    forEachBlock([&](const KeyBlock &t) {
      Stage kv = keyRing.wait(), s = rowRing.wait();
      WideSums dk(config.bn, form.d);
      Fragment dp = gradientOf(kv, s);
      auto take = [&](bool isLast) {
        Stage weights = weightRing->wait();
        Fragment p = convert(load(weights[0]), f32);
        weightRing->release(weights);
        if (isDeltaLate())
          dp = dp - load(s[3]);
        Fragment slope = convert(p * dp, form.type);
        if (hasQueries) {
          Stage out = slopeRing->acquire();
          store(out[0], slope);
          slopeRing->commit(out);
          dk.add(slope, s[0]);
        } else {
          store(*slopes, slope);
          Fragment dq = sumsOf(kv[0], *slopes, 0);
          dk.add(slope, s[0]);
          storeSums(dq);
          for (int64_t column = sumColumns; column < form.d;
               column += sumColumns)
            storeSums(sumsOf(kv[0], *slopes, column));
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
      dk.forEach([&](Fragment &part, int64_t column) {
        store(keysOf(DK, t, column), convert(part * scale, form.type));
      });
    });
  });
}

void AttentionBackwardProgram::defineQueries() {
  role("queries", warpgroups(1), registers(queryBudget), [&] {
    Index number = 0;
    const Index rank = isShared ? cluster_rank() : Index(0);
    forEachBlock([&](const KeyBlock &t) {
      Stage kv = keyRing.wait();
      for (Index turn : range(turnsOf(t))) {
        Stage slopes = slopeRing->wait();
        std::optional<Stage> others;
        if (isShared)
          others = otherRing->wait();
        for (int64_t column = 0; column < columnsOfCta; column += sumColumns) {
          const bool isLast = column + sumColumns == columnsOfCta;
          Fragment dq =
              isShared ? sumsOf(kv[0], slopes[0], columnsOfCta * rank + column)
                       : sumsOf(kv[0], slopes[0], column);
          if (isShared)
            dq = mma(slice(kv[2], {0, column}, {config.bn, sumColumns}).T(),
                     slopesOf(*otherSlopes, number), dq);
          if (isLast)
            slopeRing->release(slopes);
          storeSums(dq);
        }
        if (isShared) {
          otherRing->release(*others);
          number = nextNumber(number);
        }
      }
      keyRing.release(kv);
    });
    if (isShared)
      otherRing->release(otherRing->wait());
  });
}

void AttentionBackwardProgram::defineExchange() {
  role("exchange", warps(1), registers(copyBudget), [&] {
    Index number = 0;
    Stage there = otherRing->acquire();
    forEachBlock([&](const KeyBlock &t) {
      for (Index turn : range(turnsOf(t))) {
        Stage slopes = slopeRing->wait();
        copy(slopes[0],
             slopesOf(otherSlopes->peer(1 - cluster_rank()), number));
        cluster_sync(); // Those of the other CTA are here.
        otherRing->commit(there);
        there = otherRing->acquire();
        cluster_sync(); // Ours are there, and the next may come.
        slopeRing->release(slopes);
        number = nextNumber(number);
      }
    });
    otherRing->commit(there);
  });
}

} // namespace ashlar
