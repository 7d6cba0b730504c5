// The attention kernel while it is defined: its tensors and pipelines, and
// where the keys of a tile are.
#pragma once

#include "ashlar/ashlar.h"
#include "ashlar/attention.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace ashlar {

/// A tile of rows of Q: its coordinates, and the sequence that it is of. Rows
/// and keys are counted from the first of the sequence.
struct AttentionTile {
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
    if (form.declare)
      form.declare();
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
  void
  forEachTile(const std::function<void(const AttentionTile &)> &body) const;

  // By their numbers, the keys of a tile's rows, and blocks of them.
  Index placeOf(const AttentionTile &t, const Index &row) const {
    return row + t.keys - t.rows;
  }
  Index endOfKeys(const AttentionTile &t, const Index &row) const {
    return form.after ? max(min(t.keys, placeOf(t, row) + *form.after + 1), 0)
                      : t.keys;
  }
  Index firstKey(const AttentionTile &t, const Index &row) const {
    return form.before ? max(placeOf(t, row) - *form.before, 0) : Index(0);
  }
  Index firstBlock(const AttentionTile &t) const {
    return firstOfAll(t) + t.split * blocksOfSplit(t);
  }
  /// There is one at least, be it one of which nothing is seen.
  Index endOfBlocks(const AttentionTile &t) const {
    if (!isSplit())
      return endOfAll(t);
    Index first = firstBlock(t);
    return max(min(first + blocksOfSplit(t), endOfAll(t)), first + 1);
  }
  Index firstOfAll(const AttentionTile &t) const {
    return min(firstKey(t, t.m * config.bm), max(t.keys - 1, 0)) / config.bn;
  }
  Index endOfAll(const AttentionTile &t) const {
    return max(ceil_div(endOfKeys(t, (t.m + 1) * config.bm - 1), config.bn),
               firstOfAll(t) + 1);
  }
  Index blocksOfSplit(const AttentionTile &t) const {
    return isSplit() ? ceil_div(endOfAll(t) - firstOfAll(t), config.splits)
                     : Index(0);
  }
  bool isSplit() const { return config.splits > 1; }
  /// Whether some row of the tile does not see all keys of a block.
  Condition isCut(const AttentionTile &t, const Index &n) const {
    Condition cut = (n + 1) * config.bn > endOfKeys(t, t.m * config.bm);
    if (form.before)
      cut = cut || n * config.bn < firstKey(t, (t.m + 1) * config.bm - 1);
    return cut;
  }

  /// A row of Q, or of what is written, from a column on.
  TileRef rowOfQ(const AttentionTile &t, const Index &row) const {
    return form.packed ? Q.at({t.h, t.firstRow + row, 0})
                       : Q.at({t.b, t.h, row, 0});
  }
  TileRef rowOfO(const AttentionTile &t, const Index &row,
                 int64_t column) const {
    if (form.packed)
      return isSplit() ? O.at({t.split, t.h, t.firstRow + row, column})
                       : O.at({t.h, t.firstRow + row, column});
    return isSplit() ? O.at({t.split, t.b, t.h, row, column})
                     : O.at({t.b, t.h, row, column});
  }
  /// The keys of block n, or what belongs to them in V.
  void copyKeys(const Tensor &from, const AttentionTile &t, const Index &n,
                SharedTile to, int64_t width) const;

  /// As many columns of O leave at a time.
  int64_t resultColumns() const {
    return isSplit() ? 32 : form.dv > 128 ? 64 : form.dv;
  }
  ElementType resultType() const { return isSplit() ? f32 : form.type; }
  /// Whether all rows of a tile are the sequence's: what is behind it is
  /// another one's.
  Condition isWhole(const AttentionTile &t) const {
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
  Mask isSeen(const AttentionTile &t, const ScorePlace &place,
              const Index &first) const;
  bool changesScores() const {
    return form.soft_cap || form.alibi || form.modify;
  }
  /// What V has behind the last key counts for nothing, be it NaN.
  void clearBehind(const AttentionTile &t, const Index &n,
                   const SharedTile &values) const;
  void storeRows(const AttentionTile &t, const Fragment &o);
  void storeLogarithms(const AttentionTile &t, const Fragment &l);

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

} // namespace ashlar
