#include "ashlar/attention.h"

#include "ashlar/ashlar.h"

#include <algorithm>
#include <limits>
#include <numbers>

namespace ashlar {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float log2e = std::numbers::log2e_v<float>;
constexpr float ln2 = std::numbers::ln2_v<float>;

/// A tile of rows of Q: its coordinates, and the sequence that it is of. Rows
/// and keys are counted from the first of the sequence.
struct Tile {
  Index split, b, h, m;
  Index firstRow, rows; ///< of the sequence, in Q
  Index firstKey, keys; ///< the same in K
};

/// The kernel while it is defined: what its roles have in common.
class AttentionProgram {
public:
  AttentionProgram(const AttentionForm &form, const AttentionConfig &config)
      : form(form), config(config) {
    if (form.packed)
      qStarts.emplace(input("QStarts", s32, {*Starts}, align(4)));
    if (packedKeys)
      kStarts.emplace(input("KStarts", s32, {*Starts}, align(4)));
    if (form.page) {
      lengths.emplace(input("Lengths", s32, {B}, align(4)));
      table.emplace(input("Table", s32, {B, *Pages}, align(4)));
    }
    if (form.alibi)
      slopes.emplace(input("Slope", f32, {H}, align(4)));
    if (form.sinks)
      sinks.emplace(input("Sink", f32, {H}, align(4)));
    if (form.logarithms || isSplit())
      L.emplace(logarithms());
  }

  void define() {
    defineLoad();
    defineStore();
    defineMath();
  }

private:
  void defineLoad();
  void defineStore();
  void defineMath();

  /// Without a window of keys tiles of later rows have more of them: a pair of
  /// one of many and one of few is as much work as any other pair.
  bool isPaired() const { return form.after && !form.before; }
  void forEachTile(const std::function<void(const Tile &)> &body) const;

  // By their numbers, the keys of a tile's rows, and blocks of them.
  Index placeOf(const Tile &t, Index row) const {
    return row + t.keys - t.rows;
  }
  Index endOfKeys(const Tile &t, Index row) const {
    return form.after ? max(min(t.keys, placeOf(t, row) + *form.after + 1), 0)
                      : t.keys;
  }
  Index firstKey(const Tile &t, Index row) const {
    return form.before ? max(placeOf(t, row) - *form.before, 0) : Index(0);
  }
  Index firstBlock(const Tile &t) const {
    return firstOfAll(t) + t.split * blocksOfSplit(t);
  }
  /// There is one at least, be it one of which nothing is seen.
  Index endOfBlocks(const Tile &t) const {
    if (!isSplit())
      return endOfAll(t);
    Index first = firstBlock(t);
    return max(min(first + blocksOfSplit(t), endOfAll(t)), first + 1);
  }
  Index firstOfAll(const Tile &t) const {
    return min(firstKey(t, t.m * config.bm), max(t.keys - 1, 0)) / config.bn;
  }
  Index endOfAll(const Tile &t) const {
    return max(ceil_div(endOfKeys(t, (t.m + 1) * config.bm - 1), config.bn),
               firstOfAll(t) + 1);
  }
  Index blocksOfSplit(const Tile &t) const {
    return isSplit() ? ceil_div(endOfAll(t) - firstOfAll(t), config.splits)
                     : Index(0);
  }
  bool isSplit() const { return config.splits > 1; }
  /// Whether some row of the tile does not see all keys of a block.
  Condition isCut(const Tile &t, Index n) const {
    Condition cut = (n + 1) * config.bn > endOfKeys(t, t.m * config.bm);
    if (form.before)
      cut = cut || n * config.bn < firstKey(t, (t.m + 1) * config.bm - 1);
    return cut;
  }

  /// A row of Q, or of what is written, from a column on.
  TileRef rowOfQ(const Tile &t, Index row) const {
    return form.packed ? Q.at({t.h, t.firstRow + row, 0})
                       : Q.at({t.b, t.h, row, 0});
  }
  TileRef rowOfO(const Tile &t, Index row, int64_t column) const {
    if (form.packed)
      return isSplit() ? O.at({t.split, t.h, t.firstRow + row, column})
                       : O.at({t.h, t.firstRow + row, column});
    return isSplit() ? O.at({t.split, t.b, t.h, row, column})
                     : O.at({t.b, t.h, row, column});
  }
  /// The keys of block n, or what belongs to them in V.
  void copyKeys(const Tensor &from, const Tile &t, Index n, SharedTile to,
                int64_t width) const;

  /// As many columns of O leave at a time.
  int64_t resultColumns() const {
    return isSplit() ? 32 : form.dv > 128 ? 64 : form.dv;
  }
  ElementType resultType() const { return isSplit() ? f32 : form.type; }
  /// Whether all rows of a tile are the sequence's: what is behind it is
  /// another one's.
  Condition isWhole(const Tile &t) const {
    return (t.m + 1) * config.bm <= t.rows;
  }
  /// K and V take turns in a ring of tiles as wide as the wider.
  SharedTile part(const SharedTile &stage, int64_t width) const {
    return width == std::max(form.d, form.dv)
               ? stage
               : stage.as(form.type, {config.bn, width}, 0);
  }

  /// The scores of a block; where nothing changes them, without the scale.
  Fragment scoresOf(const Fragment &product, const ScorePlace &place) const;
  /// Where a key of a block, of which the first is given, is one that its query
  /// sees.
  Mask isSeen(const Tile &t, const ScorePlace &place, Index first) const;
  bool changesScores() const {
    return form.soft_cap || form.alibi || form.modify;
  }
  /// What V has behind the last key counts for nothing, be it NaN.
  void clearBehind(const Tile &t, Index n, const SharedTile &values) const;
  void storeRows(const Tile &t, const Fragment &o);
  void storeLogarithms(const Tile &t, const Fragment &l);

  const AttentionForm &form;
  const AttentionConfig &config;
  const bool packedKeys = form.packed && !form.page;
  /// Registers of the roles that copy: places in tables take some.
  const int64_t copyBudget = form.page ? 40 : 24;

  Size B = size("B"), H = size("H"), Hk = size("Hk"), Sq = size("Sq");
  std::optional<Size> Sk = sizeIf("Sk", !form.packed && !form.page),
                      Tq = sizeIf("Tq", form.packed),
                      Starts = sizeIf("Starts", form.packed),
                      Tk = sizeIf("Tk", packedKeys),
                      P = sizeIf("P", form.page.has_value()),
                      Pages = sizeIf("Pages", form.page.has_value());
  Tensor Q = form.packed ? input("Q", form.type, {H, *Tq, form.d})
                         : input("Q", form.type, {B, H, Sq, form.d});
  Tensor K = keysAs("K", form.d), V = keysAs("V", form.dv);
  std::optional<Tensor> qStarts, kStarts, lengths, table, slopes, sinks;
  Tensor O = written(isSplit() ? "Parts" : "O", resultType(), form.dv);
  std::optional<Tensor> L;
  Scalar scale = scalar("scale", f32);
  std::optional<Scalar> cap =
      form.soft_cap ? std::optional(scalar("cap", f32)) : std::nullopt;

  const int64_t rowsOfTile = isPaired() ? 2 * config.bm : config.bm;
  std::optional<TileLoop<3>> tiles =
      isSplit() ? std::nullopt
                : std::optional(persistent({B, H, Sq}, {1, 1, rowsOfTile},
                                           Raster::grouped(8)));
  std::optional<TileLoop<4>> splitTiles =
      isSplit()
          ? std::optional(persistent({Index(config.splits), B, H, Sq},
                                     {1, 1, 1, rowsOfTile}, Raster::grouped(8)))
          : std::nullopt;
  Pipeline query = pipeline(1, smem(form.type, {config.bm, form.d}));
  Pipeline ring = pipeline(
      config.stages, smem(form.type, {config.bn, std::max(form.d, form.dv)}));
  Pipeline result = pipeline(resultColumns() < form.dv ? 2 : 1,
                             smem(resultType(), {config.bm, resultColumns()}));

  static std::optional<Size> sizeIf(std::string_view name, bool isThere) {
    return isThere ? std::optional(size(name)) : std::nullopt;
  }
  Tensor written(std::string_view name, ElementType type, int64_t width) const {
    const Index splits = config.splits;
    if (form.packed)
      return isSplit() ? output(name, type, {splits, H, *Tq, width})
                       : output(name, type, {H, *Tq, width});
    return isSplit() ? output(name, type, {splits, B, H, Sq, width})
                     : output(name, type, {B, H, Sq, width});
  }
  Tensor logarithms() const {
    const Index splits = config.splits;
    if (form.packed)
      return isSplit() ? output("PartL", f32, {splits, H, *Tq}, align(4))
                       : output("L", f32, {H, *Tq}, align(4));
    return isSplit() ? output("PartL", f32, {splits, B, H, Sq}, align(4))
                     : output("L", f32, {B, H, Sq}, align(4));
  }
  Tensor keysAs(std::string_view name, int64_t width) const {
    if (form.page)
      return input(name, form.type, {*P, Hk, *form.page, width});
    return form.packed ? input(name, form.type, {Hk, *Tk, width})
                       : input(name, form.type, {B, Hk, *Sk, width});
  }
};

void AttentionProgram::forEachTile(
    const std::function<void(const Tile &)> &body) const {
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

void AttentionProgram::copyKeys(const Tensor &from, const Tile &t, Index n,
                                SharedTile to, int64_t width) const {
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
    forEachTile([&](const Tile &t) {
      auto fetch = [&](const Tensor &from, Index n, int64_t width) {
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
    forEachTile([&](const Tile &t) {
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

void AttentionProgram::storeRows(const Tile &t, const Fragment &o) {
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

void AttentionProgram::storeLogarithms(const Tile &t, const Fragment &l) {
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

void AttentionProgram::clearBehind(const Tile &t, Index n,
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

Mask AttentionProgram::isSeen(const Tile &t, const ScorePlace &place,
                              Index first) const {
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
    forEachTile([&](const Tile &t) {
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
      auto placeOfBlock = [&](Index n) {
        return ScorePlace{t.b, t.h,
                          rows({config.bm, 1}) + placeOf(t, t.m * config.bm),
                          columns({1, config.bn}) + n * config.bn};
      };
      // A block's weights: the online softmax.
      auto weightsOf = [&](const Fragment &product, Index n, bool isLast) {
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
        Stage k = ring.wait();
        if (config.eager)
          o = o * along_rows(shrink);
        Fragment p = convert(weights, form.type);
        Stage v = ring.wait();
        // In flight under the next softmax: the next block's scores, and this
        // one's sums.
        product = mma(q[0], part(k[0], form.d).T());
        if (!config.eager)
          o = o * along_rows(shrink);
        o = mma(p, part(v[0], form.dv), o);
        ring.release(values);
        ring.release(k);
        values = v;
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

} // namespace

Kernel attention(const AttentionForm &form, const AttentionConfig &config,
                 SourceLocation where) {
  return kernel(
      "attention", [&] { AttentionProgram(form, config).define(); }, where);
}

Kernel combine_attention(const AttentionForm &form, SourceLocation where) {
  return kernel(
      "combine_attention",
      [&] {
        constexpr int64_t height = 16;
        const Shape rows{height}, shape{height, form.dv};
        Size S = size("S"), R = size("R");
        Tensor parts = input("Parts", f32, {S, R, form.dv});
        Tensor partL = input("PartL", f32, {S, R}, align(4));
        Tensor O = output("O", form.type, {R, form.dv});
        std::optional<Tensor> L;
        if (form.logarithms)
          L.emplace(output("L", f32, {R}, align(4)));
        TileLoop tiles = persistent({R}, {height});
        role("combine", warps(4), [&] {
          for (auto [i] : tiles) {
            Fragment top = full(f32, rows, -infinity), sum = zeros(f32, rows);
            for (Index s : range(S))
              top = max(top, load(partL.tile({s, i}), rows));
            Fragment base = select(top == -infinity, 0, top);
            Fragment o = zeros(f32, shape);
            for (Index s : range(S)) {
              Fragment weight = exp(load(partL.tile({s, i}), rows) - base);
              sum += weight;
              o += load(parts.tile({s, i, 0}), shape) * along_rows(weight);
            }
            o = o * along_rows(select(sum == 0, 0, 1 / sum));
            store(O.tile({i, 0}), convert(o, form.type));
            if (L)
              store(L->tile({i}), top + log(sum));
          }
        });
      },
      where);
}

} // namespace ashlar
