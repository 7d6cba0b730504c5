#include "compiler/layout/Pairs.h"

#include "compiler/layout/Mode.h"

#include <optional>

namespace ashlar::layout {

namespace {

/// The stride of the last dimension in the colexicographic linear index.
int64_t lastStride(const std::vector<int64_t> &shape) {
  int64_t stride = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    stride *= shape[i];
  return stride;
}

/// Modes with half the strides along the last dimension; nothing where those
/// are odd.
std::optional<std::vector<Mode>> halved(std::vector<Mode> modes, int64_t unit) {
  for (Mode &mode : modes) {
    if (mode.stride < unit)
      continue;
    const int64_t steps = mode.stride / unit;
    if (mode.extent > 1 && steps % 2)
      return std::nullopt;
    mode.stride = steps / 2 * unit;
  }
  return modes;
}

std::vector<Mode> doubled(std::vector<Mode> modes, int64_t unit) {
  for (Mode &mode : modes)
    if (mode.stride >= unit)
      mode.stride *= 2;
  return modes;
}

} // namespace

Result<FragmentLayout> pairsOf(const FragmentLayout &elements) {
  FragmentLayout pairs = elements;
  const int64_t unit = lastStride(elements.shape);
  std::vector<Mode> values = leafModes(elements.value);
  const Mode first = values.front();
  values.erase(values.begin());
  auto rest = halved(values, unit);
  auto threads = halved(leafModes(elements.thread), unit);
  if (first.stride != unit || first.extent % 2 || !rest || !threads)
    return refuse("elements of four bits lie in pairs, and the threads of ",
                  elements.str(),
                  " do not hold such that are next to each other");
  pairs.shape.back() /= 2;
  rest->insert(rest->begin(), {first.extent / 2, unit});
  pairs.thread = flatLayout(*threads);
  pairs.value = flatLayout(*rest);
  return pairs;
}

FragmentLayout elementsOf(const FragmentLayout &pairs) {
  FragmentLayout elements = pairs;
  const int64_t unit = lastStride(pairs.shape);
  std::vector<Mode> values = leafModes(pairs.value);
  Mode first = {2, unit};
  if (values.front().stride == unit) {
    first.extent *= values.front().extent;
    values.erase(values.begin());
  }
  values = doubled(values, unit);
  values.insert(values.begin(), first);
  elements.shape.back() *= 2;
  elements.thread = flatLayout(doubled(leafModes(pairs.thread), unit));
  elements.value = flatLayout(values);
  return elements;
}

bool lieAlike(const FragmentLayout &a, const FragmentLayout &b) {
  auto same = [](const Layout &one, const Layout &other) {
    if (one.size() != other.size())
      return false;
    for (int64_t i = 0; i < one.size(); ++i)
      if (one(i) != other(i))
        return false;
    return true;
  };
  return a.shape == b.shape && same(a.thread, b.thread) &&
         same(a.value, b.value);
}

} // namespace ashlar::layout
