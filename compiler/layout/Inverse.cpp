#include "compiler/layout/Inverse.h"

#include "compiler/layout/Coalesce.h"
#include "compiler/layout/Mode.h"

#include <algorithm>

namespace ashlar::layout {

namespace {

/// A leaf of a layout together with its stride in the linear coordinate.
struct PlacedMode {
  Mode mode;
  int64_t coordinateStride;
};

/// The leaves of the coalesced layout by ascending stride, the larger first
/// where strides are equal.
std::vector<PlacedMode> modesByStride(const Layout &layout) {
  std::vector<PlacedMode> placed;
  int64_t coordinateStride = 1;
  for (Mode mode : leafModes(coalesce(layout))) {
    if (mode.extent > 1)
      placed.push_back({mode, coordinateStride});
    coordinateStride *= mode.extent;
  }
  std::ranges::stable_sort(placed, {}, [](const PlacedMode &p) {
    return std::pair(p.mode.stride, -p.mode.extent);
  });
  return placed;
}

} // namespace

Layout rightInverse(const Layout &layout) {
  std::vector<Mode> inverse;
  int64_t reached = 1;
  for (const auto &[mode, coordinateStride] : modesByStride(layout)) {
    if (mode.stride != reached)
      continue;
    inverse.push_back({mode.extent, coordinateStride});
    reached = mode.extent * mode.stride;
  }
  return coalesce(flatLayout(inverse));
}

Result<Layout> leftInverse(const Layout &layout) {
  std::vector<PlacedMode> placed = modesByStride(layout);
  if (placed.empty())
    return Layout();
  if (placed[0].mode.stride == 0)
    return refuse("the left inverse of ", layout, ": ", placed[0].mode.extent,
                  " coordinates have the same offset");

  // Between its own stride and the next one, each mode is a digit of the
  // offset; the digit has room for the gap above the mode.
  std::vector<Mode> inverse = {{placed[0].mode.stride, 0}};
  for (size_t i = 0; i < placed.size(); ++i) {
    auto [mode, coordinateStride] = placed[i];
    if (i + 1 == placed.size()) {
      inverse.push_back({mode.extent, coordinateStride});
      break;
    }
    int64_t next = placed[i + 1].mode.stride;
    if (next < mode.extent * mode.stride)
      return refuse("the left inverse of ", layout, ": the stride ", next,
                    " lies within the ", mode.extent * mode.stride,
                    " offsets of the mode ", mode.extent, ":", mode.stride);
    if (next % mode.stride != 0)
      return refuse("the left inverse of ", layout, ": the stride ", next,
                    " is not a multiple of the stride ", mode.stride);
    inverse.push_back({next / mode.stride, coordinateStride});
  }
  return coalesce(flatLayout(inverse));
}

Layout maxCommonLayout(const Layout &a, const Layout &b) {
  std::vector<Mode> inverseA = leafModes(rightInverse(a));
  std::vector<Mode> inverseB = leafModes(rightInverse(b));
  std::vector<Mode> common;
  for (size_t i = 0; i < std::min(inverseA.size(), inverseB.size()); ++i) {
    if (inverseA[i].stride != inverseB[i].stride)
      break;
    common.push_back(
        {std::min(inverseA[i].extent, inverseB[i].extent), inverseA[i].stride});
    if (inverseA[i].extent != inverseB[i].extent)
      break;
  }
  return flatLayout(common);
}

int64_t maxCommonVector(const Layout &a, const Layout &b) {
  return maxCommonLayout(a, b).size();
}

} // namespace ashlar::layout
