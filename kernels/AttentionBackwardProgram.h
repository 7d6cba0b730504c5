// The kernel of attention's gradients while it is defined: its tensors and
// pipelines, and where the rows of a block of keys are.
#pragma once

#include "ashlar/ashlar.h"
#include "ashlar/attention.h"
#include "compiler/target/Target.h"
#include "kernels/AttentionResources.h"
#include "kernels/DynamicTiles.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

namespace ashlar {

/// A block of keys: its coordinates, and the sequence that it is of. Rows and
/// keys are counted from the first of the sequence.
struct KeyBlock {
  Index b, g, n;        ///< g: a head of K
  Index first;          ///< of the blocks that its cluster has, of a CTA each
  Index firstRow, rows; ///< of the sequence, in Q
  Index firstKey, keys; ///< the same in K
};

/// The form with heads of as many columns as tiles have. A little less than 128
/// columns of dQ would be multiplied two blocks of rows at a time, and shared
/// memory has no room for their sums: they become 128, which all warpgroups
/// multiply transposed.
inline AttentionForm formOfTiles(const AttentionForm &form,
                                 const AttentionBackwardConfig &config) {
  constexpr int64_t fewest = 96, columns = 128;
  AttentionForm tiles = formOfTiles(form);
  if (!config.apart && tiles.d > fewest && tiles.d < columns)
    tiles.d = columns;
  return tiles;
}

/// The kernel while it is defined: what its roles have in common.
class AttentionBackwardProgram {
public:
  AttentionBackwardProgram(const AttentionForm &given,
                           const AttentionBackwardConfig &config,
                           SourceLocation where)
      : given(given), form(formOfTiles(given, config)), config(config),
        where(where) {
    if (form.packed) {
      qStarts.emplace(input("QStarts", s32, {*Starts}, align(4), where));
      kStarts.emplace(input("KStarts", s32, {*Starts}, align(4), where));
    }
  }

  void define() {
    programmatic_launch();
    expectSizes();
    if (config.deterministic && !ordersRows)
      defineOrder();
    defineLoad();
    if (config.deterministic)
      defineStoreInOrder();
    else
      defineStore();
    if (config.apart) {
      defineValues();
      defineKeys();
      if (hasQueries)
        defineQueries();
      if (isShared)
        defineExchange();
    } else {
      defineMath();
    }
  }

private:
  void defineLoad();
  void defineStore();
  void defineOrder();
  void defineStoreInOrder();
  void defineMath();
  /// Of each launch; and where that is checked, of the scale and of a block's
  /// sequence.
  void expectSizes() const;
  void expectValues(const KeyBlock &t) const;
  /// L and Delta of rows, and where the rows are.
  void loadValues(const KeyBlock &t, const Index &h, const Index &row,
                  const Stage &s) const;
  void loadRowsApart(const KeyBlock &t, const Index &h, const Index &row);
  /// A product of keys with rows of Q or dO, and what it reads while it is
  /// under way.
  struct RowProduct {
    Fragment sum;
    Stage values; ///< L and Delta
    std::vector<Stage> parts;
    /// Assigns the variables of the author's program, which a loop carries.
    void become(const RowProduct &next);
  };
  /// Begins one of the keys with the next rows of a ring. `first`: what is in
  /// its sums before.
  RowProduct nextProduct(
      const SharedTile &keys, Pipeline &ring,
      const std::function<std::optional<Fragment>(const Stage &values)> &first);
  void defineValues();
  void defineKeys();
  void defineQueries();
  void defineExchange();
  /// Parts of dQ, from this column of the keys on, added to others.
  Fragment sumsOf(const SharedTile &keys, const SharedTile &slopes,
                  const Index &column, const Fragment *others = nullptr) const;
  /// Of dQ, in this CTA.
  Index firstColumn() const {
    return isShared ? columnsOfCta * cluster_rank() : Index(0);
  }
  /// Of those that the other CTA has sent.
  SharedTile slopesOf(const SharedTile &others, const Index &number) const {
    return slice(others, {config.bn * number, 0}, {config.bn, rowsOfTurn});
  }
  static Index nextNumber(const Index &number) {
    return select(number == turnsSent - 1, 0, number + 1);
  }
  void storeSums(const Fragment &dq);
  /// All parts of dQ, or those of some rows alone.
  void addSums(const KeyBlock &t, const Index &h, const Index &row,
               const Condition &isThere,
               std::optional<int64_t> own = std::nullopt);
  void copyKeys(const KeyBlock &t, bool isOwn);
  /// Delta is subtracted from the gradients of the weights when these are
  /// needed. Packed sequences and blocks of many rows leave no registers for
  /// that: the product begins with it, as that of the scores does with L, and
  /// waits for its loads.
  bool isDeltaLate() const { return !form.packed && config.bm <= 64; }
  /// What the sums of a product begin with: nothing where Delta is late.
  Fragment startOfScores(const Stage &values) const;
  std::optional<Fragment> startOfGradients(const Stage &values) const;
  Fragment scoresOf(const Stage &kv, const Stage &s) const;
  Fragment weightsOf(const KeyBlock &t, const Index &row,
                     const Fragment &scores) const;
  Fragment gradientOf(const Stage &kv, const Stage &s) const;
  void storeKeys(const KeyBlock &t, const Tensor &to, const Fragment &sums);

  /// Keys of a causal block with few rows behind them and those of one with
  /// many are as much work as any other pair.
  bool isPaired() const {
    return form.after && !form.before && !form.packed && !config.dynamic;
  }
  using BlockBody = std::function<void(const KeyBlock &)>;
  /// Of the role that loads, which hands blocks to the others where they are
  /// dynamic (`DynamicTiles::handOut`).
  void takeBlocks(const std::function<void(const KeyBlock &, const TakeNext &)>
                      &body) const;
  /// Of all others.
  void forEachBlock(const BlockBody &body) const;
  /// `cta`: of the cluster.
  void takeBlock(const Index &b, const Index &g, const Index &i,
                 const Index &cta, const BlockBody &body) const;

  // A row sees the keys from its place among them minus `before` to its place
  // plus `after`.
  Index placeOf(const KeyBlock &t, const Index &row) const {
    return row + t.keys - t.rows;
  }
  /// Turns of a head, by their numbers: those of which some row may see some
  /// key. There is one at least, be it one of which nothing is seen.
  Index firstTurn(const KeyBlock &t) const { return firstTurn(t, t.first); }
  /// Of block n of the same keys.
  Index firstTurn(const KeyBlock &t, const Index &n) const {
    if (!form.after)
      return 0;
    Index row = n * config.bn - *form.after - (t.keys - t.rows);
    return clamp(row, 0, max(t.rows - 1, 0)) / rowsOfTurn;
  }
  Index endOfTurns(const KeyBlock &t) const {
    Index end = t.rows;
    if (form.before)
      end = min(end, min((t.first + config.cluster) * config.bn, t.keys) +
                         *form.before - (t.keys - t.rows));
    return max(ceil_div(end, rowsOfTurn), firstTurn(t) + 1);
  }
  /// Of all heads that share a block of keys, one after another.
  Index turnsOf(const KeyBlock &t) const {
    return H / Hk * (endOfTurns(t) - firstTurn(t));
  }
  /// Walks over the rows that a block of keys meets, so many at a time.
  void forEachRows(
      const KeyBlock &t, int64_t step,
      const std::function<void(const Index &h, const Index &row)> &body) const;
  /// A turn of a block of keys in order: the head of Q and the first row, how
  /// many parts are added to these rows before this one, or less than 0 where
  /// there is none, and whether it is their last part, and the last turn of the
  /// block.
  struct Turn {
    Index head, row, place, marks;
  };
  void forEachOrderedTurn(const KeyBlock &t,
                          const std::function<void(const Turn &)> &body) const;
  /// Hands it to other roles, to whom these are the numbers' places in a stage.
  void tellTurn(const Turn &turn) const;
  static constexpr int64_t head = 0, firstRow = 1, place = 2, marks = 3;
  static constexpr int64_t lastPart = 1, lastTurn = 2; // added up in the marks
  void forEachTurn(const std::function<void(const SharedTile &)> &body) const;
  /// The first row of a stage, which is this one unless an order has said.
  Index rowOf(const Stage &s, const Index &row) const {
    return passesRows ? load_index(s[placeOfRow], {0}) : row;
  }

  /// Whether some row of the one does not see all keys of the other.
  Condition isCut(const KeyBlock &t, const Index &row) const {
    Condition cut = (t.n + 1) * config.bn > t.keys;
    if (form.after)
      cut = cut || (t.n + 1) * config.bn - 1 > placeOf(t, row) + *form.after;
    if (form.before)
      cut = cut ||
            t.n * config.bn < placeOf(t, row + config.bm - 1) - *form.before;
    return cut;
  }
  Mask isSeen(const KeyBlock &t, const Index &row) const;

  // Of packed sequences, what lies behind the last row or key is another one's,
  // and counts for nothing, be it NaN: zeros take its place.
  void clearRowsBehind(const KeyBlock &t, const Index &row,
                       const Stage &s) const;
  void clearKeysBehind(const KeyBlock &t, const Stage &kv) const;

  /// Of a tensor with a row for each of Q.
  TileRef rowsOf(const Tensor &tensor, const KeyBlock &t, const Index &h,
                 const Index &row, const Index &column = 0) const {
    return form.packed ? tensor.at({h, t.firstRow + row, column})
                       : tensor.at({t.b, h, row, column});
  }
  TileRef valuesOf(const Tensor &vector, const KeyBlock &t, const Index &h,
                   const Index &row) const {
    return form.packed ? vector.at({h, t.firstRow + row})
                       : vector.at({t.b, h, row});
  }
  TileRef keysOf(const Tensor &tensor, const KeyBlock &t,
                 const Index &column = 0) const {
    return form.packed ? tensor.at({t.g, t.firstKey + t.n * config.bn, column})
                       : tensor.at({t.b, t.g, t.n * config.bn, column});
  }

  /// Whether all keys of the block are the sequence's: what is behind them is
  /// another one's.
  Condition isWhole(const KeyBlock &t) const {
    return (t.n + 1) * config.bn <= t.keys;
  }
  /// As many columns of dK or dV leave at a time as a part of dQ has bytes for.
  SharedTile keyTile(const Stage &s, int64_t width) const {
    return s[0].as(form.type, {config.bn, width}, 0);
  }
  int64_t columnsOfKeys(int64_t width) const {
    return std::gcd(width, 2 * rowsOfTurn * sumColumns / config.bn);
  }

  const AttentionForm &given; ///< of the tensors
  const AttentionForm form;   ///< of the tiles
  const AttentionBackwardConfig &config;
  const SourceLocation where; ///< of whom a launch is refused
  /// So many columns of sums a wgmma has at most: the assembler refuses one
  /// whose sums are more registers than threads begin with.
  static constexpr int64_t widestSums = 128;
  /// As many columns are multiplied at a time.
  static int64_t partOf(int64_t width) {
    return width <= widestSums ? width : std::gcd(width, widestSums);
  }
  /// Tiles of the stage that has them, behind Q and dO where those are in it.
  const int64_t placeOfL = config.apart ? 0 : 2, placeOfDelta = placeOfL + 1,
                placeOfRow = placeOfL + 2;
  /// Of a role that multiplies.
  const int64_t warpgroupsOfRole = config.apart ? 1 : config.warpgroups,
                threads = warpgroupsOfRole * target::warpgroupThreads;
  /// Whether CTAs share dQ's columns.
  const bool isShared = config.cluster > 1;
  /// Whether a role of its own multiplies dQ.
  const bool hasQueries = config.apart && config.warpgroups == 3;
  /// Whether the sums of keys leave registers to the role that multiplies dQ.
  const bool areSumsFew = std::max(form.d, form.dv) <= 128;
  /// Whether the role that loads works out the order of rows, too.
  const bool ordersRows = config.deterministic && isShared;
  /// Registers of the roles that copy, of those that keep sums of keys, and of
  /// the one that multiplies dQ. Who copies has what the others leave, and to
  /// hand out blocks or work out an order more.
  const bool copiesMore = config.dynamic || ordersRows;
  const int64_t copyBudget = !config.apart ? 24
                             : !hasQueries ? 40
                             : !areSumsFew ? ordersRows ? 48 : 32
                             : copiesMore  ? 40
                                           : 24,
                mathBudget = !config.apart ? 240
                             : !hasQueries ? 232
                             : !areSumsFew ? ordersRows ? 200 : 208
                             : copiesMore  ? 168
                                           : 176,
                queryBudget = areSumsFew ? 136 : 64;
  /// As many columns of dQ are multiplied, and leave, at a time.
  const int64_t columnsOfCta = form.d / config.cluster;
  const int64_t sumColumns =
      config.apart ? std::gcd(form.d, int64_t(64)) : form.d;
  /// dQ is multiplied transposed where a block has no rows enough for the
  /// warpgroups, but columns, and where they leave by parts: their way through
  /// shared memory then has no conflicts of banks. Else so many blocks of rows
  /// are taken together in a turn.
  const int64_t rowsOfProduct = 64 * warpgroupsOfRole;
  const bool isTransposed = (config.apart || config.bm % rowsOfProduct) &&
                            sumColumns % rowsOfProduct == 0;
  const int64_t blocksOfTurn =
      isTransposed ? 1 : std::lcm(rowsOfProduct, config.bm) / config.bm;
  const int64_t rowsOfTurn = blocksOfTurn * config.bm;
  /// In so many parts the rows of these columns leave.
  const int64_t partsOfRows = config.apart && isTransposed ? 2 : 1;

  /// Whether where the rows of a stage are is for an order to say, and matters.
  const bool passesRows =
      config.deterministic && (form.after || form.before || form.packed);

  Size B = size("B"), H = size("H"), Hk = size("Hk"), Sq = size("Sq"),
       Sk = size("Sk");
  std::optional<Size> Tq = sizeIf("Tq", form.packed),
                      Tk = sizeIf("Tk", form.packed),
                      Starts = sizeIf("Starts", form.packed);
  Tensor Q = rowsIn("Q", given.d), DO = rowsIn("DO", given.dv);
  Tensor K = keysIn("K", given.d), V = keysIn("V", given.dv);
  Tensor L = valuesIn("L"), Delta = valuesIn("Delta");
  std::optional<Tensor> qStarts, kStarts;
  Tensor sums = form.packed
                    ? inout("Sums", f32, {H, *Tq, given.d}, align(16), where)
                    : inout("Sums", f32, {B, H, Sq, given.d}, align(16), where);
  std::optional<Size> Turns = sizeIf("Turns", config.deterministic);
  std::optional<Tensor> order =
      Turns
          ? std::optional(inout("Order", s32, {B, H, *Turns}, align(4), where))
          : std::nullopt;
  Tensor DK = keysOut("DK", given.d), DV = keysOut("DV", given.dv);
  Scalar scale = scalar("scale", f32, where);

  const int64_t keysOfTurn = (isPaired() ? 2 : 1) * config.cluster * config.bn;
  std::optional<TileLoop<3>> blocks =
      isShared ? std::nullopt
               : std::optional(persistent({B, Hk, Sk}, {1, 1, keysOfTurn}));
  std::optional<TileLoop<4>> sharedBlocks =
      isShared ? std::optional(declareSharedBlocks()) : std::nullopt;
  std::optional<DynamicTiles> dynamic =
      config.dynamic ? std::optional(DynamicTiles(*blocks, where))
                     : std::nullopt;
  Pipeline keyRing = isShared
                         ? pipeline(1, smem(form.type, {config.bn, form.d}),
                                    smem(form.type, {config.bn, form.dv}),
                                    smem(form.type, {config.bn, columnsOfCta}))
                         : pipeline(1, smem(form.type, {config.bn, form.d}),
                                    smem(form.type, {config.bn, form.dv}));
  /// Rows of Q and dO, with their L and Delta. Of warpgroups that are apart
  /// each takes them in another order: Q and dO have rings of their own then,
  /// of as many columns at a time as are multiplied, and L and Delta have one.
  const int64_t partOfRow = partOf(form.d), partOfGradient = partOf(form.dv);
  Pipeline rowRing =
      config.apart ? pipeline(config.stages * form.d / partOfRow,
                              smem(form.type, {config.bm, partOfRow}))
      : passesRows
          ? pipeline(config.stages, smem(form.type, {config.bm, form.d}),
                     smem(form.type, {config.bm, form.dv}),
                     smem(f32, {config.bm}), smem(f32, {config.bm}),
                     smem(s32, {4}))
          : pipeline(config.stages, smem(form.type, {config.bm, form.d}),
                     smem(form.type, {config.bm, form.dv}),
                     smem(f32, {config.bm}), smem(f32, {config.bm}));
  std::optional<Pipeline> gradientRing =
      config.apart ? std::optional(
                         pipeline(config.stages * form.dv / partOfGradient,
                                  smem(form.type, {config.bm, partOfGradient})))
                   : std::nullopt;
  std::optional<Pipeline> valueRing =
      !config.apart ? std::nullopt
      : passesRows
          ? std::optional(pipeline(config.stages, smem(f32, {config.bm}),
                                   smem(f32, {config.bm}), smem(s32, {4})))
          : std::optional(pipeline(config.stages, smem(f32, {config.bm}),
                                   smem(f32, {config.bm})));
  Pipeline sumRing =
      pipeline(2, smem(f32, {rowsOfTurn / partsOfRows, sumColumns}));
  /// The gradients of the scores, of which dQ is multiplied, in a tile or in
  /// stages.
  std::optional<SharedTile> slopes =
      stagesOfSlopes()
          ? std::nullopt
          : std::optional(shared(form.type, {config.bn, rowsOfTurn}));
  std::optional<Pipeline> slopeRing =
      stagesOfSlopes()
          ? std::optional(pipeline(stagesOfSlopes(),
                                   smem(form.type, {config.bn, rowsOfTurn})))
          : std::nullopt;
  /// Those of the other CTA, of some turns: one that it sends, one that is
  /// multiplied, and one between them; which are here says a pipeline.
  static constexpr int64_t turnsSent = 3;
  std::optional<SharedTile> otherSlopes =
      isShared ? std::optional(
                     shared(form.type, {turnsSent * config.bn, rowsOfTurn}))
               : std::nullopt;
  std::optional<Pipeline> otherRing =
      isShared ? std::optional(pipeline(turnsSent, smem(s32, {4})))
               : std::nullopt;
  /// From the warpgroups that keep dV to those that keep dK.
  std::optional<Pipeline> weightRing =
      config.apart
          ? std::optional(pipeline(1, smem(form.type, {config.bn, config.bm})))
          : std::nullopt;
  /// What the order says of turns, up to those whose sums are not added yet.
  std::optional<Pipeline> turnRing =
      order ? std::optional(pipeline(config.stages + 4, smem(s32, {4})))
            : std::nullopt;

  /// A role of its own takes them from one. Of two, no warpgroup waits for the
  /// others to have read theirs of the turn before; blocks of many rows leave
  /// no registers for that.
  int64_t stagesOfSlopes() const;

  TileLoop<4> declareSharedBlocks() const {
    cluster({1, 1, 1, config.cluster});
    return persistent({B, Hk, Sk, config.cluster}, {1, 1, keysOfTurn, 1});
  }
  static std::optional<Size> sizeIf(std::string_view name, bool isThere) {
    return isThere ? std::optional(size(name)) : std::nullopt;
  }
  Tensor rowsIn(std::string_view name, int64_t width) const {
    return form.packed
               ? input(name, form.type, {H, *Tq, width}, align(16), where)
               : input(name, form.type, {B, H, Sq, width}, align(16), where);
  }
  Tensor valuesIn(std::string_view name) const {
    return form.packed ? input(name, f32, {H, *Tq}, align(4), where)
                       : input(name, f32, {B, H, Sq}, align(4), where);
  }
  Tensor keysIn(std::string_view name, int64_t width) const {
    return form.packed
               ? input(name, form.type, {Hk, *Tk, width}, align(16), where)
               : input(name, form.type, {B, Hk, Sk, width}, align(16), where);
  }
  Tensor keysOut(std::string_view name, int64_t width) const {
    return form.packed
               ? output(name, form.type, {Hk, *Tk, width}, align(16), where)
               : output(name, form.type, {B, Hk, Sk, width}, align(16), where);
  }
};

} // namespace ashlar
