// Heads so wide that no thread has registers for both dK and dV: warpgroups of
// their own keep each, and one more may multiply dQ.
//
// Two CTAs may share dQ's columns: a warp sends what each has of the gradients
// of the scores to the other, and each multiplies its half of the columns with
// the keys of both.

#include "kernels/AttentionBackwardProgram.h"

#include <functional>
#include <vector>

namespace ashlar {

namespace {

/// Sums of a block of keys, multiplied by as many columns at a time as the
/// stages of a ring have.
class WideSums {
public:
  WideSums(int64_t keys, int64_t width, int64_t step) : step(step) {
    for (int64_t column = 0; column < width; column += step)
      parts.push_back(zeros(f32, {keys, step}));
  }

  /// Returns what it reads while it is under way.
  std::vector<Stage> add(const Fragment &a, Pipeline &ring) {
    std::vector<Stage> stages;
    for (Fragment &part : parts) {
      stages.push_back(ring.wait());
      part = mma(a, stages.back()[0], part);
    }
    return stages;
  }

  void forEach(const std::function<void(Fragment &, int64_t)> &body) {
    for (size_t i = 0; i < parts.size(); ++i)
      body(parts[i], step * int64_t(i));
  }

private:
  const int64_t step;
  std::vector<Fragment> parts;
};

void release(Pipeline &ring, const std::vector<Stage> &stages) {
  for (const Stage &s : stages)
    ring.release(s);
}

} // namespace

void AttentionBackwardProgram::loadRowsApart(const KeyBlock &t, const Index &h,
                                             const Index &row) {
  Stage values = valueRing->acquire();
  loadValues(t, h, row, values);
  valueRing->commit(values);
  auto copyParts = [&](const Tensor &from, int64_t width, Pipeline &ring,
                       int64_t step) {
    for (int64_t column = 0; column < width; column += step) {
      Stage s = ring.acquire();
      if (isShared)
        copy(rowsOf(from, t, h, row, column), s[0], multicast);
      else
        copy(rowsOf(from, t, h, row, column), s[0]);
      ring.commit(s);
    }
  };
  copyParts(Q, form.d, rowRing, partOfRow);
  copyParts(DO, form.dv, *gradientRing, partOfGradient);
}

void AttentionBackwardProgram::RowProduct::become(const RowProduct &next) {
  sum = next.sum;
  values = next.values;
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = next.parts[i];
}

AttentionBackwardProgram::RowProduct AttentionBackwardProgram::nextProduct(
    const SharedTile &keys, Pipeline &ring,
    const std::function<std::optional<Fragment>(const Stage &values)> &first) {
  Stage values = valueRing->wait();
  std::optional<Fragment> sum = first(values);
  std::vector<Stage> parts;
  const int64_t width = keys.shape()[1];
  for (int64_t column = 0; column < width;) {
    parts.push_back(ring.wait());
    SharedTile rows = parts.back()[0];
    const int64_t step = rows.shape()[1];
    SharedTile part = slice(keys, {0, column}, {config.bn, step});
    if (sum)
      sum.emplace(mma(part, rows.T(), *sum));
    else
      sum.emplace(mma(part, rows.T()));
    column += step;
  }
  return {*sum, values, std::move(parts)};
}

void AttentionBackwardProgram::defineValues() {
  role("values", warpgroups(1), registers(mathBudget), [&] {
    forEachBlock([&](const KeyBlock &t) {
      expectValues(t);
      Stage kv = keyRing.wait();
      WideSums dv(config.bn, form.dv, partOfGradient);
      auto next = [&] {
        return nextProduct(kv[0], rowRing, [&](const Stage &values) {
          return startOfScores(values);
        });
      };
      RowProduct x = next();
      Index first = firstTurn(t) * rowsOfTurn, end = endOfTurns(t) * rowsOfTurn,
            row = first;
      auto take = [&](bool isLast) {
        Fragment p =
            convert(weightsOf(t, rowOf(x.values, row), x.sum), form.type);
        release(rowRing, x.parts);
        valueRing->release(x.values);
        Stage out = weightRing->acquire();
        store(out[0], p);
        weightRing->commit(out);
        std::vector<Stage> gradients = dv.add(p, *gradientRing);
        if (!isLast)
          x.become(next());
        release(*gradientRing, gradients);
        row += config.bm;
        row = select(row == end, first, row);
      };
      for (Index turn : range(turnsOf(t) - 1))
        take(false);
      take(true);
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
      Stage kv = keyRing.wait();
      WideSums dk(config.bn, form.d, partOfRow);
      auto next = [&] {
        return nextProduct(kv[1], *gradientRing, [&](const Stage &values) {
          return startOfGradients(values);
        });
      };
      RowProduct dp = next();
      auto take = [&](bool isLast) {
        Stage weights = weightRing->wait();
        Fragment p = convert(load(weights[0]), f32);
        weightRing->release(weights);
        if (isDeltaLate())
          dp.sum = dp.sum - load(dp.values[placeOfDelta]);
        release(*gradientRing, dp.parts);
        valueRing->release(dp.values);
        Fragment slope = convert(p * dp.sum, form.type);
        std::vector<Stage> rows;
        if (hasQueries) {
          Stage out = slopeRing->acquire();
          store(out[0], slope);
          slopeRing->commit(out);
          rows = dk.add(slope, rowRing);
        } else {
          store(*slopes, slope);
          Fragment dq = sumsOf(kv[0], *slopes, 0);
          rows = dk.add(slope, rowRing);
          storeSums(dq);
          for (int64_t column = sumColumns; column < form.d;
               column += sumColumns)
            storeSums(sumsOf(kv[0], *slopes, column));
        }
        if (!isLast)
          dp.become(next());
        release(rowRing, rows);
      };
      for (Index turn : range(turnsOf(t) - 1))
        take(false);
      take(true);
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
    forEachBlock([&](const KeyBlock &t) {
      Stage kv = keyRing.wait();
      for (Index turn : range(turnsOf(t))) {
        Stage slopes = slopeRing->wait();
        std::optional<Stage> others;
        if (isShared)
          others.emplace(otherRing->wait());
        for (int64_t column = 0; column < columnsOfCta; column += sumColumns) {
          Fragment dq = sumsOf(kv[0], slopes[0], firstColumn() + column);
          if (isShared)
            dq = sumsOf(kv[2], slopesOf(*otherSlopes, number), column, &dq);
          if (column + sumColumns == columnsOfCta)
            slopeRing->release(slopes);
          storeSums(dq);
        }
        if (isShared) {
          // What the other CTA has sent is no part of a stage: it has been
          // multiplied, as its sums are stored.
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
