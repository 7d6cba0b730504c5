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

/// The kernel while it is defined: what its roles have in common.
class AttentionProgram {
public:
  AttentionProgram(const AttentionForm &form, const AttentionConfig &config)
      : form(form), config(config) {}

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
  /// `body` for each tile, by its coordinates.
  void
  forEachTile(const std::function<void(Index b, Index h, Index m)> &body) const;

  // By their numbers, the keys of a tile's rows, and blocks of them.
  Index placeOf(Index row) const { return row + Sk - Sq; }
  Index endOfKeys(Index row) const {
    return form.after ? max(min(Sk, placeOf(row) + *form.after + 1), 0)
                      : Index(Sk);
  }
  Index firstKey(Index row) const {
    return form.before ? max(placeOf(row) - *form.before, 0) : Index(0);
  }
  Index firstBlock(Index m) const {
    return min(firstKey(m * config.bm), max(Sk - 1, 0)) / config.bn;
  }
  Index endOfBlocks(Index m) const {
    return max(ceil_div(endOfKeys((m + 1) * config.bm - 1), config.bn),
               firstBlock(m) + 1);
  }
  /// Whether some row of the tile does not see all keys of a block.
  Condition isCut(Index m, Index n) const {
    Condition cut = (n + 1) * config.bn > endOfKeys(m * config.bm);
    if (form.before)
      cut = cut || n * config.bn < firstKey((m + 1) * config.bm - 1);
    return cut;
  }

  /// As many columns of O leave at a time.
  int64_t resultColumns() const { return form.dv > 128 ? 64 : form.dv; }
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
  Mask isSeen(const ScorePlace &place, Index first) const;
  bool changesScores() const {
    return form.soft_cap || form.alibi || form.modify;
  }

  const AttentionForm &form;
  const AttentionConfig &config;

  Size B = size("B"), H = size("H"), Hk = size("Hk");
  Size Sq = size("Sq"), Sk = size("Sk");
  Tensor Q = input("Q", form.type, {B, H, Sq, form.d});
  Tensor K = input("K", form.type, {B, Hk, Sk, form.d});
  Tensor V = input("V", form.type, {B, Hk, Sk, form.dv});
  std::optional<Tensor> slopes = perHead("Slope", form.alibi);
  std::optional<Tensor> sinks = perHead("Sink", form.sinks);
  Tensor O = output("O", form.type, {B, H, Sq, form.dv});
  std::optional<Tensor> L =
      form.logarithms ? std::optional(output("L", f32, {B, H, Sq}, align(4)))
                      : std::nullopt;
  Scalar scale = scalar("scale", f32);
  std::optional<Scalar> cap =
      form.soft_cap ? std::optional(scalar("cap", f32)) : std::nullopt;

  std::optional<Tensor> perHead(std::string_view name, bool isThere) {
    return isThere ? std::optional(input(name, f32, {H}, align(4)))
                   : std::nullopt;
  }

  TileLoop<3> tiles =
      persistent({B, H, Sq}, {1, 1, isPaired() ? 2 * config.bm : config.bm},
                 Raster::grouped(8));
  Pipeline query = pipeline(1, smem(form.type, {config.bm, form.d}));
  Pipeline ring = pipeline(
      config.stages, smem(form.type, {config.bn, std::max(form.d, form.dv)}));
  Pipeline result = pipeline(form.dv > 128 ? 2 : 1,
                             smem(form.type, {config.bm, resultColumns()}));
};

void AttentionProgram::forEachTile(
    const std::function<void(Index, Index, Index)> &body) const {
  for (auto [b, h, i] : tiles) {
    if (!isPaired()) {
      body(b, h, i);
      continue;
    }
    Index count = ceil_div(Sq, config.bm);
    for (Index half : range(min(count - 2 * i, 2)))
      body(b, h, i + (1 - half) * (count - 1 - 2 * i));
  }
}

void AttentionProgram::defineLoad() {
  role("load", warps(1), registers(24), [&] {
    forEachTile([&](Index b, Index h, Index m) {
      auto fetch = [&](const Tensor &from, Index n, int64_t width) {
        Stage s = ring.acquire();
        copy(from.tile({b, h / (H / Hk), n, 0}), part(s[0], width));
        ring.commit(s);
      };
      Stage s = query.acquire();
      copy(Q.tile({b, h, m, 0}), s[0]);
      query.commit(s);
      fetch(K, firstBlock(m), form.d);
      for (Index n : range(firstBlock(m) + 1, endOfBlocks(m))) {
        fetch(K, n, form.d);
        fetch(V, n - 1, form.dv);
      }
      fetch(V, endOfBlocks(m) - 1, form.dv);
    });
  });
}

void AttentionProgram::defineStore() {
  role("store", warps(1), registers(24), [&] {
    forEachTile([&](Index b, Index h, Index m) {
      for (int64_t column = 0; column < form.dv; column += resultColumns()) {
        Stage s = result.wait();
        copy(s[0], O.at({b, h, m * config.bm, column}));
        result.release(s);
      }
    });
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

Mask AttentionProgram::isSeen(const ScorePlace &place, Index first) const {
  const Fragment key = columns({config.bm, config.bn}); // behind the first
  Fragment end = full(s32, {config.bm, 1}, Index(Sk));
  if (form.after)
    end = min(place.query + (*form.after + 1), end);
  Mask seen = key < end - first;
  if (form.before)
    seen = seen && key >= place.query - *form.before - first;
  return form.mask ? seen && form.mask(place) : seen;
}

void AttentionProgram::defineMath() {
  const Shape rows{config.bm}, block{config.bm, config.bn};
  const int64_t budget = config.warpgroups > 2 ? 160 : 240;
  role("math", warpgroups(config.warpgroups), registers(budget), [&] {
    forEachTile([&](Index b, Index h, Index m) {
      // What makes an exponent of 2 of a score.
      Scalar unit = changesScores() ? convert(log2e, f32) : scale * log2e;
      Fragment o = zeros(f32, {config.bm, form.dv});
      Fragment top = full(f32, rows, -infinity), sum = zeros(f32, rows);
      if (sinks) {
        top = full(f32, rows, load_scalar(sinks->at({h})) * log2e);
        sum = full(f32, rows, 1);
      }
      Fragment shrink = zeros(f32, rows);
      auto placeOfBlock = [&](Index n) {
        return ScorePlace{b, h,
                          ashlar::rows({config.bm, 1}) + placeOf(m * config.bm),
                          columns({1, config.bn}) + n * config.bn};
      };
      // A block's weights: the online softmax.
      auto weightsOf = [&](const Fragment &product, Index n, bool isLast) {
        Fragment x = product;
        const ScorePlace place = placeOfBlock(n);
        auto hide = [&] {
          x = select(isSeen(place, n * config.bn), x, -infinity);
        };
        x = scoresOf(x, place);
        if (isLast || form.mask)
          hide();
        else if (form.after || form.before)
          when(isCut(m, n), hide);
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
      Index last = endOfBlocks(m) - 1;
      for (Index n : range(firstBlock(m), last)) {
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
      o = mma(p, part(v[0], form.dv), o * along_rows(shrink));
      ring.release(values);
      ring.release(v);
      o = o * along_rows(select(sum == 0, 0, 1 / sum));
      Fragment rounded = convert(o, form.type);
      for (int64_t column = 0; column < form.dv; column += resultColumns()) {
        Stage s = result.acquire();
        store(s[0], slice(rounded, {0, column}, {config.bm, resultColumns()}));
        result.commit(s);
      }
      if (L)
        store(L->tile({b, h, m}), (top + log2(sum)) * ln2);
    });
  });
}

} // namespace

Kernel attention(const AttentionForm &form, const AttentionConfig &config,
                 SourceLocation where) {
  return kernel(
      "attention", [&] { AttentionProgram(form, config).define(); }, where);
}

} // namespace ashlar
