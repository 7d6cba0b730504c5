#include "compiler/layout/Fragment.h"

#include "compiler/layout/Coalesce.h"
#include "compiler/layout/Mode.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <ostream>

namespace ashlar::layout {

namespace {

/// The stride of each dimension in the colexicographic linear index, followed
/// by the number of elements.
std::vector<int64_t> dimensionStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides = {1};
  for (int64_t extent : shape)
    strides.push_back(strides.back() * extent);
  return strides;
}

constexpr size_t NoDimension = -1;

/// The dimension along which a mode moves; NoDimension if it stands still.
size_t dimensionOf(Mode mode, const std::vector<int64_t> &shape) {
  if (mode.extent == 1 || mode.stride == 0)
    return NoDimension;
  std::vector<int64_t> strides = dimensionStrides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (mode.stride % strides[dim] == 0 &&
        (mode.extent - 1) * mode.stride < strides[dim + 1])
      return dim;
  refuse("the mode ", mode.extent, ":", mode.stride,
         " moves along more than one dimension of ", IntTuple::of(shape));
}

/// The leaves of `half` as a flat sequence, with strides for the kept
/// dimensions and 0 for the others.
std::vector<Mode> slicedModes(const Layout &half,
                              const FragmentLayout &fragment,
                              const std::vector<int> &keptDims) {
  std::vector<int64_t> strides = dimensionStrides(fragment.shape);
  std::vector<Mode> sliced;
  for (Mode mode : leafModes(half)) {
    size_t dim = dimensionOf(mode, fragment.shape);
    int64_t keptStride = 1;
    int64_t stride = 0;
    for (int kept : keptDims) {
      if (dim == static_cast<size_t>(kept))
        stride = mode.stride / strides[dim] * keptStride;
      keptStride *= fragment.shape[kept];
    }
    sliced.push_back({mode.extent, stride});
  }
  return sliced;
}

} // namespace

FragmentLayout accumulatorLayout(int64_t m, int64_t n, int64_t warpgroups) {
  if (warpgroups < 1 || m < 1 || m % (64 * warpgroups) != 0)
    refuse("an accumulator of ", m, " rows does not divide among ", warpgroups,
           " warpgroups: wgmma needs a multiple of 64 rows for each");
  if (n < 8 || n % 8 != 0)
    refuse("an accumulator of ", n,
           " columns is no wgmma result: use a multiple of 8");
  int64_t rows = m / warpgroups;
  return {{m, n},
          Layout({4, 8, 4, warpgroups}, {2 * m, 1, 16, rows}),
          Layout({2, 2, n / 8, rows / 64}, {m, 8, 8 * m, 64})};
}

FragmentLayout blockedLayout(const std::vector<int64_t> &shape, int64_t threads,
                             int64_t elementBytes) {
  int64_t elements = IntTuple::of(shape).product();
  if (shape.empty() || threads < 1 || elements < 1 || elements % threads != 0) {
    int64_t sharing = std::gcd(elements, threads);
    refuse("the ", elements, " elements of a fragment ", IntTuple::of(shape),
           " do not divide among ", threads, " threads: use a multiple of ",
           threads, " elements",
           sharing % 32 ? "" : " or " + std::to_string(sharing) + " threads");
  }
  if (elementBytes < 1)
    refuse("elements of ", elementBytes, " bytes are no elements");
  int64_t perThread = elements / threads;
  int64_t vector = std::max<int64_t>(16 / elementBytes, 1);
  while (perThread % vector != 0 || shape.back() % vector != 0)
    vector /= 2;

  std::vector<int64_t> strides = dimensionStrides(shape);
  std::vector<Mode> threadModes;
  std::vector<Mode> valueModes = {{vector, strides[shape.size() - 1]}};
  int64_t threadsLeft = threads;
  int64_t unit = vector;
  for (size_t i = shape.size(); i-- > 0; unit = 1) {
    int64_t along = std::gcd(shape[i] / unit, threadsLeft);
    threadsLeft /= along;
    threadModes.push_back({along, unit * strides[i]});
    valueModes.push_back({shape[i] / unit / along, along * unit * strides[i]});
  }
  return {shape, flatLayout(threadModes), flatLayout(valueModes)};
}

FragmentLayout sliceLayout(const FragmentLayout &fragment,
                           const std::vector<int> &keptDims) {
  std::vector<int64_t> shape;
  for (size_t i = 0; i < keptDims.size(); ++i) {
    int dim = keptDims[i];
    if (dim < 0 || dim >= static_cast<int>(fragment.shape.size()) ||
        (i > 0 && dim <= keptDims[i - 1]))
      refuse("the dimension ", dim, " kept at place ", i, " is not one of the ",
             fragment.shape.size(), " of the fragment in ascending order");
    shape.push_back(fragment.shape[dim]);
  }
  std::vector<Mode> value = slicedModes(fragment.value, fragment, keptDims);
  std::erase_if(value, [](Mode mode) { return mode.stride == 0; });
  return {shape, flatLayout(slicedModes(fragment.thread, fragment, keptDims)),
          flatLayout(value)};
}

std::vector<int64_t> coordinate(const FragmentLayout &fragment, int64_t thread,
                                int64_t value) {
  int64_t index = fragment.thread(thread) + fragment.value(value);
  std::vector<int64_t> coordinates;
  for (int64_t extent : fragment.shape) {
    coordinates.push_back(index % extent);
    index /= extent;
  }
  return coordinates;
}

std::vector<Layout> perDimension(const Layout &half,
                                 const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides = dimensionStrides(shape);
  std::vector<Mode> modes = leafModes(half);
  std::vector<Layout> result;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    auto mode = modes.begin();
    result.emplace_back(half.shape(), half.stride().map([&](int64_t stride) {
      return dimensionOf(*mode++, shape) == dim ? stride / strides[dim] : 0;
    }));
  }
  return result;
}

int64_t contiguousValues(const FragmentLayout &fragment) {
  if (fragment.shape.empty())
    return 1;
  int64_t lastStride =
      dimensionStrides(fragment.shape)[fragment.shape.size() - 1];
  std::vector<Mode> value = leafModes(coalesce(fragment.value));
  if (value[0].extent == 1 || value[0].stride != lastStride)
    return 1;
  int64_t common = value[0].extent;
  value.erase(value.begin());
  for (const std::vector<Mode> &modes : {value, leafModes(fragment.thread)})
    for (Mode mode : modes)
      if (dimensionOf(mode, fragment.shape) == fragment.shape.size() - 1)
        common = std::gcd(common, mode.stride / lastStride);
  return common & -common;
}

std::string FragmentLayout::str() const {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text + " " + thread.str() + " / " + value.str();
}

FragmentLayout FragmentLayout::parse(std::string_view text) {
  size_t space = text.find(' ');
  size_t slash = text.find(" / ");
  if (space == std::string_view::npos || slash == std::string_view::npos ||
      space >= slash)
    refuse("'", text,
           "' is not a fragment layout: expected 128x256 thread / value");
  std::string extents(text.substr(0, space));
  std::ranges::replace(extents, 'x', ',');
  return {IntTuple::parse("(" + extents + ")").flatten(),
          Layout::parse(text.substr(space + 1, slash - space - 1)),
          Layout::parse(text.substr(slash + 3))};
}

std::ostream &operator<<(std::ostream &out, const FragmentLayout &fragment) {
  return out << fragment.str();
}

} // namespace ashlar::layout
