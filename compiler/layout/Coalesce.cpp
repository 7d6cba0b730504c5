#include "compiler/layout/Coalesce.h"

#include "compiler/layout/Mode.h"

namespace ashlar::layout {

Layout coalesce(const Layout &layout) {
  std::vector<Mode> merged;
  for (Mode mode : leafModes(layout)) {
    if (mode.extent == 1)
      continue;
    if (!merged.empty() &&
        merged.back().extent * merged.back().stride == mode.stride)
      merged.back().extent *= mode.extent;
    else
      merged.push_back(mode);
  }
  return flatLayout(merged);
}

Layout coalesceByMode(const Layout &layout) {
  if (layout.shape().isLeaf())
    return coalesce(layout);
  std::vector<Layout> modes;
  for (const Layout &mode : layout.modes())
    modes.push_back(coalesce(mode));
  return concat(modes);
}

Layout filterZeros(const Layout &layout) {
  std::vector<int64_t> strides = layout.stride().flatten();
  auto stride = strides.begin();
  return Layout(layout.shape().map([&](int64_t extent) {
    return *stride++ == 0 ? 1 : extent;
  }),
                layout.stride());
}

} // namespace ashlar::layout
