#include "compiler/layout/Mode.h"

namespace ashlar::layout {

std::vector<Mode> leafModes(const Layout &layout) {
  std::vector<int64_t> extents = layout.shape().flatten();
  std::vector<int64_t> strides = layout.stride().flatten();
  std::vector<Mode> modes;
  for (size_t i = 0; i < extents.size(); ++i)
    modes.push_back({extents[i], strides[i]});
  return modes;
}

Layout flatLayout(const std::vector<Mode> &modes) {
  if (modes.empty())
    return Layout();
  if (modes.size() == 1)
    return Layout(modes[0].extent, modes[0].stride);
  std::vector<IntTuple> shape, stride;
  for (const Mode &mode : modes) {
    shape.push_back(mode.extent);
    stride.push_back(mode.stride);
  }
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
}

} // namespace ashlar::layout
