#include "compiler/layout/Divide.h"

#include "compiler/layout/Composition.h"

namespace ashlar::layout {

namespace {

/// ((tile0,rest0),...,other) as ((tile0,...),(rest0,...,other)), of which the
/// first `divided` modes are pairs.
Layout zip(const Layout &layout, size_t divided) {
  std::vector<Layout> tiles, rests;
  for (const Layout &mode : layout.modes()) {
    bool isPair = tiles.size() < divided;
    if (isPair)
      tiles.push_back(mode.mode(0));
    rests.push_back(isPair ? mode.mode(1) : mode);
  }
  return concat({concat(tiles), concat(rests)});
}

/// (tile,(rest0,rest1,...)) as (tile,rest0,rest1,...).
Layout spreadRest(const Layout &zipped) {
  std::vector<Layout> modes = {zipped.mode(0)};
  for (const Layout &rest : zipped.mode(1).modes())
    modes.push_back(rest);
  return concat(modes);
}

} // namespace

Result<Layout> logicalDivide(const Layout &layout, const Layout &tiler) {
  Result<Layout> rest = complement(tiler, layout.size());
  if (!rest)
    return rest;
  return composition(layout, concat({tiler, *rest}));
}

Result<Layout> logicalDivide(const Layout &layout,
                             const std::vector<Layout> &tilers) {
  if (static_cast<int64_t>(tilers.size()) > layout.rank())
    return refuse("the layout ", layout, " has ", layout.rank(),
                  " modes, fewer than the ", tilers.size(), " tilers");
  std::vector<Layout> modes = layout.modes();
  for (size_t i = 0; i < tilers.size(); ++i) {
    Result<Layout> mode = logicalDivide(modes[i], tilers[i]);
    if (!mode)
      return mode;
    modes[i] = *mode;
  }
  return concat(modes);
}

Result<Layout> zippedDivide(const Layout &layout, const Layout &tiler) {
  return logicalDivide(layout, tiler);
}

Result<Layout> zippedDivide(const Layout &layout,
                            const std::vector<Layout> &tilers) {
  Result<Layout> divided = logicalDivide(layout, tilers);
  return divided ? zip(*divided, tilers.size()) : divided;
}

Result<Layout> tiledDivide(const Layout &layout, const Layout &tiler) {
  Result<Layout> zipped = zippedDivide(layout, tiler);
  return zipped ? spreadRest(*zipped) : zipped;
}

Result<Layout> tiledDivide(const Layout &layout,
                           const std::vector<Layout> &tilers) {
  Result<Layout> zipped = zippedDivide(layout, tilers);
  return zipped ? spreadRest(*zipped) : zipped;
}

} // namespace ashlar::layout
