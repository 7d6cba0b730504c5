#include "kernels/AttentionProgram.h"
#include "kernels/Sequences.h"

#include "ashlar/error.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace ashlar {

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr float log2e = std::numbers::log2e_v<float>;
static constexpr float ln2 = std::numbers::ln2_v<float>;

/// Weights of e4m3 are at most 2^8, of the 448 that it has, so that small ones
/// are not lost so soon. Their sum has the factor too.
static constexpr float headroom = 8;

Fragment AttentionProgram::lowered(const Fragment &top) const {
  return isOf8Bits(form) ? top - headroom : top;
}

void AttentionProgram::forEachTile(
    const std::function<void(const AttentionTile &)> &body) const {
  auto each = [&](const Index &split, const Index &b, const Index &h,
                  const Index &i) {
    auto [firstRow, rows] = sequenceOf(qStarts, b, Sq);
    auto [firstKey, keys] = sequenceOf(kStarts, b,
                                       Sk        ? Index(*Sk)
                                       : lengths ? load_index(lengths->at({b}))
                                                 : Index(0));
    // TMA's rows begin at multiples of 16 bytes.
    const Index firstValue =
        vStarts ? multiple_of(load_index(vStarts->at({b})), 16) : firstKey;
    auto at = [&](const Index &m) {
      AttentionTile t{split, b,        h,    m,         firstRow,
                      rows,  firstKey, keys, firstValue};
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

void AttentionProgram::copyTransposed(const Tensor &from,
                                      const AttentionTile &t, const Index &n,
                                      const std::optional<Stage> &pages,
                                      SharedTile to) const {
  const Index g = isGrouped() ? t.h : t.h / (*H / Hk), first = n * config.bn;
  if (pages)
    copy(from.at({load_index((*pages)[0], {0}), g, 0, first % *form.page}), to);
  else if (form.packed)
    copy(from.at({g, 0, t.firstValue + first}), to);
  else
    copy(from.at({t.b, g, 0, first}), to);
}

void AttentionProgram::defineLoad() {
  role("load", warps(1), registers(copyRegisters(form, config)), [&] {
    forEachTile([&](const AttentionTile &t) {
      auto fetchKeys = [&](const Index &n, const std::optional<Stage> &pages) {
        Stage s = ring.acquire();
        copyKeys(K, t, n, pages, keysOf(s[0]), form.d);
        ring.commit(s);
      };
      auto fetchValues = [&](const Index &n,
                             const std::optional<Stage> &pages) {
        Stage s = ring.acquire();
        if (isOf8Bits(form))
          copyTransposed(V, t, n, pages, valuesOf(s[0]));
        else
          copyKeys(V, t, n, pages, valuesOf(s[0]), form.dv);
        ring.commit(s);
      };
      auto nextPages = [&] {
        return numbers ? std::optional(numbers->wait()) : std::nullopt;
      };
      Stage s = query.acquire();
      copy(queriesOf(t), grouped(s[0], form.type, form.d));
      query.commit(s);
      std::optional<Stage> before = nextPages();
      fetchKeys(firstBlock(t), before);
      for (Index n : range(firstBlock(t) + 1, endOfBlocks(t))) {
        std::optional<Stage> pages = nextPages();
        // In the order in which they are multiplied.
        if (isOf8Bits(form))
          fetchValues(n - 1, before);
        fetchKeys(n, pages);
        if (!isOf8Bits(form))
          fetchValues(n - 1, before);
        if (numbers) {
          numbers->release(*before);
          *before = *pages;
        }
      }
      fetchValues(endOfBlocks(t) - 1, before);
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
          copy(grouped(s[0], resultType(form), resultColumns(form)),
               resultOf(t, column));
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

void AttentionProgram::storeRows(const AttentionTile &t, const Sums &o) {
  auto byTma = [&] {
    const int64_t width = resultColumns(form);
    for (const Fragment &part : o)
      for (int64_t column = 0; column < sumColumns(form); column += width) {
        Stage s = result->acquire();
        store(s[0], slice(part, {0, column}, {config.bm, width}));
        result->commit(s);
      }
  };
  if (!form.packed)
    return byTma();
  when(isWhole(t), byTma, [&] {
    for (size_t i = 0; i < o.size(); ++i)
      scatterRows(t, rows({config.bm, 1}), int64_t(i) * sumColumns(form), o[i]);
  });
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
                                   int64_t first, const Fragment &o) {
  const Fragment query = queryOf(t, row),
                 column = columns({1, o.shape()[1]}) + first;
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
  const Shape shape = values.shape();
  when((n + 1) * config.bn > t.keys, [&] {
    const Fragment key = isOf8Bits(form) ? columns(shape) : rows(shape);
    store(values, select(key < t.keys - n * config.bn, load(values), 0));
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
           Sums o;
           for (int64_t i = 0; i < form.dv; i += sumColumns(form))
             o.push_back(zeros(f32, {config.bm, sumColumns(form)}));
           Fragment top = full(f32, vector, -infinity),
                    sum = zeros(f32, vector);
           auto addSink = [&] {
             top = lowered(ofRows(*sinks, t, vector) * log2e);
             sum = full(f32, vector, isOf8Bits(form) ? std::exp2(headroom) : 1);
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
             if (isLast || form.mask)
               hide();
             else if (form.after || form.before)
               when(isCut(t, n), hide);
             Fragment higher = max(top, lowered(row_max(x) * unit)),
                      base = higher;
             // Where there may have been no key yet.
             if (isLast || form.after || form.before || form.mask)
               base = select(higher == -infinity, 0, higher);
             shrink = fast::exp2(top - base);
             Fragment weights = fast::exp2(x * unit - along_rows(base));
             sum = sum * shrink + row_sum(weights);
             top = higher;
             return weights;
           };
           auto shrinkSums = [&] {
             for (Fragment &part : o)
               part = part * along_rows(shrink);
           };
           auto productOf = [&](const Fragment &p, const Stage &v, size_t i) {
             return mma(p, factorOf(v[0], int64_t(i) * sumColumns(form)));
           };
           // Of 8 bits a block's products begin at zero, and the threads add
           // them: the tensor cores keep some 14 bits of a sum.
           auto addBlock = [&](const Fragment &p, const Stage &v,
                               const std::function<void()> &meanwhile) {
             std::optional<Fragment> next = productOf(p, v, 0);
             for (size_t i = 0; i < o.size(); ++i) {
               const Fragment part = *next;
               if (i + 1 < o.size())
                 next.emplace(productOf(p, v, i + 1));
               else
                 meanwhile();
               o[i] = o[i] * along_rows(shrink) + part;
             }
           };
           Stage q = query.wait(), held = ring.wait();
           Fragment product = mma(q[0], keysOf(held[0]).T());
           Index last = endOfBlocks(t) - 1;
           auto takeOf8Bits = [&](const Index &n) {
             Fragment p = convert(weightsOf(product, n, false), form.type);
             Stage v = ring.wait(), k = ring.wait();
             addBlock(p, v, [&] { product = mma(q[0], keysOf(k[0]).T()); });
             ring.release(held);
             ring.release(v);
             held = k;
           };
           auto take = [&](const Index &n) {
             Fragment weights = weightsOf(product, n, false);
             std::optional<Stage> k, v;
             if (config.eager)
               shrinkSums();
             else
               k = ring.wait();
             Fragment p = convert(weights, form.type);
             (config.eager ? k : v) = ring.wait();
             // In flight under the next softmax: the next block's scores, and
             // this one's sums.
             product = mma(q[0], keysOf((*k)[0]).T());
             if (config.eager)
               v = ring.wait();
             else
               shrinkSums();
             if (config.eager)
               ring.release(held);
             o[0] = mma(p, factorOf((*v)[0], 0), o[0]);
             if (!config.eager)
               ring.release(held);
             ring.release(*k);
             held = *v;
           };
           for (Index n : range(firstBlock(t), last))
             isOf8Bits(form) ? takeOf8Bits(n) : take(n);
           query.release(q);
           Fragment p = convert(weightsOf(product, last, true), form.type);
           Stage v = ring.wait();
           clearBehind(t, last, valuesOf(v[0]));
           if (isOf8Bits(form)) {
             addBlock(p, v, [] {});
           } else {
             shrinkSums();
             o[0] = mma(p, factorOf(v[0], 0), o[0]);
           }
           ring.release(held);
           ring.release(v);
           Fragment factor = select(sum == 0, 0, 1 / sum);
           if (valueScale)
             factor = factor * *valueScale;
           for (Fragment &part : o)
             part = part * along_rows(factor);
           if (config.splits)
             return finishPart(t, o, top + log2(sum));
           Sums results;
           for (const Fragment &part : o)
             results.push_back(convert(part, resultType(form)));
           storeRows(t, results);
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
