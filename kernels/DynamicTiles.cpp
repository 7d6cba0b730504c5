#include "kernels/DynamicTiles.h"

namespace ashlar {

/// A third of L2. Of forward attention on an H200 32 MiB took up to 1.05 times
/// as long, 100 MiB 1.4 times, and 8 MiB, where the last heads have too few
/// tiles for all CTAs, 1.1 times.
static constexpr int64_t keptInL2 = int64_t(16) << 20;

Fragment listOf(std::initializer_list<Index> numbers) {
  const Shape shape{int64_t(numbers.size())};
  Fragment list = zeros(s32, shape);
  int64_t column = 0;
  for (const Index &number : numbers)
    list = select(columns(shape) == column++, number, list);
  return list;
}

void DynamicTiles::handOut(
    const Space &space,
    const std::function<void(const Index &b, const Index &h, const Index &i,
                             const TakeNext &takeNext)> &body) const {
  // Of bounds that are known, so that quotients are of 32 bits.
  auto positive = [](const Index &number) { return clamp(number, 1, endless); };
  const Index tiles = positive(space.tilesOfHead),
              heads = positive(space.batch * space.heads),
              together = clamp(keptInL2 / clamp(space.bytesOfHead, 1, keptInL2),
                               1, heads),
              count = loop.turns();
  Index number = loop.cta(), b = 0, h = 0, i = 0;
  auto place = [&] {
    // Counted from the last one, so that the first heads are fewer, if any.
    const Index group = clamp(count - 1 - number, 0, endless) /
                        positive(together * tiles),
                end = heads - group * together, first = max(end - together, 0),
                width = positive(end - first),
                inGroup = clamp(number - first * tiles, 0, endless),
                tile = inGroup / width,
                head = clamp(first + inGroup - tile * width, 0, endless);
    b = select(number < count, head / positive(space.heads), -1);
    h = head - b * space.heads;
    i = space.isBackwards ? tiles - 1 - tile : tile;
  };
  auto take = [&] {
    const Index taken = atomic_add(next.at({0}), 1);
    // One that began a little too high is not told from one that others have
    // counted on.
    expect(0 <= taken && taken < count,
           "Next, which counts tiles, is zero before the launch");
    number = taken + loop.ctas();
    place();
  };
  auto handOver = [&] {
    if (space.isThere) {
      auto isFound = [&] { return b < 0 || space.isThere(max(b, 0), i); };
      for (Index turn : range(select(isFound(), 0, endless))) {
        take();
        last_if(isFound());
      }
    }
    Stage s = handed.acquire();
    store(s[0], listOf({b, h, i, 0}));
    handed.commit(s);
  };
  auto takeNext = [&] {
    take();
    handOver();
  };
  place();
  handOver();
  for (Index turn : range(select(b < 0, 0, endless))) {
    body(b, h, i, takeNext);
    last_if(b < 0);
  }
  // Who finds that all others have found none leaves zero.
  when(number == count - 1 + loop.ctas(),
       [&] { atomic_exchange(next.at({0}), 0); });
}

void DynamicTiles::forEach(const Body &body) const {
  Index b = 0, h = 0, i = 0;
  auto nextTile = [&] {
    Stage s = handed.wait();
    b = load_index(s[0], {0});
    h = load_index(s[0], {1});
    i = load_index(s[0], {2});
    handed.release(s);
  };
  nextTile();
  for (Index turn : range(select(b < 0, 0, endless))) {
    body(b, h, i);
    nextTile();
    last_if(b < 0);
  }
}

} // namespace ashlar
