// The attention kernel while it is defined: its tensors and pipelines, and
// where the keys of a tile are.
#pragma once

#include "ashlar/ashlar.h"
#include "ashlar/attention.h"
#include "kernels/AttentionResources.h"
#include "kernels/DynamicTiles.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace ashlar {

/// A tile of rows of Q: its coordinates, and the sequence that it is of. Rows
/// and keys are counted from the first of the sequence.
struct AttentionTile {
  Index split, b, h, m;
  Index part; ///< of the rows of a query, where they are of several tiles
  Index firstRow, rows; ///< of the sequence, in Q
  Index firstKey, keys; ///< the same in K
  Index firstValue;     ///< in V
};

/// The online softmax of a tile's rows: the highest exponent of 2 so far (of
/// scores that an author's function changes, the highest score), the sum of the
/// weights, and what the sums before are multiplied by.
struct AttentionRows {
  Fragment top, sum, shrink;
};

/// The kernel while it is defined: what its roles have in common.
class AttentionProgram {
public:
  AttentionProgram(const AttentionForm &given, const AttentionConfig &config,
                   SourceLocation where)
      : given(given), form(formOfTiles(given)), config(config), where(where) {
    if (config.apart)
      declareRings();
    if (form.packed)
      qStarts.emplace(input("QStarts", s32, {*Starts}, align(4), where));
    if (packedKeys)
      kStarts.emplace(input("KStarts", s32, {*Starts}, align(4), where));
    if (packedKeys && isOf8Bits(form))
      vStarts.emplace(input("VStarts", s32, {B}, align(4), where));
    if (form.page) {
      lengths.emplace(input("Lengths", s32, {B}, align(4), where));
      table.emplace(input("Table", s32, {B, *Pages}, align(4), where));
      numbers.emplace(
          pipeline(stagesOfNumbers, smem(s32, {numbersOfBlock(form, config)})));
    }
    if (form.alibi)
      slopes.emplace(ofHeads("Slope"));
    if (form.sinks)
      sinks.emplace(ofHeads("Sink"));
    if (form.logarithms)
      L.emplace(logarithms());
    if (config.splits)
      declareParts();
    else if (!config.apart && !replacesQuery(form, config))
      result.emplace(
          pipeline(resultStages(form),
                   smem(resultType(form), {config.bm, resultColumns(form)})));
    declareTiles();
    if (config.dynamic)
      dynamic.emplace(*tiles, where);
    if (config.ctas > 1)
      ctas_per_sm(config.ctas);
  }

  void define() {
    programmatic_launch();
    expectSizes();
    if (form.declare)
      form.declare();
    defineLoad();
    if (form.page)
      defineLookUp();
    if (result)
      defineStore();
    if (config.apart) {
      defineScores();
      defineValues();
    } else {
      defineMath();
    }
  }

private:
  void defineLoad();
  void defineLookUp();
  void defineStore();
  void defineMath();
  /// The roles of warpgroups that are apart.
  void defineScores();
  void defineValues();
  /// Of each launch; and where that is checked, of the scale and of the
  /// sequence of a tile.
  void expectSizes() const;
  void expectValues(const AttentionTile &t) const;

  bool isGrouped() const { return form.group > 1; }
  /// The head of K of a tile, and the first of the heads that share it.
  Index keyHead(const AttentionTile &t) const {
    return isGrouped() ? t.h : t.h / (*H / Hk);
  }
  Index firstHead(const AttentionTile &t) const { return t.part * config.bm; }
  /// Whether the rows of one query are of several tiles.
  bool isCutGroup() const { return form.group > config.bm; }
  /// Of each row, among those that share keys.
  Fragment headOf(const AttentionTile &t, const Fragment &row) const {
    return isCutGroup() ? row + firstHead(t) : row % form.group;
  }
  /// Without a window of keys tiles of later rows have more of them: a pair of
  /// one of many and one of few is as much work as any other pair. Parts of
  /// tiles are small enough as they are.
  bool isPaired() const {
    return form.after && !form.before && !config.splits && !config.dynamic;
  }
  using TileBody = std::function<void(const AttentionTile &)>;
  /// Of the role that loads, which hands tiles to the others where they are
  /// dynamic (`DynamicTiles::handOut`).
  void takeTiles(const std::function<void(const AttentionTile &,
                                          const TakeNext &)> &body) const;
  /// Of all others.
  void forEachTile(const TileBody &body) const;
  void takeTile(const Index &split, const Index &b, const Index &h,
                const Index &i, const Index &part, const TileBody &body) const;

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
    if (!config.splits)
      return endOfAll(t);
    Index first = firstBlock(t);
    return max(min(first + blocksOfSplit(t), endOfAll(t)), first + 1);
  }
  Index firstOfAll(const AttentionTile &t) const {
    return min(firstKey(t, t.m * queries), max(t.keys - 1, 0)) / config.bn;
  }
  Index endOfAll(const AttentionTile &t) const {
    return max(ceil_div(endOfKeys(t, (t.m + 1) * queries - 1), config.bn),
               firstOfAll(t) + 1);
  }
  Index blocksOfSplit(const AttentionTile &t) const {
    return config.splits ? ceil_div(endOfAll(t) - firstOfAll(t), *Splits)
                         : Index(0);
  }
  /// How many parts of a tile have a block.
  Index partsOf(const AttentionTile &t) const {
    return ceil_div(endOfAll(t) - firstOfAll(t), blocksOfSplit(t));
  }
  /// Whether some row of the tile does not see all keys of a block.
  Condition isCut(const AttentionTile &t, const Index &n) const {
    Condition cut = (n + 1) * config.bn > endOfKeys(t, t.m * queries);
    if (form.before)
      cut = cut || n * config.bn < firstKey(t, (t.m + 1) * queries - 1);
    return cut;
  }

  /// Q of a tile, and O from a column on, as they lie in shared memory.
  TileRef queriesOf(const AttentionTile &t) const {
    const Index row = t.m * queries;
    if (form.packed)
      return isGrouped() ? Q.at({keyHead(t), t.firstRow + row, firstHead(t), 0})
                         : Q.at({t.h, t.firstRow + row, 0});
    return isGrouped() ? Q.at({t.b, keyHead(t), row, firstHead(t), 0})
                       : Q.at({t.b, t.h, row, 0});
  }
  TileRef resultOf(const AttentionTile &t, int64_t column) const {
    const Index row = t.m * queries;
    if (form.packed)
      return isGrouped()
                 ? O.at({keyHead(t), t.firstRow + row, firstHead(t), column})
                 : O.at({t.h, t.firstRow + row, column});
    return isGrouped() ? O.at({t.b, keyHead(t), row, firstHead(t), column})
                       : O.at({t.b, t.h, row, column});
  }
  SharedTile grouped(const SharedTile &tile, ElementType type,
                     int64_t width) const {
    return isGrouped()
               ? tile.as(type, {queries, headsOfTile(form, config), width})
               : tile;
  }
  /// What belongs to the head of each row, of slopes or sinks.
  Fragment ofRows(const Tensor &heads, const AttentionTile &t,
                  const Shape &shape) const;
  /// The keys of block n, or what belongs to them in V, from a column on.
  void copyKeys(const Tensor &from, const AttentionTile &t, const Index &n,
                const std::optional<Stage> &pages, SharedTile to, int64_t width,
                int64_t column = 0) const;
  /// Those of a block that lie in one stage, or in one of each ring.
  void copyBlock(const AttentionTile &t, const Index &n,
                 const std::optional<Stage> &pages);
  void copyTransposed(const Tensor &from, const AttentionTile &t,
                      const Index &n, const std::optional<Stage> &pages,
                      SharedTile to) const;

  /// Whether all rows of a tile are the sequence's: what is behind it is
  /// another one's.
  Condition isWhole(const AttentionTile &t) const {
    return (t.m + 1) * queries <= t.rows;
  }
  // K and V take turns in a ring of tiles as wide as the wider.
  SharedTile part(const SharedTile &stage, int64_t width) const {
    return width == std::max(form.d, form.dv)
               ? stage
               : stage.as(form.type, {config.bn, width}, 0);
  }
  /// Of 8 bits so that the weights lie as the product with V reads them.
  SharedTile keysOf(const SharedTile &stage) const {
    const SharedTile keys = part(stage, form.d);
    return hasEvenKeysFirst(form, config) ? keys.even_rows_first() : keys;
  }
  /// As they lie: of 8 bits dv×bn.
  SharedTile valuesOf(const SharedTile &stage) const {
    if (form.latent)
      return slice(stage, {0, 0}, {config.bn, form.dv});
    return isOf8Bits(form) ? stage.as(form.type, {form.dv, config.bn}, 0)
                           : part(stage, form.dv);
  }
  /// Those of some sums, as they are multiplied: bn×columns.
  SharedTile factorOf(const SharedTile &stage, int64_t column) const {
    return isOf8Bits(form) ? slice(valuesOf(stage), {column, 0},
                                   {sumColumns(form), config.bn})
                                 .T()
                           : valuesOf(stage);
  }

  AttentionRows beginRows(const AttentionTile &t) const;
  ScorePlace placeOfBlock(const AttentionTile &t, const Index &n) const;
  std::optional<Fragment> slopeOf(const AttentionTile &t) const;
  /// What makes an exponent of 2 of a score.
  Scalar unitOfScores() const;
  /// A block's weights, which are then to be added to the rows. `whenKnown` is
  /// called before the exponentials, where it is known by what the sums shrink.
  Fragment weightsOf(
      const AttentionTile &t, const Fragment &product, const Index &n,
      bool isLast, const Scalar &unit, const std::optional<Fragment> &slope,
      AttentionRows &row,
      const std::function<void(const Fragment &shrink)> &whenKnown = {}) const;
  static void addWeights(AttentionRows &row, const Fragment &weights);
  /// Of 2, of the sum of all weights.
  Fragment logarithmOf(const AttentionRows &row) const;
  /// What the sums are multiplied by in the end.
  Fragment factorOfRows(const AttentionRows &row) const;
  /// The scores of a block; where nothing changes them, without the scale.
  Fragment scoresOf(const Fragment &product, const ScorePlace &place,
                    const std::optional<Fragment> &slope) const;
  /// Where a key of a block, of which the first is given, is one that its query
  /// sees.
  Mask isSeen(const AttentionTile &t, const ScorePlace &place,
              const Index &first) const;
  /// The exponent of 2 at which a weight is 1, of that of a row's highest
  /// score: small weights of 8 bits would be lost if it were the same.
  Fragment lowered(const Fragment &top) const;
  /// A difference of exponents of 2 as one of scores, as they are compared.
  float inScores(float powersOfTwo) const;
  /// Sums by the factors of their rows.
  Fragment shrunk(const Fragment &sums, const Fragment &shrink) const;
  bool changesScores() const {
    return form.soft_cap || form.alibi || form.modify;
  }
  /// What V has behind the last key counts for nothing, be it NaN.
  void clearBehind(const AttentionTile &t, const Index &n,
                   const SharedTile &values) const;
  /// bm×dv in parts of `sumColumns` columns.
  using Sums = std::vector<Fragment>;
  /// By way of where Q of the tile lay, if they have no stages.
  void storeRows(const AttentionTile &t, const Sums &o, const Stage &q);
  void storeLogarithms(const AttentionTile &t, const Fragment &l);
  /// The query of each row of a tile, -1 where there is none, and its head.
  Fragment queryOf(const AttentionTile &t, const Fragment &row) const;
  /// Columns of O from this one on.
  void scatterRows(const AttentionTile &t, const Fragment &row, int64_t column,
                   const Fragment &o);
  void scatterLogarithms(const AttentionTile &t, const Fragment &row,
                         const Fragment &l);

  /// How many parts of a tile come before this one: by their numbers where all
  /// run at once, else as they have asked. Of columns from one on, that of the
  /// second half where roles are apart.
  Index ticketOf(const AttentionTile &t, int64_t column = 0) const;
  /// Posts a part, its logarithms those of 2; the last ones by their tickets
  /// take all and add them up: a part asks for one behind the last time that it
  /// waits for what may itself wait for an adder.
  void finishPart(const AttentionTile &t, const Sums &o, const Fragment &l,
                  const Index &ticket, int64_t column = 0);
  /// Whether no CTA has two parts, so that all of them run together.
  Condition areAllAtOnce() const;
  /// Of all parts as many rows as are on their way together.
  void addRows(const AttentionTile &t, const Index &tile, const Index &count,
               const Index &piece, const LoadsOfParts &loads, int64_t column);
  /// The number of a tile, whatever part.
  Index numberOf(const AttentionTile &t, int64_t column) const {
    Index tile = (t.b * tileHeads() + t.h) * ceil_div(Sq, queries) + t.m;
    if (isCutGroup())
      tile = tile * parts + t.part;
    return config.apart ? 2 * tile + (column ? 1 : 0) : tile;
  }

  // Of roles that are apart.
  void storeHalf(const AttentionTile &t, const Fragment &o, int64_t column);
  /// What is stored of O, or of a part, of the columns that a role keeps.
  void finishHalf(const AttentionTile &t, const Fragment &o,
                  const std::optional<Fragment> &l, int64_t column);
  /// What a stage of the second ring has of V.
  SharedTile rightValues(const Stage &right) const {
    return slice(right[0], {0, 0}, {config.bn, half});
  }
  /// Columns of Q that meet K of the first ring, or of the second.
  SharedTile queryPart(const Stage &q, int64_t column, int64_t width) const {
    return slice(q[0], {0, column}, {config.bm, width});
  }

  const AttentionForm &given; ///< of the tensors
  const AttentionForm form;   ///< of the tiles
  const AttentionConfig &config;
  const SourceLocation where; ///< of whom a launch is refused
  const bool packedKeys = form.packed && !form.page;
  const int64_t queries = config.bm / headsOfTile(form, config); ///< of a tile
  const int64_t parts = tilesOfGroup(form, config); ///< of a query's rows
  const int64_t half = keptColumns(form, config);   ///< where roles are apart

  Size B = size("B");
  std::optional<Size> H = sizeIf("H", !isGrouped()),
                      G = sizeIf("G", isGrouped());
  Size Hk = size("Hk"), Sq = size("Sq");
  std::optional<Size> Sk = sizeIf("Sk", !form.packed && !form.page),
                      Tq = sizeIf("Tq", form.packed),
                      Starts = sizeIf("Starts", form.packed),
                      Tk = sizeIf("Tk", packedKeys),
                      Tv = sizeIf("Tv", isOf8Bits(form) && packedKeys),
                      P = sizeIf("P", form.page.has_value()),
                      Pages = sizeIf("Pages", form.page.has_value()),
                      Splits = sizeIf("Splits", config.splits),
                      Tiles = sizeIf("Tiles", config.splits),
                      Rows = sizeIf("Rows", config.splits);
  Tensor Q = rowsAs(input, "Q", form.type, given.d);
  Tensor K = keysAs("K", given.d);
  std::optional<Tensor> V = form.latent ? std::nullopt
                            : isOf8Bits(form)
                                ? std::optional(transposedAs("V"))
                                : std::optional(keysAs("V", given.dv));
  std::optional<Tensor> qStarts, kStarts, vStarts, lengths, table, slopes,
      sinks;
  Tensor O = rowsAs(output, "O", resultType(form), given.dv);
  std::optional<Tensor> L, sumsOfParts, partL, done;
  Scalar scale = scalar("scale", f32, where);
  std::optional<Scalar> cap =
      form.soft_cap ? std::optional(scalar("cap", f32, where)) : std::nullopt;
  std::optional<Scalar> valueScale =
      isOf8Bits(form) ? std::optional(scalar("value_scale", f32, where))
                      : std::nullopt;

  const int64_t queriesAtOnce = isPaired() ? 2 * queries : queries;
  std::optional<TileLoop<3>> tiles;
  std::optional<TileLoop<4>> splitTiles, partTiles;
  std::optional<TileLoop<5>> splitPartTiles;
  Pipeline query =
      pipeline(config.queries, smem(form.type, {config.bm, form.d}));
  /// K and V in turn; where roles are apart the first half of V's columns, and
  /// of K, if V is in it.
  Pipeline ring = pipeline(
      config.stages,
      smem(form.type,
           {config.bn, config.apart ? half : std::max(form.d, form.dv)}));
  /// The rest of them; K, if V is not in it; and what the role that has the
  /// scores tells the other one.
  std::optional<Pipeline> rightRing, keyRing, weightRing, factorRing;
  std::optional<Pipeline> result;  ///< of kernels that do not split
  std::optional<Pipeline> numbers; ///< of the pages of a block
  std::optional<DynamicTiles> dynamic;

  static std::optional<Size> sizeIf(std::string_view name, bool isThere) {
    return isThere ? std::optional(size(name)) : std::nullopt;
  }
  /// Heads that tiles are of: of Q, or where they are rows of one tile of K.
  Index tileHeads() const { return isGrouped() ? Index(Hk) : Index(*H); }
  /// Those of one query, which read the same keys, one after another.
  void declareTiles() {
    if (config.cluster > 1 && config.splits)
      cluster({1, 1, 1, 1, config.cluster});
    else if (config.cluster > 1)
      cluster({1, 1, 1, config.cluster});
    const Raster together = Raster::along_n(),
                 raster = config.apart ? together : Raster::grouped(8);
    if (config.splits && isCutGroup())
      splitPartTiles.emplace(
          persistent({*Splits, B, Hk, Sq, parts}, {1, 1, 1, 1, 1}, together));
    else if (config.splits)
      splitTiles.emplace(persistent({*Splits, B, tileHeads(), Sq},
                                    {1, 1, 1, queriesAtOnce}, raster));
    else if (isCutGroup())
      partTiles.emplace(
          persistent({B, Hk, Sq, parts}, {1, 1, queriesAtOnce, 1}, together));
    else
      tiles.emplace(
          persistent({B, tileHeads(), Sq}, {1, 1, queriesAtOnce}, raster));
  }
  Tensor rowsAs(Tensor (*declare)(std::string_view, ElementType,
                                  std::initializer_list<Index>, Alignment,
                                  SourceLocation),
                std::string_view name, ElementType type, int64_t width) const {
    auto of = [&](std::initializer_list<Index> extents) {
      return declare(name, type, extents, align(16), where);
    };
    if (form.packed)
      return isGrouped() ? of({Hk, *Tq, *G, width}) : of({*H, *Tq, width});
    return isGrouped() ? of({B, Hk, Sq, *G, width}) : of({B, *H, Sq, width});
  }
  Tensor ofHeads(std::string_view name) const {
    return isGrouped() ? input(name, f32, {Hk, *G}, align(4), where)
                       : input(name, f32, {*H}, align(4), where);
  }
  Tensor logarithms() const {
    if (form.packed)
      return isGrouped() ? output("L", f32, {Hk, *G, *Tq}, align(4), where)
                         : output("L", f32, {*H, *Tq}, align(4), where);
    return isGrouped() ? output("L", f32, {B, Hk, *G, Sq}, align(4), where)
                       : output("L", f32, {B, *H, Sq}, align(4), where);
  }
  void declareParts() {
    sumsOfParts.emplace(
        inout("Parts", f32, {*Splits, *Tiles, *Rows, half}, align(16), where));
    partL.emplace(
        inout("PartL", f32, {*Splits, *Tiles, *Rows}, align(4), where));
    done.emplace(inout("Done", s32, {*Tiles}, align(4), where));
  }
  void declareRings() {
    rightRing.emplace(pipeline(
        config.stages,
        smem(form.type, {config.bn, form.latent ? form.d - half : half})));
    if (!form.latent)
      keyRing.emplace(
          pipeline(config.stages, smem(form.type, {config.bn, form.d})));
    weightRing.emplace(pipeline(1, smem(form.type, {config.bm, config.bn})));
    factorRing.emplace(pipeline(stagesOfFactors, smem(f32, {config.bm})));
  }
  Tensor keysAs(std::string_view name, int64_t width) const {
    if (form.page)
      return input(name, form.type, {*P, Hk, *form.page, width}, align(16),
                   where);
    return form.packed
               ? input(name, form.type, {Hk, *Tk, width}, align(16), where)
               : input(name, form.type, {B, Hk, *Sk, width}, align(16), where);
  }
  Tensor transposedAs(std::string_view name) const {
    if (form.page)
      return input(name, form.type, {*P, Hk, given.dv, *form.page}, align(16),
                   where);
    return form.packed
               ? input(name, form.type, {Hk, given.dv, *Tv}, align(16), where)
               : input(name, form.type, {B, Hk, given.dv, *Sk}, align(16),
                       where);
  }
};

} // namespace ashlar
