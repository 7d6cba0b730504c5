// Attention whose keys are shared out in parts: each CTA posts its own, and the
// last ones of a tile to begin take them and add them up.

#include "kernels/AttentionProgram.h"

#include "ashlar/error.h"

#include <algorithm>
#include <functional>
#include <iterator>
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
  Index ticket = t.split;
  when(!areAllAtOnce(), [&] {
    ticket = atomic_add(done->at({numberOf(t, column)}), 1);
    expect(0 <= ticket && ticket < partsOf(t),
           "Done, which counts parts, is zeros before the launch");
  });
  return ticket;
}

void AttentionProgram::finishPart(const AttentionTile &t, const Sums &o,
                                  const Fragment &l, const Index &ticket,
                                  int64_t column) {
  const Index count = partsOf(t), tile = numberOf(t, column);
  // Of a few columns; computed with what is posted there, so that the threads
  // that load them are those that post them, and order the two. Several threads
  // hold an element of PartL, and one posts it.
  const Fragment few = slice(o[0], {0, 0}, {config.bm, 8});
  const Mask isNever = few < few;
  expect(load(sumsOfParts->at({t.split, tile, 0, 0}), few.shape()) == 0 ||
             isNever,
         "Parts is zeros before the launch");
  for (size_t i = 0; i < o.size(); ++i)
    post(sumsOfParts->at({t.split, tile, 0, int64_t(i) * sumColumns(form)}),
         o[i]);
  post(partL->at({t.split, tile, 0}), l);
  // All that is posted, be it of rows that the sequence does not have: zeros
  // are left.
  const Index rows = min(*Rows, config.bm);
  // Several add up where no part waits for a CTA to begin.
  const Index most = select(areAllAtOnce(), count, 1);
  auto add = [&](const LoadsOfParts &loads) {
    const Index pieces = ceil_div(rows, loads.rows), adders = min(most, pieces),
                adder = ticket - (count - adders);
    when(adder >= 0, [&] {
      for (Index piece : range(adder, pieces, adders))
        addRows(t, tile, count, piece, loads, column);
    });
  };
  const std::vector<LoadsOfParts> ways = loadsOfParts(form, config);
  const std::function<void(size_t)> addBy = [&](size_t way) {
    if (way + 1 == ways.size())
      return add(ways[way]);
    when(
        rows <= most * ways[way].rows, [&] { add(ways[way]); },
        [&] { addBy(way + 1); });
  };
  addBy(0);
  when(!areAllAtOnce() && ticket == count - 1,
       [&] { atomic_exchange(done->at({tile}), 0); });
}

Condition AttentionProgram::areAllAtOnce() const {
  auto of = [](const auto &loop) { return loop.turns() <= loop.ctas(); };
  return splitTiles ? of(*splitTiles) : of(*splitPartTiles);
}

void AttentionProgram::addRows(const AttentionTile &t, const Index &tile,
                               const Index &count, const Index &piece,
                               const LoadsOfParts &loads, int64_t column) {
  const auto [height, together, isLittle] = loads;
  const Shape shape{height, half}, vector{height};
  const Index row = piece * height;
  Fragment top = full(f32, vector, -infinity), sum = zeros(f32, vector);
  Fragment o = zeros(f32, shape);
  for (Index s : range(0, count, together)) {
    std::vector<Posted> logarithms, sums;
    for (int64_t k = 0; k < together; ++k) {
      const Index at = select(s + k < count, s + k, *Splits); // or nothing
      logarithms.push_back({partL->at({at, tile, row}), vector});
      sums.push_back({sumsOfParts->at({at, tile, row, 0}), shape});
    }
    std::vector<Fragment> taken, l, part;
    if (isLittle) {
      std::ranges::copy(sums, std::back_inserter(logarithms));
      taken = take(logarithms);
    } else {
      taken = take(logarithms);
      std::ranges::copy(take(sums), std::back_inserter(taken));
    }
    for (int64_t k = 0; k < together; ++k) {
      l.push_back(
          select(full(s32, vector, s + k) < count, taken[k], -infinity));
      part.push_back(taken[together + k]);
    }
    // In the same groups whatever the way: the result has the same bits.
    const int64_t group = loadsOfParts(form, config).back().parts;
    for (int64_t first = 0; first < together; first += group) {
      Fragment higher = top;
      for (int64_t k = first; k < first + group; ++k)
        higher = max(higher, l[k]);
      const Fragment base = select(higher == -infinity, 0, higher);
      auto weightOf = [&](const Fragment &each) {
        return fast::exp2(each - base);
      };
      const Fragment shrink = weightOf(top);
      o = o * along_rows(shrink);
      sum = sum * shrink;
      for (int64_t k = first; k < first + group; ++k) {
        const Fragment weight = weightOf(l[k]);
        o += part[k] * along_rows(weight);
        sum += weight;
      }
      top = higher;
    }
  }
  o = o * along_rows(select(sum == 0, 0, 1 / sum));
  scatterRows(t, rows({height, 1}) + row, column, convert(o, resultType(form)));
  if (L && column == 0)
    scatterLogarithms(t, columns(vector) + row,
                      (top + log2(sum)) * std::numbers::ln2_v<float>);
}

} // namespace ashlar
