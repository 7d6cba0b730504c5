#include "compiler/layout/Repeated.h"

#include "compiler/layout/Mode.h"

namespace ashlar::layout {

FragmentLayout repeatedLayout(const FragmentLayout &part,
                              const std::vector<int64_t> &shape) {
  std::vector<int64_t> before = {1}, after = {1};
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    before.push_back(before.back() * part.shape[dim]);
    after.push_back(after.back() * shape[dim]);
  }
  auto rebased = [&](const Layout &half) {
    std::vector<Mode> modes = leafModes(half);
    for (Mode &mode : modes) {
      // Each mode that moves does so along one dimension.
      size_t dim = 0;
      while (mode.stride >= before[dim + 1] && dim + 1 < shape.size())
        ++dim;
      mode.stride = mode.stride / before[dim] * after[dim];
    }
    return modes;
  };
  std::vector<Mode> values = rebased(part.value);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (const int64_t count = shape[dim] / part.shape[dim]; count > 1)
      values.push_back({count, part.shape[dim] * after[dim]});
  return {shape, flatLayout(rebased(part.thread)), flatLayout(values)};
}

} // namespace ashlar::layout
