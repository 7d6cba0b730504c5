#include "kernels/AttentionProgram.h"

#include "ashlar/error.h"

#include <limits>
#include <numbers>
#include <string>
#include <vector>

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
      AttentionTile t{split, b, h, m, firstRow, rows, firstKey, keys};
      if (config.splits)
        when(split < partsOf(t), [&] { body(t); });
      else
        body(t);
    };
    if (isPaired()) {
      Index count = ceil_div(rows, queries);
      for (Index half : range(min(count - 2 * i, 2)))
        at(i + (1 - half) * (count - 1 - 2 * i));
    } else if (form.packed) {
      when(i * queries < rows, [&] { at(i); });
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
                                const Index &n,
                                const std::optional<Stage> &pages,
                                SharedTile to, int64_t width) const {
  const Index g = isGrouped() ? t.h : t.h / (*H / Hk);
  if (pages) {
    const int64_t together = config.bn / pagesOfBlock(form, config);
    const Index first =
        pagesOfBlock(form, config) > 1 ? Index(0) : n * config.bn % *form.page;
    std::vector<Index> page;
    for (int64_t i = 0; i < pagesOfBlock(form, config); ++i)
      page.push_back(load_index((*pages)[0], {i}));
    for (int64_t i = 0; i < pagesOfBlock(form, config); ++i)
      copy(from.at({page[i], g, first, 0}),
           slice(to, {i * together, 0}, {together, width}));
  } else if (form.packed) {
    copy(from.at({g, t.firstKey + n * config.bn, 0}), to);
  } else {
    copy(from.tile({t.b, g, n, 0}), to);
  }
}

void AttentionProgram::defineLoad() {
  role("load", warps(1), registers(copyRegisters(form, config)), [&] {
    forEachTile([&](const AttentionTile &t) {
      auto fetch = [&](const Tensor &from, const Index &n,
                       const std::optional<Stage> &pages, int64_t width) {
        Stage s = ring.acquire();
        copyKeys(from, t, n, pages, part(s[0], width), width);
        ring.commit(s);
      };
      auto nextPages = [&] {
        return numbers ? std::optional(numbers->wait()) : std::nullopt;
      };
      Stage s = query.acquire();
      copy(queriesOf(t), grouped(s[0], form.d));
      query.commit(s);
      std::optional<Stage> before = nextPages();
      fetch(K, firstBlock(t), before, form.d);
      for (Index n : range(firstBlock(t) + 1, endOfBlocks(t))) {
        std::optional<Stage> pages = nextPages();
        fetch(K, n, pages, form.d);
        fetch(V, n - 1, before, form.dv);
        if (numbers) {
          numbers->release(*before);
          *before = *pages;
        }
      }
      fetch(V, endOfBlocks(t) - 1, before, form.dv);
      if (numbers)
        numbers->release(*before);
    });
  });
}

// Reads the pages' numbers ahead, so that no copy waits for them.
void AttentionProgram::defineLookUp() {
  role("look up", warps(1), registers(copyRegisters(form, config)), [&] {
    forEachTile([&](const AttentionTile &t) {
      for (Index n : range(firstBlock(t), endOfBlocks(t))) {
        Stage s = numbers->acquire();
        const Index first = pagesOfBlock(form, config) > 1
                                ? n * pagesOfBlock(form, config)
                                : n * config.bn / *form.page;
        store(s[0],
              load(table->at({t.b, first}), {numbersOfBlock(form, config)}));
        numbers->commit(s);
      }
    });
  });
}

void AttentionProgram::defineStore() {
  role("store", warps(1), registers(copyRegisters(form, config)), [&] {
    forEachTile([&](const AttentionTile &t) {
      auto copyOut = [&] {
        for (int64_t column = 0; column < form.dv;
             column += resultColumns(form)) {
          Stage s = result->wait();
          copy(grouped(s[0], resultColumns(form)), resultOf(t, column));
          result->release(s);
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
    for (int64_t column = 0; column < form.dv; column += resultColumns(form)) {
      Stage s = result->acquire();
      store(s[0], slice(o, {0, column}, {config.bm, resultColumns(form)}));
      result->commit(s);
    }
  };
  if (!form.packed)
    return byTma();
  when(isWhole(t), byTma, [&] { scatterRows(t, rows({config.bm, 1}), o); });
}

void AttentionProgram::storeLogarithms(const AttentionTile &t,
                                       const Fragment &l) {
  if (form.packed || isGrouped())
    scatterLogarithms(t, columns({config.bm}), l);
  else
    store(L->tile({t.b, t.h, t.m}), l);
}

Fragment AttentionProgram::queryOf(const AttentionTile &t,
                                   const Fragment &row) const {
  Fragment query = row / form.group + t.m * queries;
  return select(query < t.rows, query + t.firstRow, -1);
}

void AttentionProgram::scatterRows(const AttentionTile &t, const Fragment &row,
                                   const Fragment &o) {
  const Fragment query = queryOf(t, row), column = columns({1, form.dv});
  if (!isGrouped())
    return form.packed ? scatter(O, {t.h, query, column}, o)
                       : scatter(O, {t.b, t.h, query, column}, o);
  const Fragment head = row % form.group;
  if (form.packed)
    scatter(O, {t.h, query, head, column}, o);
  else
    scatter(O, {t.b, t.h, query, head, column}, o);
}

void AttentionProgram::scatterLogarithms(const AttentionTile &t,
                                         const Fragment &row,
                                         const Fragment &l) {
  const Fragment query = queryOf(t, row);
  if (!isGrouped())
    return form.packed ? scatter(*L, {t.h, query}, l)
                       : scatter(*L, {t.b, t.h, query}, l);
  const Fragment head = row % form.group;
  if (form.packed)
    scatter(*L, {t.h, head, query}, l);
  else
    scatter(*L, {t.b, t.h, head, query}, l);
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

Fragment AttentionProgram::ofRows(const Tensor &heads, const AttentionTile &t,
                                  const Shape &shape) const {
  if (!isGrouped())
    return full(f32, shape, load_scalar(heads.at({t.h})));
  const Fragment row = shape.rank() == 1 ? columns(shape) : rows(shape);
  return gather(heads, {t.h, min(row % form.group, *G - 1)});
}

Fragment
AttentionProgram::scoresOf(const Fragment &product, const ScorePlace &place,
                           const std::optional<Fragment> &slope) const {
  if (!changesScores())
    return product;
  Fragment score = product * scale;
  if (cap)
    score = fast::tanh(score * (1 / *cap)) * *cap;
  if (slope)
    score -= convert(abs(place.query - place.key), f32) * *slope;
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

/// In a role whose registers suffice to tell.
void AttentionProgram::expectHeads() const {
  if (isGrouped())
    expect(*G <= form.group, "G, the heads that share keys, is no more than "
                             "the rows that each query has in a tile");
  else
    expect(*H % Hk == 0, "H, the heads of Q, is a multiple of Hk, those of K");
}

void AttentionProgram::defineMath() {
  const Shape vector{config.bm};
  role("math", warpgroups(config.warpgroups),
       registers(mathRegisters(form, config)), [&] {
         expectHeads();
         forEachTile([&](const AttentionTile &t) {
           // What makes an exponent of 2 of a score.
           Scalar unit = changesScores() ? convert(log2e, f32) : scale * log2e;
           Fragment o = zeros(f32, {config.bm, form.dv});
           Fragment top = full(f32, vector, -infinity),
                    sum = zeros(f32, vector);
           auto addSink = [&] {
             top = ofRows(*sinks, t, vector) * log2e;
             sum = full(f32, vector, 1);
           };
           if (sinks && config.splits)
             when(t.split == 0, addSink);
           else if (sinks)
             addSink();
           Fragment shrink = zeros(f32, vector);
           auto placeOfBlock = [&](const Index &n) {
             const Fragment row = rows({config.bm, 1});
             return ScorePlace{t.b,
                               isGrouped() ? row % form.group + t.h * *G
                                           : full(s32, {config.bm, 1}, t.h),
                               row / form.group + placeOf(t, t.m * queries),
                               columns({1, config.bn}) + n * config.bn};
           };
           std::optional<Fragment> slope;
           if (slopes)
             slope.emplace(ofRows(*slopes, t, {config.bm, 1}));
           // A block's weights: the online softmax.
           auto weightsOf = [&](const Fragment &product, const Index &n,
                                bool isLast) {
             Fragment x = product;
             const ScorePlace place = placeOfBlock(n);
             auto hide = [&] {
               x = select(isSeen(t, place, n * config.bn), x, -infinity);
             };
             x = scoresOf(x, place, slope);
             const bool isWindow = form.after || form.before;
             if (form.mask || (isLast && isWindow))
               hide();
             else if (isLast || isWindow)
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
             // In flight under the next softmax: the next block's scores, and
             // this one's sums.
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
           if (config.splits)
             return finishPart(t, o, top + log2(sum));
           storeRows(t, convert(o, form.type));
           if (L)
             storeLogarithms(t, (top + log2(sum)) * ln2);
         });
       });
}

Kernel attention(const AttentionForm &form, const AttentionConfig &config,
                 SourceLocation where) {
  if (const std::string why = notBuildable(form, config); !why.empty())
    throw Error({where.file_name(), where.line(), where.column()},
                "attention: " + why);
  return kernel(
      "attention", [&] { AttentionProgram(form, config).define(); }, where);
}

} // namespace ashlar
