#include "compiler/layout/Fragment.h"

#include "compiler/layout/Coalesce.h"
#include "compiler/layout/Mode.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <ostream>
#include <set>

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

constexpr size_t NoDimension = -1, SeveralDimensions = -2;

/// The dimension along which a mode moves; NoDimension if it stands still.
size_t dimensionOf(Mode mode, const std::vector<int64_t> &shape) {
  if (mode.extent == 1 || mode.stride == 0)
    return NoDimension;
  std::vector<int64_t> strides = dimensionStrides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (mode.stride % strides[dim] == 0 &&
        (mode.extent - 1) * mode.stride < strides[dim + 1])
      return dim;
  return SeveralDimensions;
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

std::optional<Refusal> whyNotFragment(const FragmentLayout &fragment) {
  const std::vector<int64_t> &shape = fragment.shape;
  Result<Layout> whole = Layout::make(
      IntTuple::of(shape), IntTuple::of(std::vector<int64_t>(shape.size(), 0)));
  if (!whole)
    return whole.refusal();
  std::vector<std::vector<Mode>> along(shape.size());
  for (const Layout *half : {&fragment.thread, &fragment.value})
    for (Mode mode : leafModes(*half)) {
      size_t dim = dimensionOf(mode, shape);
      if (dim == SeveralDimensions)
        return refuse("the mode ", mode.extent, ":", mode.stride,
                      " moves along more than one dimension of ",
                      IntTuple::of(shape));
      if (dim != NoDimension)
        along[dim].push_back(mode);
    }
  std::vector<int64_t> strides = dimensionStrides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    // From the smallest stride on, each mode goes on where those before end.
    std::ranges::sort(along[dim], {}, &Mode::stride);
    int64_t reached = 1;
    for (Mode mode : along[dim]) {
      int64_t step = mode.stride / strides[dim];
      if (step > reached)
        return refuse("no thread holds element ", reached, " along dimension ",
                      dim, " of ", IntTuple::of(shape));
      reached += (mode.extent - 1) * step;
    }
    if (reached != shape[dim])
      return refuse("the threads hold ", reached, " elements along dimension ",
                    dim, " of ", IntTuple::of(shape));
  }
  return std::nullopt;
}

Result<FragmentLayout> blockedLayout(const std::vector<int64_t> &shape,
                                     int64_t threads, int64_t elementBytes) {
  int64_t elements = IntTuple::of(shape).product();
  int64_t sharing = std::gcd(elements, threads);
  const bool isShort = elements < threads;
  if (shape.empty() || threads < 1 || elements < 1 ||
      (elements % threads != 0 && !isShort)) {
    return refuse("the ", elements, " elements of a fragment ",
                  IntTuple::of(shape), " do not divide among ", threads,
                  " threads: use a multiple of ", threads, " elements",
                  sharing % 32 ? ""
                               : " or " + std::to_string(sharing) + " threads");
  }
  if (elementBytes < 1)
    return refuse("elements of ", elementBytes, " bytes are no elements");
  int64_t perThread = elements / sharing;
  int64_t vector = std::max<int64_t>(16 / elementBytes, 1);
  while (perThread % vector != 0 || shape.back() % vector != 0)
    vector /= 2;

  std::vector<int64_t> strides = dimensionStrides(shape);
  std::vector<Mode> threadModes;
  std::vector<Mode> valueModes = {{vector, strides[shape.size() - 1]}};
  int64_t threadsLeft = sharing;
  int64_t unit = vector;
  for (size_t i = shape.size(); i-- > 0; unit = 1) {
    int64_t along = std::gcd(shape[i] / unit, threadsLeft);
    threadsLeft /= along;
    threadModes.push_back({along, unit * strides[i]});
    valueModes.push_back({shape[i] / unit / along, along * unit * strides[i]});
  }
  if (sharing < threads)
    threadModes.push_back({threads / sharing, 0});
  return FragmentLayout{shape, flatLayout(threadModes), flatLayout(valueModes)};
}

namespace {

Refusal refuseUneven(int64_t m, int64_t n, int64_t threads) {
  return refuse("the matrix ", IntTuple::of(std::vector<int64_t>{m, n}),
                " does not divide evenly among ", threads, " threads");
}

} // namespace

Result<FragmentLayout> columnLayout(int64_t m, int64_t n, int64_t threads,
                                    int64_t elementBytes, int64_t down) {
  if (m < 1 || n < 1 || threads < 1 || elementBytes < 1 || down < 1 ||
      m * n % threads != 0)
    return refuseUneven(m, n, threads);
  int64_t vector = std::max<int64_t>(16 / elementBytes, 1);
  while (m * n / threads % vector != 0 || n % vector != 0)
    vector /= 2;
  const int64_t rows = std::gcd(std::gcd(m, down), threads);
  const int64_t along = std::gcd(n / vector, threads / rows);
  const int64_t further = threads / rows / along;
  if (m / rows % further != 0)
    return refuseUneven(m, n, threads);
  return FragmentLayout{
      {m, n},
      flatLayout({{rows, 1}, {along, vector * m}, {further, rows}}),
      flatLayout({{vector, m},
                  {n / vector / along, along * vector * m},
                  {m / rows / further, rows * further}})};
}

Result<FragmentLayout> byteBlockLayout(int64_t m, int64_t n, int64_t threads) {
  constexpr int64_t word = 4, neighbours = 4, banks = 128;
  if (m < 1 || n < 1 || threads < 1 || m % (2 * word) != 0 ||
      m * n % (threads * word) != 0)
    return refuseUneven(m, n, threads);
  int64_t vector = 16;
  while (m * n / threads % (vector * word) != 0 || n % vector != 0)
    vector /= 2;
  int64_t left = threads;
  auto take = [&](int64_t most) {
    const int64_t taken = std::gcd(most, left);
    left /= taken;
    return taken;
  };
  if (vector < word)
    return refuseUneven(m, n, threads);
  const int64_t span = m <= banks ? m : std::gcd(m, banks);
  const int64_t columns = n / vector, rows = span / 2 / word;
  const int64_t beside = take(std::gcd(columns, neighbours)),
                below = take(std::gcd(rows, neighbours)), halves = take(2),
                along = take(columns / beside), down = take(rows / below),
                further = take(m / span);
  if (left != 1)
    return refuseUneven(m, n, threads);
  return FragmentLayout{
      {m, n},
      flatLayout({{beside, vector * m},
                  {below, word},
                  {halves, span / 2},
                  {along, beside * vector * m},
                  {down, below * word},
                  {further, span}}),
      flatLayout({{vector, m},
                  {word, 1},
                  {columns / beside / along, along * beside * vector * m},
                  {rows / below / down, down * below * word},
                  {2 / halves, span / 2},
                  {m / span / further, further * span}})};
}

Result<FragmentLayout> matrixLayout(int64_t m, int64_t n, int64_t warps) {
  constexpr int64_t edge = 8;
  if (m < 1 || n < 1 || warps < 1 || m % edge != 0 || n % edge != 0)
    return refuseUneven(m, n, target::warpThreads * warps);
  const int64_t down = std::gcd(m / edge, warps), along = warps / down;
  if (n / edge % along != 0)
    return refuseUneven(m, n, target::warpThreads * warps);
  const int64_t rows = m / down, columns = n / along;
  return FragmentLayout{
      {m, n},
      flatLayout({{4, 2 * m}, {edge, 1}, {down, rows}, {along, columns * m}}),
      flatLayout({{2, m}, {rows / edge, edge}, {columns / edge, edge * m}})};
}

FragmentLayout sliceLayout(const FragmentLayout &fragment,
                           const std::vector<int> &keptDims) {
  std::vector<int64_t> shape;
  for (size_t i = 0; i < keptDims.size(); ++i) {
    int dim = keptDims[i];
    assert(dim >= 0 && dim < static_cast<int>(fragment.shape.size()) &&
           (i == 0 || dim > keptDims[i - 1]) && "dimensions in order");
    shape.push_back(fragment.shape[dim]);
  }
  std::vector<Mode> value = slicedModes(fragment.value, fragment, keptDims);
  std::erase_if(value, [](Mode mode) { return mode.stride == 0; });
  return {shape, flatLayout(slicedModes(fragment.thread, fragment, keptDims)),
          flatLayout(value)};
}

FragmentLayout broadcastLayout(const FragmentLayout &fragment,
                               const std::vector<int64_t> &shape,
                               const std::vector<int> &along) {
  std::vector<int> kept;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == fragment.shape[along[i]])
      kept.push_back(along[i]);
  // Extents of 1 change no linear index.
  FragmentLayout slice = sliceLayout(fragment, kept);
  slice.shape = shape;
  return slice;
}

namespace {

/// Cuts the modes that move along one dimension, given in elements of it, down
/// to those of the part [offset, offset + extent). Modes of threads stay whole.
struct CutMode {
  Mode *mode; ///< of the value layout; null for one of the thread layout
  int64_t extent, stride;
};
bool cutDimension(std::vector<CutMode> modes, int64_t offset, int64_t extent) {
  std::ranges::sort(modes, std::greater(), &CutMode::stride);
  for (CutMode &cut : modes) {
    bool whole = offset == 0 && extent == cut.extent * cut.stride;
    if (whole)
      return true;
    if (!cut.mode)
      return false;
    if (extent >= cut.stride) {
      cut.mode->extent = extent / cut.stride;
      return offset % cut.stride == 0 && extent % cut.stride == 0;
    }
    cut.mode->extent = 1;
    offset %= cut.stride;
    if (offset + extent > cut.stride)
      return false;
  }
  return extent == 1;
}

/// Whether such a part can be cut. The modes stay as they are.
bool canCut(std::vector<CutMode> modes, int64_t offset, int64_t extent) {
  std::vector<Mode> scratch(modes.size());
  for (size_t i = 0; i < modes.size(); ++i)
    if (modes[i].mode)
      modes[i].mode = &scratch[i];
  return cutDimension(std::move(modes), offset, extent);
}

} // namespace

Result<FragmentLayout> partLayout(const FragmentLayout &fragment,
                                  const std::vector<int64_t> &offset,
                                  const std::vector<int64_t> &shape) {
  std::vector<int64_t> before = dimensionStrides(fragment.shape);
  std::vector<int64_t> after = dimensionStrides(shape);
  std::vector<Mode> thread = leafModes(fragment.thread);
  std::vector<Mode> value = leafModes(fragment.value);
  std::vector<size_t> threadDim, valueDim;
  for (Mode mode : thread)
    threadDim.push_back(dimensionOf(mode, fragment.shape));
  for (Mode mode : value)
    valueDim.push_back(dimensionOf(mode, fragment.shape));

  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::vector<CutMode> modes;
    for (size_t i = 0; i < thread.size(); ++i)
      if (threadDim[i] == dim)
        modes.push_back(
            {nullptr, thread[i].extent, thread[i].stride / before[dim]});
    for (size_t i = 0; i < value.size(); ++i)
      if (valueDim[i] == dim)
        modes.push_back(
            {&value[i], value[i].extent, value[i].stride / before[dim]});
    if (!canCut(modes, offset[dim], shape[dim]))
      return refuse("the part of ", shape[dim], " from ", offset[dim],
                    " along dimension ", dim, " of ",
                    IntTuple::of(fragment.shape),
                    " is not spread evenly over the threads that hold it");
    cutDimension(std::move(modes), offset[dim], shape[dim]);
  }
  // A mode of one element keeps the stride that it would have in the part.
  auto rebased = [&](std::vector<Mode> modes) {
    for (Mode &mode : modes) {
      size_t dim = shape.size() - 1;
      while (dim > 0 && mode.stride < before[dim])
        --dim;
      mode.stride = mode.stride / before[dim] * after[dim];
    }
    return modes;
  };
  return FragmentLayout{shape, flatLayout(rebased(thread)),
                        flatLayout(rebased(value))};
}

std::vector<int64_t> valuesOfPart(const FragmentLayout &fragment,
                                  const std::vector<int64_t> &offset,
                                  const FragmentLayout &part) {
  std::map<std::vector<int64_t>, int64_t> numbers;
  for (int64_t value = 0; value < fragment.value.size(); ++value)
    numbers[coordinate(fragment, 0, value)] = value;
  std::vector<int64_t> result;
  for (int64_t value = 0; value < part.value.size(); ++value) {
    std::vector<int64_t> at = coordinate(part, 0, value);
    for (size_t dim = 0; dim < at.size(); ++dim)
      at[dim] += offset[dim];
    result.push_back(numbers.at(at));
  }
  return result;
}

std::optional<WarpRows> warpRows(const FragmentLayout &fragment) {
  constexpr int64_t lanes = target::warpThreads;
  std::vector<Mode> ofWarp;
  int64_t threads = 1;
  for (Mode mode : leafModes(fragment.thread)) {
    if (threads >= lanes) {
      if (mode.extent > 1 && dimensionOf(mode, fragment.shape) != 0)
        return std::nullopt;
      ofWarp.push_back(mode);
    }
    threads *= mode.extent;
    if (threads > lanes && threads / mode.extent < lanes)
      return std::nullopt;
  }
  if (threads < lanes)
    return std::nullopt;
  std::vector<int64_t> ofValue;
  for (int64_t value = 0; value < fragment.value.size(); ++value)
    ofValue.push_back(fragment.value(value));
  std::vector<bool> holds(fragment.thread.cosize() + fragment.value.cosize());
  std::vector<bool> holdsRow(fragment.shape[0]);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const int64_t ofLane = fragment.thread(lane);
    for (int64_t offset : ofValue) {
      const int64_t element = ofLane + offset;
      if (holds[element])
        return std::nullopt;
      holds[element] = true;
      holdsRow[element % fragment.shape[0]] = true;
    }
  }
  std::set<int64_t> rows;
  for (int64_t row = 0; row < fragment.shape[0]; ++row)
    if (holdsRow[row])
      rows.insert(row);
  const int64_t elements = lanes * fragment.value.size();
  int64_t perRow = IntTuple::of(fragment.shape).product() / fragment.shape[0];
  if (elements != int64_t(rows.size()) * perRow)
    return std::nullopt;

  std::vector<int64_t> starts;
  for (int64_t row : rows)
    if (!rows.contains(row - 1))
      starts.push_back(row);
  const int64_t parts = starts.size();
  WarpRows result{int64_t(rows.size()) / parts, parts,
                  parts > 1 ? starts[1] : 0, flatLayout(ofWarp)};
  for (int64_t part = 0; part < parts; ++part)
    for (int64_t i = 0; i < result.count; ++i)
      if (!rows.contains(part * result.stride + i))
        return std::nullopt;
  return result;
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

Result<FragmentLayout> FragmentLayout::parse(std::string_view text) {
  size_t space = text.find(' ');
  size_t slash = text.find(" / ");
  if (space == std::string_view::npos || slash == std::string_view::npos ||
      space >= slash)
    return refuse(
        "'", text,
        "' is not a fragment layout: expected 128x256 thread / value");
  std::string extents(text.substr(0, space));
  std::ranges::replace(extents, 'x', ',');
  Result<IntTuple> shape = IntTuple::parse("(" + extents + ")");
  if (!shape)
    return shape.refusal();
  Result<Layout> thread =
      Layout::parse(text.substr(space + 1, slash - space - 1));
  if (!thread)
    return thread.refusal();
  Result<Layout> value = Layout::parse(text.substr(slash + 3));
  if (!value)
    return value.refusal();
  FragmentLayout fragment{shape->flatten(), *thread, *value};
  if (auto refusal = whyNotFragment(fragment))
    return *refusal;
  return fragment;
}

std::ostream &operator<<(std::ostream &out, const FragmentLayout &fragment) {
  return out << fragment.str();
}

} // namespace ashlar::layout
