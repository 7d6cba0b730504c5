#include "compiler/layout/Reduction.h"

#include "compiler/layout/Coalesce.h"
#include "compiler/layout/Mode.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <bit>

namespace ashlar::layout {

namespace {} // namespace

int64_t factorInWarp(int64_t position, int64_t extent) {
  if (!std::has_single_bit(static_cast<uint64_t>(position)) ||
      position >= target::warpThreads)
    return 1;
  return std::min(extent & -extent, target::warpThreads / position);
}

std::vector<int> keptDimensions(int64_t rank,
                                const std::vector<int> &dimensions) {
  std::vector<int> kept;
  for (int dim = 0; dim < rank; ++dim)
    if (std::ranges::find(dimensions, dim) == dimensions.end())
      kept.push_back(dim);
  return kept;
}

std::vector<Copies> copiesAmongThreads(const FragmentLayout &fragment) {
  std::vector<Copies> copies;
  int64_t position = 1;
  for (Mode mode : leafModes(fragment.thread)) {
    if (mode.stride == 0 && mode.extent > 1)
      copies.push_back({position, mode.extent});
    position *= mode.extent;
  }
  return copies;
}

Layout holders(const FragmentLayout &fragment) {
  int64_t count = 1;
  std::vector<Mode> modes = leafModes(fragment.thread);
  for (Mode &mode : modes)
    if (mode.stride) {
      mode.stride = count;
      count *= mode.extent;
    }
  return coalesce(flatLayout(modes));
}

Result<WarpReduction> warpReduction(const FragmentLayout &fragment,
                                    const std::vector<int> &dimensions) {
  const std::vector<int> kept =
      keptDimensions(int64_t(fragment.shape.size()), dimensions);
  WarpReduction reduction{.distances = {},
                          .parts = 1,
                          .partial = {},
                          .gathered = {},
                          .result = sliceLayout(fragment, kept)};
  if (kept.empty())
    reduction.result.shape = {1};

  // What is combined is what does not stand still and is not kept.
  const std::vector<Mode> threads = leafModes(fragment.thread);
  const std::vector<Mode> keptThreads = leafModes(reduction.result.thread);
  std::vector<Mode> partial;
  int64_t position = 1, combined = 1;
  for (size_t i = 0; i < threads.size(); ++i) {
    const Mode mode = threads[i];
    if (keptThreads[i].stride || !mode.stride || mode.extent == 1) {
      partial.push_back(keptThreads[i]);
    } else {
      const int64_t inWarp = factorInWarp(position, mode.extent);
      const int64_t across = mode.extent / inWarp;
      for (int64_t bit = 1; bit < inWarp; bit *= 2)
        reduction.distances.push_back(position * bit);
      partial.push_back({inWarp, 0});
      if (across > 1)
        partial.push_back({across, -reduction.parts}); // of the parts, below
      reduction.parts *= across;
      combined *= mode.extent;
    }
    position *= mode.extent;
  }
  int64_t held = combined * fragment.value.size() /
                 std::max<int64_t>(reduction.result.value.size(), 1);
  int64_t elements = 1;
  for (int dim : dimensions)
    elements *= fragment.shape[dim];
  if (held != elements)
    return refuse("of ", elements, " elements of the fragment ",
                  IntTuple::of(fragment.shape),
                  " that are combined threads hold ", held,
                  ", so that some would count more than once: store it to a "
                  "shared tile and load it");

  // Parts are the last dimension, and neighbours among a thread's values.
  const int64_t parts = reduction.parts;
  const FragmentLayout &result = reduction.result;
  std::vector<int64_t> shape = result.shape;
  std::vector<Mode> values = leafModes(result.value);
  int64_t results = 1;
  for (int64_t extent : shape)
    results *= extent;
  for (Mode &mode : partial)
    if (mode.stride < 0)
      mode.stride *= -results;
  if (parts > 1)
    shape.push_back(parts);
  reduction.partial = {shape, flatLayout(partial), flatLayout(values)};
  if (parts > 1)
    values.insert(values.begin(), {parts, results});
  reduction.gathered = {shape, result.thread, flatLayout(values)};
  return reduction;
}

} // namespace ashlar::layout
