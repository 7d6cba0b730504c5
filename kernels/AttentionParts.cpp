// Attention whose keys are shared out in parts: each CTA stores its own, and
// the last ones of a tile to begin add them up.

#include "kernels/AttentionProgram.h"

#include "ashlar/error.h"

#include <limits>
#include <numbers>
#include <vector>

namespace ashlar {

static constexpr float infinity = std::numeric_limits<float>::infinity();

PartSizes part_sizes(const AttentionForm &form, const AttentionConfig &config,
                     const AttentionSizes &sizes, SourceLocation where) {
  std::string why =
      notCountable({{config.bm, "number of rows (bm)"},
                    {form.group, "number of heads that share keys (group)"},
                    {form.dv, "head dimension of V"}});
  if (why.empty())
    why = notSizes(sizes);
  if (!why.empty())
    throw Error({where.file_name(), where.line(), where.column()},
                "part_sizes: " + why);
  const int64_t queries = config.bm / headsOfTile(form, config);
  const int64_t heads = form.group > 1
                            ? sizes.keyHeads * tilesOfGroup(form, config)
                            : sizes.heads;
  return {(config.apart ? 2 : 1) * sizes.sequences * heads *
              ((sizes.queries + queries - 1) / queries),
          std::min(config.bm, sizes.queries * form.group),
          keptColumns(formOfTiles(form), config)};
}

Index AttentionProgram::ticketOf(const AttentionTile &t, int64_t column) const {
  const Index ticket = atomic_add(done->at({numberOf(t, column), 0}), 1);
  expect(0 <= ticket && ticket < partsOf(t),
         "Done, which counts parts, is zeros before the launch");
  return ticket;
}

void AttentionProgram::finishPart(const AttentionTile &t, const Sums &o,
                                  const Fragment &l, const Index &ticket,
                                  int64_t column) {
  const Index count = partsOf(t), tile = numberOf(t, column);
  for (size_t i = 0; i < o.size(); ++i)
    store(sumsOfParts->at({t.split, tile, 0, int64_t(i) * sumColumns(form)}),
          o[i]);
  store(partL->at({t.split, tile, 0}), l);
  signal(done->at({tile, 1}));
  const Index there = min((t.rows - t.m * queries) * form.group, config.bm),
              pieces = ceil_div(there, loadsOfParts(form, config).rows);
  // Several add up where no part waits for a CTA to begin.
  const Index adders = select(areAllAtOnce(), max(min(count, pieces), 1), 1),
              adder = ticket - (count - adders);
  auto forget = [&] {
    for (int64_t i : {0, 1})
      atomic_exchange(done->at({tile, i}), 0);
  };
  when(adder >= 0, [&] {
    await(done->at({tile, 1}), count);
    for (Index piece : range(adder, pieces, adders))
      addRows(t, tile, count, piece, column);
    when(adders == 1, forget, [&] {
      const Index ended = atomic_add(done->at({tile, 0}), 1);
      when(ended == count + adders - 1, forget);
    });
  });
}

Condition AttentionProgram::areAllAtOnce() const {
  auto of = [](const auto &loop) { return loop.turns() <= loop.ctas(); };
  return splitTiles ? of(*splitTiles) : of(*splitPartTiles);
}

void AttentionProgram::addRows(const AttentionTile &t, const Index &tile,
                               const Index &count, const Index &piece,
                               int64_t column) {
  const auto [height, together] = loadsOfParts(form, config);
  const Shape shape{height, half}, vector{height};
  const Index row = piece * height;
  Fragment top = full(f32, vector, -infinity), sum = zeros(f32, vector);
  Fragment o = zeros(f32, shape);
  for (Index s : range(0, count, together)) {
    std::vector<Fragment> part, l;
    for (int64_t k = 0; k < together; ++k) {
      const Index at = min(s + k, count - 1);
      l.push_back(select(full(s32, vector, s + k) < count,
                         load(partL->at({at, tile, row}), vector), -infinity));
      part.push_back(load(sumsOfParts->at({at, tile, row, 0}), shape));
    }
    Fragment higher = top;
    for (const Fragment &each : l)
      higher = max(higher, each);
    const Fragment base = select(higher == -infinity, 0, higher);
    auto weightOf = [&](const Fragment &each) {
      return fast::exp2(each - base);
    };
    const Fragment shrink = weightOf(top);
    o = o * along_rows(shrink);
    sum = sum * shrink;
    for (int64_t k = 0; k < together; ++k) {
      const Fragment weight = weightOf(l[k]);
      o += part[k] * along_rows(weight);
      sum += weight;
    }
    top = higher;
  }
  o = o * along_rows(select(sum == 0, 0, 1 / sum));
  scatterRows(t, rows({height, 1}) + row, column, convert(o, resultType(form)));
  if (L && column == 0)
    scatterLogarithms(t, columns(vector) + row,
                      (top + log2(sum)) * std::numbers::ln2_v<float>);
}

} // namespace ashlar
