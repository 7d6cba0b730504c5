#include "compiler/target/Target.h"
#include "kernels/AttentionBackwardProgram.h"
#include "kernels/Sequences.h"

#include "ashlar/error.h"

#include <numbers>
#include <string>

namespace ashlar {

static constexpr float log2e = std::numbers::log2e_v<float>;

void AttentionBackwardProgram::takeBlock(const Index &b, const Index &g,
                                         const Index &i, const Index &cta,
                                         const BlockBody &body) const {
  auto [firstRow, rows] = sequenceOf(qStarts, b, Sq);
  auto [firstKey, keys] = sequenceOf(kStarts, b, Sk);
  // n counts what the cluster has at a time, a block for each CTA.
  auto at = [&](const Index &n) {
    const Index first = config.cluster * n;
    body({b, g, first + cta, first, firstRow, rows, firstKey, keys});
  };
  if (isPaired()) {
    Index count = ceil_div(keys, config.cluster * config.bn);
    for (Index half : range(min(count - 2 * i, 2)))
      at(i + half * (count - 1 - 2 * i));
  } else if (form.packed && !dynamic) {
    when(i * config.bn < keys, [&] { at(i); });
  } else {
    at(i);
  }
}

void AttentionBackwardProgram::takeBlocks(
    const std::function<void(const KeyBlock &, const TakeNext &)> &body) const {
  if (!dynamic)
    return forEachBlock([&](const KeyBlock &t) { body(t, [] {}); });
  // Rows of Q and dO, and the sums of dQ.
  const int64_t bytesOfRow =
      (given.d + given.dv) * size_bytes(form.type) + given.d * size_bytes(f32);
  const Index rows = form.packed ? *Tq / max(B, 1) : Index(Sq);
  DynamicTiles::Space space{B, Hk, ceil_div(Sk, config.bn),
                            rows * (H / Hk) * bytesOfRow};
  // Where queries see keys behind them alone the last ones are seen by most.
  space.isBackwards = form.before && !form.after;
  if (form.packed)
    space.isThere = [&](const Index &b, const Index &i) {
      return i * config.bn < sequenceOf(kStarts, b, Sk).second;
    };
  dynamic->handOut(space, [&](const Index &b, const Index &g, const Index &i,
                              const TakeNext &takeNext) {
    takeBlock(b, g, i, 0, [&](const KeyBlock &t) { body(t, takeNext); });
  });
}

void AttentionBackwardProgram::forEachBlock(const BlockBody &body) const {
  if (dynamic)
    return dynamic->forEach(
        [&](const Index &b, const Index &g, const Index &i) {
          takeBlock(b, g, i, 0, body);
        });
  if (isShared) {
    for (auto [b, g, i, cta] : *sharedBlocks)
      takeBlock(b, g, i, cta, body);
  } else {
    for (auto [b, g, i] : *blocks)
      takeBlock(b, g, i, 0, body);
  }
}

void AttentionBackwardProgram::defineLoad() {
  role("load", warps(1), registers(copyBudget), [&] {
    takeBlocks([&](const KeyBlock &t, const TakeNext &takeNext) {
      Stage s = keyRing.acquire();
      copy(keysOf(K, t), s[0]);
      copy(keysOf(V, t), s[1]);
      if (isShared) {
        KeyBlock other = t;
        other.n = 2 * t.first + 1 - t.n;
        copy(keysOf(K, other, firstColumn()), s[2]);
      }
      keyRing.commit(s);
      auto load = [&](const Index &h, const Index &row) {
        if (config.apart)
          return loadRowsApart(t, h, row);
        Stage s = rowRing.acquire();
        copy(rowsOf(Q, t, h, row), s[0]);
        copy(rowsOf(DO, t, h, row), s[1]);
        loadValues(t, h, row, s);
        rowRing.commit(s);
      };
      if (ordersRows)
        forEachOrderedTurn(t, [&](const Turn &turn) {
          tellTurn(turn);
          load(turn.head, turn.row);
        });
      else
        forEachRows(t, config.bm, load);
      takeNext();
    });
  });
}

void AttentionBackwardProgram::loadValues(const KeyBlock &t, const Index &h,
                                          const Index &row,
                                          const Stage &s) const {
  copy(valuesOf(L, t, h, row), s[placeOfL]);
  copy(valuesOf(Delta, t, h, row), s[placeOfDelta]);
  if (passesRows)
    store(s[placeOfRow], full(s32, {4}, row));
}

void AttentionBackwardProgram::forEachRows(
    const KeyBlock &t, int64_t step,
    const std::function<void(const Index &h, const Index &row)> &body) const {
  if (order)
    return forEachTurn([&](const SharedTile &turn) {
      Index h = load_index(turn, {head}), row = load_index(turn, {firstRow});
      for (int64_t i = 0; i < rowsOfTurn; i += step)
        body(h, row + i);
    });
  for (Index h : range(H / Hk))
    for (Index row :
         range(firstTurn(t) * rowsOfTurn, endOfTurns(t) * rowsOfTurn, step))
      body(t.g * (H / Hk) + h, row);
}

void AttentionBackwardProgram::addSums(const KeyBlock &t, const Index &h,
                                       const Index &row,
                                       const Condition &isThere,
                                       std::optional<int64_t> own) {
  auto addColumns = [&](const Index &column) {
    for (int64_t part = 0; part < partsOfRows; ++part) {
      Stage s = sumRing.wait();
      const Index first = row + part * rowsOfTurn / partsOfRows;
      if (part == own.value_or(part))
        when(isThere, [&] {
          copy(s[0], rowsOf(sums, t, h, first, column), reduce_add);
        });
      sumRing.release(s);
    }
  };
  if (sumColumns == form.d)
    return addColumns(0);
  for (Index column : range(0, columnsOfCta, sumColumns))
    addColumns(firstColumn() + column);
}

void AttentionBackwardProgram::copyKeys(const KeyBlock &t, bool isOwn) {
  auto copyOut = [&](const Tensor &to, int64_t width) {
    const int64_t columns = columnsOfKeys(width);
    for (int64_t column = 0; column < width; column += columns) {
      Stage s = sumRing.wait();
      if (isOwn)
        copy(keyTile(s, columns), keysOf(to, t, column));
      sumRing.release(s);
    }
  };
  if (config.apart)
    return; // They are stored by those who keep them.
  auto copyBoth = [&] {
    copyOut(DV, form.dv);
    copyOut(DK, form.d);
  };
  if (form.packed)
    when(isWhole(t), copyBoth);
  else
    copyBoth();
}

void AttentionBackwardProgram::defineStore() {
  // A warp hands TMA the next part when it has read the one before: those of
  // different rows have warps of their own.
  for (int64_t own = 0; own < partsOfRows; ++own)
    role(own ? "store other rows" : "store", warps(1), registers(copyBudget),
         [&] {
           forEachBlock([&](const KeyBlock &t) {
             forEachRows(t, rowsOfTurn, [&](const Index &h, const Index &row) {
               addSums(t, h, row, row < t.rows, own);
             });
             copyKeys(t, /*isOwn=*/own == 0);
           });
         });
}

Mask AttentionBackwardProgram::isSeen(const KeyBlock &t,
                                      const Index &row) const {
  const Shape shape{config.bn, config.bm};
  const Fragment key = rows({config.bn, 1}) + t.n * config.bn;
  Mask seen = rows(shape) < t.keys - t.n * config.bn;
  if (form.after)
    seen = seen && columns(shape) >= key - (placeOf(t, row) + *form.after);
  if (form.before)
    seen = seen && columns(shape) <= key - (placeOf(t, row) - *form.before);
  return seen;
}

void AttentionBackwardProgram::clearRowsBehind(const KeyBlock &t,
                                               const Index &row,
                                               const Stage &s) const {
  if (!form.packed)
    return;
  Index left = t.rows - rowOf(s, row);
  when(left < config.bm, [&] {
    for (int i : {0, 1})
      clearBehind(s[i], left, threads);
    for (int64_t i : {placeOfL, placeOfDelta})
      store(s[i], select(columns(s[i].shape()) < left, load(s[i]), 0));
  });
}

void AttentionBackwardProgram::clearKeysBehind(const KeyBlock &t,
                                               const Stage &kv) const {
  if (!form.packed)
    return;
  for (int i : {0, 1})
    clearBehind(kv[i], t.keys - t.n * config.bn, threads);
}

void AttentionBackwardProgram::storeKeys(const KeyBlock &t, const Tensor &to,
                                         const Fragment &sums) {
  const Fragment result = convert(sums, form.type);
  const int64_t width = result.shape()[1], part = columnsOfKeys(width);
  auto byTma = [&] {
    for (int64_t column = 0; column < width; column += part) {
      Stage s = sumRing.acquire();
      store(keyTile(s, part), slice(result, {0, column}, {config.bn, part}));
      sumRing.commit(s);
    }
  };
  if (!form.packed)
    return byTma();
  when(isWhole(t), byTma, [&] {
    Fragment key = rows(result.shape()) + t.n * config.bn;
    key = select(key < t.keys, key + t.firstKey, -1);
    scatter(to, {t.g, key, columns(result.shape())}, result);
  });
}

Fragment AttentionBackwardProgram::startOfScores(const Stage &values) const {
  return broadcast(load(values[placeOfL]) * (-1 / scale),
                   {config.bn, config.bm});
}

std::optional<Fragment>
AttentionBackwardProgram::startOfGradients(const Stage &values) const {
  if (isDeltaLate())
    return std::nullopt;
  return broadcast(-load(values[placeOfDelta]), {config.bn, config.bm});
}

Fragment AttentionBackwardProgram::scoresOf(const Stage &kv,
                                            const Stage &s) const {
  return mma(kv[0], s[0].T(), startOfScores(s));
}

Fragment AttentionBackwardProgram::weightsOf(const KeyBlock &t,
                                             const Index &row,
                                             const Fragment &scores) const {
  Fragment weights = fast::exp2(scores * (scale * log2e));
  when(isCut(t, row), [&] { weights = select(isSeen(t, row), weights, 0); });
  return weights;
}

Fragment AttentionBackwardProgram::gradientOf(const Stage &kv,
                                              const Stage &s) const {
  if (std::optional<Fragment> start = startOfGradients(s))
    return mma(kv[1], s[1].T(), *start);
  return mma(kv[1], s[1].T());
}

Fragment AttentionBackwardProgram::sumsOf(const SharedTile &keys,
                                          const SharedTile &slopes,
                                          const Index &column,
                                          const Fragment *others) const {
  SharedTile part = slice(keys, {0, multiple_of(column, sumColumns)},
                          {config.bn, sumColumns});
  if (others)
    return isTransposed ? mma(part.T(), slopes, *others)
                        : mma(slopes.T(), part, *others);
  return isTransposed ? mma(part.T(), slopes) : mma(slopes.T(), part);
}

int64_t AttentionBackwardProgram::stagesOfSlopes() const {
  if (config.apart || config.bm > 64)
    return isShared ? 2 : hasQueries ? 1 : 0;
  // Tiles begin at multiples of the one at most, numbers at those of the other.
  constexpr int64_t unit = target::swizzleRows * target::mostSwizzleBytes,
                    number = target::tmaSharedAlignment;
  const int64_t bytes = size_bytes(form.type);
  auto both = [&](int64_t rows) {
    return alignedTo(unit, rows * form.d * bytes) +
           alignedTo(unit, rows * form.dv * bytes);
  };
  auto ring = [&](int64_t stages, int64_t stage) {
    return stages * (alignedTo(unit, stage) + barrierBytesOfStage);
  };
  const int64_t rows = both(config.bm) +
                       2 * alignedTo(number, config.bm * size_bytes(f32)) +
                       (passesRows ? number : 0);
  const int64_t turns =
      config.deterministic
          ? (config.stages + 4) * (number + barrierBytesOfStage)
      : config.dynamic ? DynamicTiles::stages * (number + barrierBytesOfStage)
                       : 0;
  const int64_t all =
      ring(1, both(config.bn)) + ring(config.stages, rows) +
      ring(2, rowsOfTurn / partsOfRows * sumColumns * size_bytes(f32)) +
      ring(2, config.bn * rowsOfTurn * bytes) + turns;
  return all <= target::sharedBytes ? 2 : 0;
}

void AttentionBackwardProgram::storeSums(const Fragment &dq) {
  for (int64_t part = 0; part < partsOfRows; ++part) {
    Stage out = sumRing.acquire();
    const int64_t rows = out[0].shape()[0];
    if (isTransposed)
      store(out[0].T(), slice(dq, {0, part * rows}, {sumColumns, rows}));
    else
      store(out[0], dq);
    sumRing.commit(out);
  }
}

void AttentionBackwardProgram::expectSizes() const {
  expect(H % Hk == 0, "H, the heads of Q, is a multiple of Hk, those of K",
         where);
  if (Starts)
    expect(*Starts == B + 1,
           "Starts, what QStarts has, is one more than B, the sequences",
           where);
  if (Turns)
    expect(*Turns >= ceil_div(Sq, config.bm) * config.cluster,
           "Turns, what Order has for a head, is no less than the " +
               std::to_string(config.cluster) +
               " CTAs of a cluster times the blocks of " +
               std::to_string(config.bm) + " rows that Sq has",
           where);
}

/// In a role whose registers suffice to tell.
void AttentionBackwardProgram::expectValues(const KeyBlock &t) const {
  expect(scale > 0, "scale, of the scores, is positive");
  if (form.packed)
    expect(0 <= t.rows && t.rows <= Sq && 0 <= t.firstRow &&
               t.firstRow + t.rows <= *Tq && 0 <= t.keys && t.keys <= Sk &&
               0 <= t.firstKey && t.firstKey + t.keys <= *Tk,
           "the rows and keys of a sequence, by QStarts and KStarts, are 0 to "
           "Sq and Sk, and lie in Q and K");
}

void AttentionBackwardProgram::defineMath() {
  role("math", warpgroups(warpgroupsOfRole), registers(mathBudget), [&] {
    const Shape shape{config.bn, config.bm};
    forEachBlock([&](const KeyBlock &t) {
      expectValues(t);
      Stage kv = keyRing.wait();
      clearKeysBehind(t, kv);
      auto nextRows = [&](const Index &row) {
        Stage s = rowRing.wait();
        clearRowsBehind(t, row, s);
        return s;
      };
      Fragment dk = zeros(f32, {config.bn, form.d}),
               dv = zeros(f32, {config.bn, form.dv});
      Index first = firstTurn(t) * rowsOfTurn, end = endOfTurns(t) * rowsOfTurn,
            row = first;
      Stage s = nextRows(row);
      Fragment x = scoresOf(kv, s);
      auto take = [&](bool isLast) {
        std::optional<Stage> stage;
        auto turn = [&] { return stage ? (*stage)[0] : *slopes; };
        for (int64_t block = 0; block < blocksOfTurn; ++block) {
          Fragment dp = gradientOf(kv, s);
          Fragment p = weightsOf(t, rowOf(s, row), x);
          if (isDeltaLate())
            dp = dp - load(s[placeOfDelta]);
          dv = mma(convert(p, form.type), s[1], dv);
          Fragment slope = convert(p * dp, form.type);
          if (slopeRing && block == 0)
            stage = slopeRing->acquire();
          store(slice(turn(), {0, block * config.bm}, shape), slope);
          row += config.bm;
          if (block + 1 < blocksOfTurn) {
            dk = mma(slope, s[0], dk);
          } else {
            if (stage) {
              slopeRing->commit(*stage);
              stage = slopeRing->wait();
            }
            Fragment dq = sumsOf(kv[0], turn(), 0);
            // In flight while dQ's part is stored.
            dk = mma(slope, s[0], dk);
            storeSums(dq);
            if (stage)
              slopeRing->release(*stage);
            if (isLast)
              return;
            row = select(row == end, first, row);
          }
          Stage next = nextRows(row);
          x = scoresOf(kv, next);
          rowRing.release(s);
          s = next;
        }
      };
      for (Index turn : range(turnsOf(t) - 1))
        take(false);
      take(true);
      rowRing.release(s);
      keyRing.release(kv);
      storeKeys(t, DV, dv);
      storeKeys(t, DK, dk * scale);
    });
  });
}

static void refuse(const std::string &sentence, SourceLocation where) {
  throw Error({where.file_name(), where.line(), where.column()},
              "attention_backward: " + sentence);
}

static void check(const AttentionForm &given,
                  const AttentionBackwardConfig &config, SourceLocation where) {
  constexpr int64_t wgmmaDepth = target::wgmmaDepthBytes / 2; // of 16 bits
  if (const std::string why = notDifferentiable(given); !why.empty())
    refuse(why, where);
  const AttentionForm form = formOfTiles(given, config);
  if (const std::string why =
          notCountable({{config.bm, "number of rows of a block (bm)"},
                        {config.bn, "number of keys (bn)"},
                        {config.stages, "number of stages"},
                        {config.warpgroups, "number of warpgroups"}});
      !why.empty())
    refuse(why, where);
  if (config.bm % wgmmaDepth || config.bm > target::wgmmaMostColumns)
    refuse("a block of " + std::to_string(config.bm) +
               " rows (bm) is the columns of one product and the depth of "
               "another: use a multiple of " +
               std::to_string(wgmmaDepth) + " up to " +
               std::to_string(target::wgmmaMostColumns),
           where);
  if (const int64_t unit =
          target::wgmmaRows * (config.apart ? 1 : config.warpgroups);
      config.bn % unit)
    refuse("a tile of " + std::to_string(config.bn) +
               " keys (bn) does not divide into " +
               std::to_string(target::wgmmaRows) +
               " for each warpgroup that multiplies them: use a multiple of " +
               std::to_string(unit),
           where);
  // As many as a thread may have.
  if (const int64_t sums = config.bn * (form.d + form.dv) / config.warpgroups /
                           target::warpgroupThreads;
      !config.apart && sums >= target::mostBudget)
    refuse(
        "a thread would keep " + std::to_string(sums) +
            " sums of dK and dV: use warpgroups that are apart, with bn = 64",
        where);
  if (config.dynamic && config.deterministic)
    refuse("the order in which parts of dQ are added follows from fixed shares "
           "of the blocks: use either deterministic or dynamic",
           where);
  if (config.cluster != 1 && config.cluster != 2)
    refuse("a cluster of 1 CTA or of 2 multiplies dQ, not of " +
               std::to_string(config.cluster) + ": use 1 or 2",
           where);
  if (config.cluster == 2 && !(config.apart && config.warpgroups == 3 &&
                               given.d % 128 == 0 && !config.dynamic))
    refuse("two CTAs share dQ's columns by halves of whole products, 64 of "
           "them, which a warpgroup of its own multiplies in an order that "
           "both have: use three warpgroups that are apart, a head dimension "
           "that is a multiple of 128, and not dynamic",
           where);
  if (config.stages < 2)
    refuse("rows of Q and dO are kept while the next ones are on their way: "
           "use stages = 2 at least",
           where);
  if (!config.apart)
    return;
  if (form.d % 64 && config.bm % 64)
    refuse("a warpgroup of its own multiplies dQ by 64 of its rows or of its "
           "columns, and neither " +
               std::to_string(config.bm) + " rows of a block (bm) nor " +
               std::to_string(given.d) + " columns are a multiple: use bm = 64",
           where);
  if (form.packed)
    refuse("warpgroups that are apart clear nothing behind a sequence: use a "
           "form that is not packed, or a configuration that is not apart",
           where);
  if (config.warpgroups != 2 && config.warpgroups != 3)
    refuse("one warpgroup is to keep dV and one dK, not " +
               std::to_string(config.warpgroups) +
               " of them: use 2, or 3 of which one multiplies dQ",
           where);
}

Kernel attention_backward(const AttentionForm &form,
                          const AttentionBackwardConfig &config,
                          SourceLocation where) {
  auto define = [&] {
    check(form, config, where);
    AttentionBackwardProgram(form, config, where).define();
  };
  return kernel("attention_backward", define, where);
}

} // namespace ashlar
