#include "kernels/AttentionProgram.h"
#include "kernels/Sequences.h"

#include "ashlar/error.h"

#include <numbers>
#include <string>
#include <vector>

namespace ashlar {

static constexpr float ln2 = std::numbers::ln2_v<float>;

void AttentionProgram::copyKeys(const Tensor &from, const AttentionTile &t,
                                const Index &n,
                                const std::optional<Stage> &pages,
                                SharedTile to, int64_t width,
                                int64_t column) const {
  const Index g = keyHead(t);
  auto move = [&](const TileRef &source, const SharedTile &target) {
    if (config.cluster > 1)
      copy(source, target, multicast);
    else
      copy(source, target);
  };
  if (pages) {
    const int64_t together = config.bn / pagesOfBlock(form, config);
    const Index first =
        pagesOfBlock(form, config) > 1 ? Index(0) : n * config.bn % *form.page;
    std::vector<Index> page;
    for (int64_t i = 0; i < pagesOfBlock(form, config); ++i)
      page.push_back(load_index((*pages)[0], {i}));
    for (int64_t i = 0; i < pagesOfBlock(form, config); ++i)
      move(from.at({page[i], g, first, column}),
           slice(to, {i * together, 0}, {together, width}));
  } else if (form.packed) {
    move(from.at({g, t.firstKey + n * config.bn, column}), to);
  } else {
    move(from.at({t.b, g, n * config.bn, column}), to);
  }
}

void AttentionProgram::copyTransposed(const Tensor &from,
                                      const AttentionTile &t, const Index &n,
                                      const std::optional<Stage> &pages,
                                      SharedTile to) const {
  const Index g = keyHead(t), first = n * config.bn;
  if (pages)
    copy(from.at({load_index((*pages)[0], {0}), g, 0, first % *form.page}), to);
  else if (form.packed)
    copy(from.at({g, 0, t.firstValue + first}), to);
  else
    copy(from.at({t.b, g, 0, first}), to);
}

void AttentionProgram::defineLoad() {
  role("load", warps(1), registers(copyRegisters(form, config)), [&] {
    if (config.early_launch)
      allow_next_launch();
    takeTiles([&](const AttentionTile &t, const TakeNext &takeNext) {
      auto fetchKeys = [&](const Index &n, const std::optional<Stage> &pages) {
        Stage s = ring.acquire();
        copyKeys(K, t, n, pages, keysOf(s[0]), form.d);
        ring.commit(s);
      };
      auto fetchValues = [&](const Index &n,
                             const std::optional<Stage> &pages) {
        Stage s = ring.acquire();
        if (isOf8Bits(form))
          copyTransposed(*V, t, n, pages, valuesOf(s[0]));
        else
          copyKeys(*V, t, n, pages, valuesOf(s[0]), form.dv);
        ring.commit(s);
      };
      auto nextPages = [&] {
        return numbers ? std::optional(numbers->wait()) : std::nullopt;
      };
      Stage s = query.acquire();
      copy(queriesOf(t), grouped(s[0], form.type, form.d));
      query.commit(s);
      if (form.latent || config.apart) {
        for (Index n : range(firstBlock(t), endOfBlocks(t))) {
          const std::optional<Stage> pages = nextPages();
          copyBlock(t, n, pages);
          if (numbers)
            numbers->release(*pages);
        }
        return takeNext();
      }
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
      takeNext();
      fetchValues(endOfBlocks(t) - 1, before);
      if (numbers)
        numbers->release(*before);
    });
  });
}

void AttentionProgram::copyBlock(const AttentionTile &t, const Index &n,
                                 const std::optional<Stage> &pages) {
  auto fetch = [&](Pipeline &to, const Tensor &from, int64_t width,
                   int64_t column) {
    Stage s = to.acquire();
    copyKeys(from, t, n, pages, s[0], width, column);
    to.commit(s);
  };
  if (!config.apart)
    return fetch(ring, K, form.d, 0);
  if (keyRing)
    fetch(*keyRing, K, form.d, 0);
  fetch(ring, V ? *V : K, half, 0);
  fetch(*rightRing, V ? *V : K, V ? half : form.d - half, half);
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
        const Shape shape{numbersOfBlock(form, config)};
        const Fragment page = load(table->at({t.b, first}), shape);
        const Fragment number = columns(shape) + first;
        const Mask isBefore = number < firstKey(t, t.m * queries) / *form.page;
        const Mask isSeen = !isBefore && number < ceil_div(t.keys, *form.page);
        expect(!isSeen || (0 <= page && page < *P),
               "Table, for the keys that are seen, has numbers of pages of K");
        // Others may be anything. What is hidden is multiplied by 0, so zeros
        // come from outside of K and V for pages before a window; of those
        // behind the last key V is cleared.
        store(s[0], select(isBefore, -1, select(isSeen, page, 0)));
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

void AttentionProgram::storeRows(const AttentionTile &t, const Sums &o,
                                 const Stage &q) {
  auto byTma = [&] {
    if (!result) {
      const SharedTile all = q[0].as(resultType(form), {config.bm, form.dv}, 0);
      for (size_t i = 0; i < o.size(); ++i)
        store(slice(all, {0, int64_t(i) * sumColumns(form)}, o[i].shape()),
              o[i]);
      copy(grouped(all, resultType(form), form.dv), resultOf(t, 0));
      return;
    }
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
  const Fragment head = headOf(t, row);
  if (form.packed)
    scatter(O, {keyHead(t), query, head, column}, o);
  else
    scatter(O, {t.b, keyHead(t), query, head, column}, o);
}

void AttentionProgram::scatterLogarithms(const AttentionTile &t,
                                         const Fragment &row,
                                         const Fragment &l) {
  const Fragment query = queryOf(t, row);
  if (!isGrouped())
    return form.packed ? scatter(*L, {t.h, query}, l)
                       : scatter(*L, {t.b, t.h, query}, l);
  const Fragment head = headOf(t, row);
  if (form.packed)
    scatter(*L, {keyHead(t), head, query}, l);
  else
    scatter(*L, {t.b, keyHead(t), head, query}, l);
}

void AttentionProgram::clearBehind(const AttentionTile &t, const Index &n,
                                   const SharedTile &values) const {
  if (!form.packed && !form.page)
    return; // zeros are behind the tensor
  const Index left = t.keys - n * config.bn;
  const int64_t threads = target::warpgroupThreads * warpgroupsOfRole(config);
  when(left < config.bn,
       [&] { ashlar::clearBehind(values, left, threads, isOf8Bits(form)); });
}

void AttentionProgram::expectSizes() const {
  if (isGrouped())
    expect(*G <= form.group,
           "G, the heads that share keys, is no more than " +
               std::to_string(form.group) + ", the form's group",
           where);
  else
    expect(*H % Hk == 0, "H, the heads of Q, is a multiple of Hk, those of K",
           where);
  if (Starts)
    expect(*Starts == B + 1,
           "Starts, what QStarts has, is one more than B, the sequences",
           where);
  if (!config.splits)
    return;
  const Index tilesOfHead = ceil_div(Sq, queries) * parts;
  expect(*Splits > 0, "Splits, the parts of the keys, is at least 1", where);
  expect(*Tiles >= B * tileHeads() * tilesOfHead * (config.apart ? 2 : 1),
         "Tiles, of the workspaces, is no less than what part_sizes says",
         where);
  expect(*Rows >= min(Sq * form.group, config.bm),
         "Rows, of the workspaces, is no less than what part_sizes says",
         where);
}

/// In a role whose registers suffice to tell.
void AttentionProgram::expectValues(const AttentionTile &t) const {
  expect(scale > 0, "scale, of the scores, is positive");
  if (cap)
    expect(*cap > 0, "cap, of the scores, is positive");
  if (form.packed)
    expect(0 <= t.rows && t.rows <= Sq && 0 <= t.firstRow &&
               t.firstRow + t.rows <= *Tq,
           "the rows of a sequence, by QStarts, are 0 to Sq, and lie in Q");
  if (packedKeys)
    expect(0 <= t.keys && 0 <= t.firstKey && t.firstKey + t.keys <= *Tk,
           "the keys of a sequence, by KStarts, lie in K");
  if (vStarts)
    expect(0 <= t.firstValue && t.firstValue + t.keys <= *Tv,
           "the keys of a sequence, by VStarts, lie in V");
  if (form.page)
    expect(
        0 <= t.keys && t.keys <= *Pages * *form.page,
        "the keys of a sequence, Lengths, are 0 or more and have their pages "
        "in Table");
}

void AttentionProgram::defineMath() {
  role("math", warpgroups(config.warpgroups),
       registers(mathRegisters(form, config)), [&] {
         forEachTile([&](const AttentionTile &t) {
           expectValues(t);
           const Scalar unit = unitOfScores();
           Sums o;
           for (int64_t i = 0; i < form.dv; i += sumColumns(form))
             o.push_back(zeros(f32, {config.bm, sumColumns(form)}));
           AttentionRows row = beginRows(t);
           const std::optional<Fragment> slope = slopeOf(t);
           auto weightsOf = [&](const Fragment &product, const Index &n,
                                bool isLast) {
             Fragment weights = AttentionProgram::weightsOf(
                 t, product, n, isLast, unit, slope, row);
             addWeights(row, weights);
             return weights;
           };
           // Sums that seldom shrink do before the next scores: behind them
           // ptxas would hold the weights in f32 as well.
           const bool shrinksEarly = config.eager || rescales(form, config);
           auto shrinkSums = [&] {
             for (Fragment &part : o)
               part = shrunk(part, row.shrink);
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
               const bool isLast = i + 1 == o.size();
               auto multiplyNext = [&] {
                 if (!isLast)
                   next.emplace(productOf(p, v, i + 1));
               };
               if (!config.eager)
                 multiplyNext();
               if (config.eager ? i == 0 : isLast)
                 meanwhile();
               o[i] = o[i] * along_rows(row.shrink) + part;
               if (config.eager)
                 multiplyNext();
             }
           };
           Stage q = query.wait(), held = ring.wait();
           std::optional<Fragment> first;
           auto multiplyFirst = [&] {
             first.emplace(mma(q[0], keysOf(held[0]).T()));
           };
           if (beginsInOrder(form, config))
             in_order(multiplyFirst);
           else
             multiplyFirst();
           Fragment &product = *first;
           // Under the product; by multicast other CTAs are waited for.
           std::optional<Index> ticket;
           if (config.splits && config.cluster == 1)
             ticket = ticketOf(t);
           Index last = endOfBlocks(t) - 1;
           auto takeOf8Bits = [&](const Index &n) {
             Fragment p = convert(weightsOf(product, n, false), form.type);
             ring.release(held);
             Stage v = ring.wait(), k = ring.wait();
             addBlock(p, v, [&] { product = mma(q[0], keysOf(k[0]).T()); });
             ring.release(v);
             held = k;
           };
           // K of a block, which stays until its V in it has been multiplied.
           auto takeLatent = [&](const Index &n) {
             Fragment p = convert(weightsOf(product, n, false), form.type);
             if (shrinksEarly)
               shrinkSums();
             Stage k = ring.wait();
             product = mma(q[0], k[0].T());
             if (!shrinksEarly)
               shrinkSums();
             o[0] = mma(p, valuesOf(held[0]), o[0]);
             ring.release(held);
             held = k;
           };
           auto take = [&](const Index &n) {
             Fragment weights = weightsOf(product, n, false);
             std::optional<Stage> k, v;
             if (config.eager) {
               shrinkSums();
               ring.release(held);
             } else {
               k = ring.wait();
             }
             Fragment p = convert(weights, form.type);
             (config.eager ? k : v) = ring.wait();
             // In flight under the next softmax: the next block's scores, and
             // this one's sums.
             if (shrinksEarly && !config.eager)
               shrinkSums();
             product = mma(q[0], keysOf((*k)[0]).T());
             if (config.eager)
               v = ring.wait();
             else if (!shrinksEarly)
               shrinkSums();
             o[0] = mma(p, factorOf((*v)[0], 0), o[0]);
             if (!config.eager)
               ring.release(held);
             ring.release(*k);
             held = *v;
           };
           for (Index n : range(firstBlock(t), last))
             form.latent       ? takeLatent(n)
             : isOf8Bits(form) ? takeOf8Bits(n)
                               : take(n);
           const bool keepsQuery = replacesQuery(form, config);
           if (!keepsQuery)
             query.release(q);
           Fragment p = convert(weightsOf(product, last, true), form.type);
           std::optional<Stage> v;
           if (!form.latent)
             v = ring.wait();
           const Stage &ofLast = v ? *v : held;
           clearBehind(t, last, valuesOf(ofLast[0]));
           if (isOf8Bits(form)) {
             addBlock(p, ofLast, [] {});
           } else {
             shrinkSums();
             o[0] = mma(p, factorOf(ofLast[0], 0), o[0]);
           }
           ring.release(held);
           if (v)
             ring.release(*v);
           const Fragment factor = factorOfRows(row);
           for (Fragment &part : o)
             part = part * along_rows(factor);
           if (config.splits)
             return finishPart(t, o, logarithmOf(row),
                               ticket ? *ticket : ticketOf(t));
           Sums results;
           for (const Fragment &part : o)
             results.push_back(convert(part, resultType(form)));
           storeRows(t, results, q);
           if (keepsQuery)
             query.release(q);
           if (L)
             storeLogarithms(t, logarithmOf(row) * ln2);
         });
       });
}

Kernel attention(const AttentionForm &form, const AttentionConfig &config,
                 SourceLocation where) {
  auto define = [&] {
    if (const std::string why = notBuildable(form, config); !why.empty())
      throw Error({where.file_name(), where.line(), where.column()},
                  "attention: " + why);
    AttentionProgram(form, config, where).define();
  };
  return kernel("attention", define, where);
}

} // namespace ashlar
