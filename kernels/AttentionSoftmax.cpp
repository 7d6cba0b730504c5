// From scores to weights: the online softmax of a tile's rows, and which keys
// they see.

#include "kernels/AttentionProgram.h"

#include "ashlar/error.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace ashlar {

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr float log2e = std::numbers::log2e_v<float>;
static constexpr float ln2 = std::numbers::ln2_v<float>;

/// Weights of e4m3 are at most 2^8, of the 448 that it has, so that small ones
/// are not lost so soon. Their sum has the factor too.
static constexpr float headroom = 8;

Fragment AttentionProgram::lowered(const Fragment &top) const {
  return isOf8Bits(form) ? top - inScores(headroom) : top;
}

float AttentionProgram::inScores(float powersOfTwo) const {
  return form.modify ? powersOfTwo * ln2 : powersOfTwo;
}

Fragment AttentionProgram::ofRows(const Tensor &heads, const AttentionTile &t,
                                  const Shape &shape) const {
  if (!isGrouped())
    return full(f32, shape, load_scalar(heads.at({t.h})));
  const Fragment row = shape.rank() == 1 ? columns(shape) : rows(shape);
  return gather(heads, {keyHead(t), min(headOf(t, row), *G - 1)});
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
  if (!form.modify)
    return score;
  const Fragment modified = form.modify(score, place);
  if (modified.shape() != score.shape())
    throw Error({where.file_name(), where.line(), where.column()},
                "attention: modify gives a fragment of " +
                    modified.shape().str() + " for scores of " +
                    score.shape().str() + ": give one of as many");
  return convert(modified, f32);
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

AttentionRows AttentionProgram::beginRows(const AttentionTile &t) const {
  const Shape vector{config.bm};
  AttentionRows row{full(f32, vector, -infinity), zeros(f32, vector),
                    zeros(f32, vector)};
  auto addSink = [&] {
    const Fragment sink = ofRows(*sinks, t, vector);
    row.top = lowered(form.modify ? sink : sink * log2e);
    row.sum = full(f32, vector, isOf8Bits(form) ? std::exp2(headroom) : 1);
  };
  if (sinks && config.splits)
    when(t.split == 0, addSink);
  else if (sinks)
    addSink();
  return row;
}

ScorePlace AttentionProgram::placeOfBlock(const AttentionTile &t,
                                          const Index &n) const {
  const Fragment row = rows({config.bm, 1}), query = row / form.group;
  return {t.b,
          isGrouped() ? headOf(t, row) + keyHead(t) * *G
                      : full(s32, {config.bm, 1}, t.h),
          query + placeOf(t, t.m * queries),
          columns({1, config.bn}) + n * config.bn, query + t.m * queries};
}

std::optional<Fragment>
AttentionProgram::slopeOf(const AttentionTile &t) const {
  if (!slopes)
    return std::nullopt;
  return ofRows(*slopes, t, {config.bm, 1});
}

Scalar AttentionProgram::unitOfScores() const {
  return changesScores() ? convert(log2e, f32) : scale * log2e;
}

Fragment AttentionProgram::weightsOf(
    const AttentionTile &t, const Fragment &product, const Index &n,
    bool isLast, const Scalar &unit, const std::optional<Fragment> &slope,
    AttentionRows &row,
    const std::function<void(const Fragment &shrink)> &whenKnown) const {
  Fragment x = product;
  const ScorePlace place = placeOfBlock(t, n);
  auto hide = [&] {
    x = select(isSeen(t, place, n * config.bn), x, -infinity);
  };
  x = scoresOf(x, place, slope);
  if (isLast || form.mask)
    hide();
  else if (form.after || form.before)
    when(isCut(t, n), hide);
  // What an author's function has made of a score may be far from 0, and hide
  // a key so: with a factor before the difference the highest weight would not
  // be 1.
  auto exponent = [&](const Fragment &score, const auto &base) {
    return form.modify ? (score - base) * unit : score - base;
  };
  Fragment highest = row_max(x);
  Fragment higher =
      max(row.top, lowered(form.modify ? highest : highest * unit));
  if (rescales(form, config))
    higher = select(higher - row.top > inScores(float(form.rescale_threshold)),
                    higher, row.top);
  Fragment base = higher;
  // Where there may have been no key yet.
  if (isLast || form.after || form.before || form.mask || form.modify)
    base = select(higher == -infinity, 0, higher);
  row.shrink = fast::exp2(exponent(row.top, base));
  if (whenKnown)
    whenKnown(row.shrink);
  row.top = higher;
  return fast::exp2(exponent(form.modify ? x : x * unit, along_rows(base)));
}

Fragment AttentionProgram::logarithmOf(const AttentionRows &row) const {
  return (form.modify ? row.top * log2e : row.top) + log2(row.sum);
}

Fragment AttentionProgram::shrunk(const Fragment &sums,
                                  const Fragment &shrink) const {
  return rescales(form, config) ? rescale(sums, along_rows(shrink))
                                : sums * along_rows(shrink);
}

void AttentionProgram::addWeights(AttentionRows &row, const Fragment &weights) {
  row.sum = row.sum * row.shrink + row_sum(weights);
}

Fragment AttentionProgram::factorOfRows(const AttentionRows &row) const {
  Fragment factor = select(row.sum == 0, 0, 1 / row.sum);
  return valueScale ? factor * *valueScale : factor;
}

} // namespace ashlar
