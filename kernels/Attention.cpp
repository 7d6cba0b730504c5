#include "kernels/AttentionProgram.h"

#include "ashlar/error.h"

#include <limits>
#include <numbers>
#include <string>

namespace ashlar {

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr float log2e = std::numbers::log2e_v<float>;
static constexpr float ln2 = std::numbers::ln2_v<float>;

void AttentionProgram::forEachTile(
    const std::function<void(const AttentionTile &)> &body) const {
  auto sequence = [](const std::optional<Tensor> &starts, const Index &b,
                     const Index &all) -> std::pair<Index, Index> {
    if (!starts)
      return {0, all};
    Index first = load_index(starts->at({b}));
    return {first, load_index(starts->at({b + 1})) - first};
  };
  auto each = [&](const Index &split, const Index &b, const Index &h,
                  const Index &i) {
    auto [firstRow, rows] = sequence(qStarts, b, Sq);
    auto [firstKey, keys] = sequence(kStarts, b,
                                     Sk        ? Index(*Sk)
                                     : lengths ? load_index(lengths->at({b}))
                                               : Index(0));
    auto at = [&](const Index &m) {
      body({split, b, h, m, firstRow, rows, firstKey, keys});
    };
    if (isPaired()) {
      Index count = ceil_div(rows, config.bm);
      for (Index half : range(min(count - 2 * i, 2)))
        at(i + (1 - half) * (count - 1 - 2 * i));
    } else if (form.packed) {
      when(i * config.bm < rows, [&] { at(i); });
    } else {
      at(i);
    }
  };
  if (tiles)
    for (auto [b, h, i] : *tiles)
      each(0, b, h, i);
  else
    for (auto [split, b, h, i] : *splitTiles)
      each(split, b, h, i);
}

void AttentionProgram::copyKeys(const Tensor &from, const AttentionTile &t,
                                const Index &n, SharedTile to,
                                int64_t width) const {
  const Index g = t.h / (H / Hk);
  if (form.page) {
    const int64_t together = std::min(*form.page, config.bn);
    for (Index i : range(config.bn / together)) {
      Index key = n * config.bn + i * together;
      Index page =
          load_index(table->at({t.b, min(key / *form.page, *Pages - 1)}));
      copy(from.at({page, g, key % *form.page, 0}),
           slice(to, {i * together, 0}, {together, width}));
    }
  } else if (form.packed) {
    copy(from.at({g, t.firstKey + n * config.bn, 0}), to);
  } else {
    copy(from.tile({t.b, g, n, 0}), to);
  }
}

void AttentionProgram::defineLoad() {
  role("load", warps(1), registers(copyBudget), [&] {
    forEachTile([&](const AttentionTile &t) {
      auto fetch = [&](const Tensor &from, const Index &n, int64_t width) {
        Stage s = ring.acquire();
        copyKeys(from, t, n, part(s[0], width), width);
        ring.commit(s);
      };
      Stage s = query.acquire();
      copy(rowOfQ(t, t.m * config.bm), s[0]);
      query.commit(s);
      fetch(K, firstBlock(t), form.d);
      for (Index n : range(firstBlock(t) + 1, endOfBlocks(t))) {
        fetch(K, n, form.d);
        fetch(V, n - 1, form.dv);
      }
      fetch(V, endOfBlocks(t) - 1, form.dv);
    });
  });
}

void AttentionProgram::defineStore() {
  role("store", warps(1), registers(copyBudget), [&] {
    forEachTile([&](const AttentionTile &t) {
      auto copyOut = [&] {
        for (int64_t column = 0; column < form.dv; column += resultColumns()) {
          Stage s = result.wait();
          copy(s[0], rowOfO(t, t.m * config.bm, column));
          result.release(s);
        }
      };
      if (form.packed)
        when(isWhole(t), copyOut);
      else
        copyOut();
    });
  });
}

void AttentionProgram::storeRows(const AttentionTile &t, const Fragment &o) {
  auto byTma = [&] {
    for (int64_t column = 0; column < form.dv; column += resultColumns()) {
      Stage s = result.acquire();
      store(s[0], slice(o, {0, column}, {config.bm, resultColumns()}));
      result.commit(s);
    }
  };
  if (!form.packed)
    return byTma();
  when(isWhole(t), byTma, [&] {
    const Shape shape{config.bm, form.dv};
    Fragment row = rows(shape) + t.m * config.bm;
    row = select(row < t.rows, row + t.firstRow, -1);
    if (isSplit())
      scatter(O, {t.split, t.h, row, columns(shape)}, o);
    else
      scatter(O, {t.h, row, columns(shape)}, o);
  });
}

void AttentionProgram::storeLogarithms(const AttentionTile &t,
                                       const Fragment &l) {
  if (!form.packed)
    return store(isSplit() ? L->tile({t.split, t.b, t.h, t.m})
                           : L->tile({t.b, t.h, t.m}),
                 l);
  Fragment row = columns({config.bm}) + t.m * config.bm;
  row = select(row < t.rows, row + t.firstRow, -1);
  if (isSplit())
    scatter(*L, {t.split, t.h, row}, l);
  else
    scatter(*L, {t.h, row}, l);
}

void AttentionProgram::clearBehind(const AttentionTile &t, const Index &n,
                                   const SharedTile &values) const {
  if (!form.packed && !form.page)
    return; // zeros are behind the tensor
  const Shape shape{config.bn, form.dv};
  when((n + 1) * config.bn > t.keys, [&] {
    store(values,
          select(rows(shape) < t.keys - n * config.bn, load(values), 0));
  });
}

Fragment AttentionProgram::scoresOf(const Fragment &product,
                                    const ScorePlace &place) const {
  if (!changesScores())
    return product;
  Fragment score = product * scale;
  if (cap)
    score = fast::tanh(score * (1 / *cap)) * *cap;
  if (slopes)
    score -= convert(abs(place.query - place.key), f32) *
             load_scalar(slopes->at({place.head}));
  return form.modify ? form.modify(score, place) : score;
}

Mask AttentionProgram::isSeen(const AttentionTile &t, const ScorePlace &place,
                              const Index &first) const {
  const Fragment key = columns({config.bm, config.bn}); // behind the first
  Fragment end = full(s32, {config.bm, 1}, t.keys);
  if (form.after)
    end = min(place.query + (*form.after + 1), end);
  Mask seen = key < end - first;
  if (form.before)
    seen = seen && key >= place.query - *form.before - first;
  return form.mask ? seen && form.mask(place) : seen;
}

void AttentionProgram::defineMath() {
  const Shape vector{config.bm};
  const int64_t budget =
      (config.warpgroups > 2 ? 160 : 240) - (form.page ? 8 : 0);
  role("math", warpgroups(config.warpgroups), registers(budget), [&] {
    expect(H % Hk == 0, "H, the heads of Q, is a multiple of Hk, those of K");
    forEachTile([&](const AttentionTile &t) {
      // What makes an exponent of 2 of a score.
      Scalar unit = changesScores() ? convert(log2e, f32) : scale * log2e;
      Fragment o = zeros(f32, {config.bm, form.dv});
      Fragment top = full(f32, vector, -infinity), sum = zeros(f32, vector);
      auto addSink = [&] {
        top = full(f32, vector, load_scalar(sinks->at({t.h})) * log2e);
        sum = full(f32, vector, 1);
      };
      if (sinks && isSplit())
        when(t.split == 0, addSink);
      else if (sinks)
        addSink();
      Fragment shrink = zeros(f32, vector);
      auto placeOfBlock = [&](const Index &n) {
        return ScorePlace{t.b, t.h,
                          rows({config.bm, 1}) + placeOf(t, t.m * config.bm),
                          columns({1, config.bn}) + n * config.bn};
      };
      // A block's weights: the online softmax.
      auto weightsOf = [&](const Fragment &product, const Index &n,
                           bool isLast) {
        Fragment x = product;
        const ScorePlace place = placeOfBlock(n);
        auto hide = [&] {
          x = select(isSeen(t, place, n * config.bn), x, -infinity);
        };
        x = scoresOf(x, place);
        if (isLast || form.mask)
          hide();
        else if (form.after || form.before)
          when(isCut(t, n), hide);
        Fragment higher = max(top, row_max(x) * unit), base = higher;
        // Where there may have been no key yet.
        if (isLast || form.after || form.before || form.mask)
          base = select(higher == -infinity, 0, higher);
        shrink = fast::exp2(top - base);
        Fragment weights = fast::exp2(x * unit - along_rows(base));
        sum = sum * shrink + row_sum(weights);
        top = higher;
        return weights;
      };
      Stage q = query.wait(), values = ring.wait();
      Fragment product = mma(q[0], part(values[0], form.d).T());
      Index last = endOfBlocks(t) - 1;
      for (Index n : range(firstBlock(t), last)) {
        Fragment weights = weightsOf(product, n, false);
        std::optional<Stage> k, v;
        if (config.eager)
          o = o * along_rows(shrink);
        else
          k = ring.wait();
        Fragment p = convert(weights, form.type);
        (config.eager ? k : v) = ring.wait();
        // In flight under the next softmax: the next block's scores, and this
        // one's sums.
        product = mma(q[0], part((*k)[0], form.d).T());
        if (config.eager)
          v = ring.wait();
        else
          o = o * along_rows(shrink);
        if (config.eager)
          ring.release(values);
        o = mma(p, part((*v)[0], form.dv), o);
        if (!config.eager)
          ring.release(values);
        ring.release(*k);
        values = *v;
      }
      query.release(q);
      Fragment p = convert(weightsOf(product, last, true), form.type);
      Stage v = ring.wait();
      clearBehind(t, last, part(v[0], form.dv));
      o = mma(p, part(v[0], form.dv), o * along_rows(shrink));
      ring.release(values);
      ring.release(v);
      o = o * along_rows(select(sum == 0, 0, 1 / sum));
      storeRows(t, convert(o, resultType()));
      if (L)
        storeLogarithms(t, (top + log2(sum)) * ln2);
    });
  });
}

static void refuse(const std::string &sentence, SourceLocation where) {
  throw Error({where.file_name(), where.line(), where.column()},
              "attention: " + sentence);
}

static void check(const AttentionForm &form, const AttentionConfig &config,
                  SourceLocation where) {
  if (form.type != bf16 && form.type != f16)
    refuse("there is no product of " + std::string(name(form.type)) +
               " here: use bf16 or f16",
           where);
  if (config.splits < 1)
    refuse("the keys are shared out in " + std::to_string(config.splits) +
               " parts: use 1 or more",
           where);
  if (!form.page)
    return;
  const int64_t page = *form.page, bn = config.bn;
  if (page < 8 || page % 8 || (page % bn && bn % page))
    refuse(
        "pages of " + std::to_string(page) + " keys and blocks of " +
            std::to_string(bn) + " do not meet: use pages of a multiple of " +
            std::to_string(bn) + ", or of a part of it that is a multiple of 8",
        where);
}

Kernel attention(const AttentionForm &form, const AttentionConfig &config,
                 SourceLocation where) {
  check(form, config, where);
  return kernel(
      "attention", [&] { AttentionProgram(form, config).define(); }, where);
}

} // namespace ashlar
