#include "compiler/layout/SharedTile.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace ashlar::layout {

namespace {

/// Addresses of shared memory have 32 bits, and sums of them a sign.
constexpr int64_t MaxBytes = int64_t(1) << 31;

std::string shapeText(const std::vector<int64_t> &shape) {
  return IntTuple::of(shape).str();
}

std::optional<Refusal> whyNotShape(const std::vector<int64_t> &shape,
                                   int64_t elementBytes) {
  if (shape.empty() || shape.size() > target::tmaDimensions)
    return refuse("the shared tile ", shapeText(shape), " has ", shape.size(),
                  " dimensions; TMA copies tiles of 1 to ",
                  target::tmaDimensions);
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < 1; }))
    return refuse("the shared tile ", shapeText(shape),
                  " has an empty dimension");
  if (elementBytes < 1 || elementBytes > 16 ||
      !std::has_single_bit(static_cast<uint64_t>(elementBytes)))
    return refuse("the shared tile ", shapeText(shape), " has elements of ",
                  elementBytes, " bytes; 1, 2, 4, 8 and 16 are possible");
  int64_t bytes = elementBytes;
  for (int64_t extent : shape) {
    if (extent >= MaxBytes / bytes)
      return refuse("the shared tile ", shapeText(shape),
                    " has more bytes than an address of 32 bits");
    bytes *= extent;
  }
  return std::nullopt;
}

/// Columns of which the second half lies between those of the first.
constexpr int64_t interleavedRun = 8;

/// The columns of a tile, numbered as they lie, numbered so that they are
/// interleaved.
Layout interleave(const Layout &columns) {
  const bool inBlocks = columns.rank() > 1;
  const Layout block = inBlocks ? columns.mode(0) : columns;
  const int64_t step = block(1);
  const std::vector<Layout> eights{
      Layout(interleavedRun / 2, 2 * step), Layout(2, step),
      Layout(block.size() / interleavedRun, interleavedRun * step)};
  return inBlocks ? concat({concat(eights), columns.mode(1)})
                  : concat({concat(eights)});
}

bool isOneRow(const std::vector<int64_t> &shape) {
  return std::all_of(shape.begin(), shape.end() - 1,
                     [](int64_t extent) { return extent == 1; });
}

/// Along each dimension, after how many elements another atom begins; its
/// extent where none does.
std::vector<int64_t> stepsOfAtoms(const SwizzledLayout &tile) {
  std::vector<int64_t> steps;
  for (int64_t i = 0; i < tile.layout.rank(); ++i) {
    const Layout mode = tile.layout.mode(i);
    auto isStep = [&](int64_t step) {
      for (int64_t at = 0; at < mode.size(); at += step)
        if (mode(at) % alignmentBytes(tile) != 0)
          return false;
      return true;
    };
    int64_t step = 1;
    while (step < mode.size() && !isStep(step))
      ++step;
    steps.push_back(step);
  }
  return steps;
}

} // namespace

std::optional<Refusal> whyNotRows(const char *what,
                                  const std::vector<int64_t> &shape,
                                  int64_t elementBytes) {
  const int64_t bytes = shape.back() * elementBytes;
  if (bytes % target::tmaAlignment == 0)
    return std::nullopt;
  return refuse(what, shapeText(shape), " has rows of ", bytes, " bytes (",
                shape.back(), " elements of ", elementBytes,
                "); TMA needs a multiple of 16: use a multiple of ",
                16 / elementBytes, " elements");
}

Result<SwizzledLayout> sharedTileLayout(std::vector<int64_t> shape,
                                        int64_t elementBytes) {
  if (auto refusal = whyNotShape(shape, elementBytes))
    return *refusal;
  int64_t innerBytes = shape.back() * elementBytes;
  std::vector<Layout> modes(shape.size());
  if (isOneRow(shape)) {
    // No column of one row has a bank conflict, and TMA's boxes are wider.
    std::fill(modes.begin(), modes.end() - 1, Layout(1, innerBytes));
    modes.back() = Layout(shape.back(), elementBytes);
    return SwizzledLayout{Swizzle{0, 4, 3}, concat(modes)};
  }
  if (auto refusal = whyNotRows("the shared tile ", shape, elementBytes))
    return *refusal;
  int64_t atom = std::min(innerBytes & -innerBytes, target::mostSwizzleBytes);
  int64_t denseBytes = atom;
  for (size_t i = shape.size() - 1; i-- > 0;) {
    modes[i] = Layout(shape[i], denseBytes);
    denseBytes *= shape[i];
  }
  Layout row(atom / elementBytes, elementBytes);
  Layout blocks(innerBytes / atom, denseBytes);
  modes.back() = blocks.size() == 1 ? row : concat({row, blocks});
  int bits = std::countr_zero(static_cast<uint64_t>(atom / 16));
  return SwizzledLayout{Swizzle{bits, 4, 3}, concat(modes)};
}

Result<SwizzledLayout> evenRowsFirst(const std::vector<int64_t> &shape,
                                     int64_t elementBytes) {
  Result<SwizzledLayout> tile = sharedTileLayout(shape, elementBytes);
  if (!tile)
    return tile;
  if (shape.size() != 2 || shape[0] % (2 * target::swizzleRows) != 0)
    return refuse("the shared tile ", shapeText(shape),
                  " has its even rows first: that is for a matrix whose rows "
                  "are a multiple of ",
                  2 * target::swizzleRows);
  const int64_t half = shape[0] / 2, pitch = tile->layout.mode(0)(1);
  const Layout rows = concat({Layout(2, half * pitch), Layout(half, pitch)});
  return SwizzledLayout{tile->swizzle, concat({rows, tile->layout.mode(1)})};
}

bool areRowsApart(const SwizzledLayout &tile) {
  return tile.layout.rank() == 2 && tile.layout.mode(0).rank() == 2;
}

bool hasEvenRowsFirst(const SwizzledLayout &tile) {
  if (!areRowsApart(tile))
    return false;
  const Layout rows = tile.layout.mode(0);
  return rows.mode(0).size() == 2 && rows.mode(1).size() > 1 &&
         rows(1) == rows.mode(1).size() * rows(2);
}

SwizzledLayout rowsAsTheyLie(const SwizzledLayout &tile) {
  if (!hasEvenRowsFirst(tile))
    return tile;
  const Layout rows = tile.layout.mode(0);
  return {tile.swizzle,
          concat({Layout(rows.size(), rows(2)), tile.layout.mode(1)})};
}

Result<SwizzledLayout> interleavedColumns(const std::vector<int64_t> &shape,
                                          int64_t elementBytes) {
  Result<SwizzledLayout> tile = sharedTileLayout(shape, elementBytes);
  if (!tile)
    return tile;
  const int64_t inBlock =
      shape.size() == 2 ? atomBytes(*tile) / elementBytes : 0;
  if (!inBlock || inBlock % interleavedRun != 0)
    return refuse("the shared tile ", shapeText(shape),
                  " has its columns interleaved: that is for a matrix whose "
                  "columns are a multiple of ",
                  interleavedRun);
  return SwizzledLayout{
      tile->swizzle,
      concat({tile->layout.mode(0), interleave(tile->layout.mode(1))})};
}

bool hasInterleavedColumns(const SwizzledLayout &tile) {
  if (tile.layout.rank() != 2 || tile.layout.mode(1).size() < interleavedRun)
    return false;
  const Layout columns = tile.layout.mode(1);
  return columns(1) == 2 * columns(interleavedRun / 2);
}

SwizzledLayout columnsAsTheyLie(const SwizzledLayout &tile) {
  if (!hasInterleavedColumns(tile))
    return tile;
  const Layout columns = tile.layout.mode(1), eights = columns.mode(0);
  const Layout block(eights.size(), columns(interleavedRun / 2));
  return {
      tile.swizzle,
      concat({tile.layout.mode(0),
              columns.rank() > 1 ? concat({block, columns.mode(1)}) : block})};
}

Result<SwizzledLayout> partOfTile(const SwizzledLayout &tile,
                                  const std::vector<int64_t> &offset,
                                  const std::vector<int64_t> &shape,
                                  int64_t elementBytes) {
  if (hasInterleavedColumns(tile)) {
    auto part = partOfTile(columnsAsTheyLie(tile), offset, shape, elementBytes);
    if (!part)
      return part;
    return SwizzledLayout{
        part->swizzle,
        concat({part->layout.mode(0), interleave(part->layout.mode(1))})};
  }
  if (auto refusal = whyNotShape(shape, elementBytes))
    return *refusal;
  if (!isOneRow(shape))
    if (auto refusal = whyNotRows("the part ", shape, elementBytes))
      return *refusal;
  if (tile.layout.at(offset) % alignmentBytes(tile) != 0)
    return refuse("the part ", shapeText(shape), " begins at ",
                  shapeText(offset), ", within a swizzle atom of 8 rows of ",
                  atomBytes(tile), " bytes: begin at multiples of ",
                  shapeText(stepsOfAtoms(tile)));
  std::vector<Layout> modes(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    Layout mode = tile.layout.mode(static_cast<int64_t>(i));
    std::vector<int64_t> extents = mode.shape().flatten();
    std::vector<int64_t> strides = mode.stride().flatten();
    if (shape[i] <= extents[0])
      modes[i] = Layout(shape[i], strides[0]);
    else if (shape[i] % extents[0] == 0)
      modes[i] = concat({Layout(extents[0], strides[0]),
                         Layout(shape[i] / extents[0], strides.at(1))});
    else
      return refuse("the part ", shapeText(shape), " cuts a column block of ",
                    extents[0],
                    " elements: use a multiple of that, or no more");
  }
  return SwizzledLayout{tile.swizzle, concat(modes)};
}

PartPlaces partPlaces(const SwizzledLayout &tile, int64_t dimension) {
  const Layout mode = columnsAsTheyLie(tile).layout.mode(dimension);
  // Within a column block only its first element begins an atom.
  const bool inBlocks = mode.stride().flatten().size() > 1;
  const int64_t elements = inBlocks ? mode.shape().flatten()[0] : 1;
  const int64_t bytes = mode.stride().flatten()[inBlocks ? 1 : 0];
  const int64_t alignment = alignmentBytes(tile);
  const int64_t steps = alignment / std::gcd(alignment, bytes);
  return {elements * steps, bytes * steps};
}

int64_t atomBytes(const SwizzledLayout &tile) {
  return int64_t(16) << tile.swizzle.bits;
}

int64_t alignmentBytes(const SwizzledLayout &tile) {
  return std::max(target::swizzleRows * atomBytes(tile),
                  target::tmaSharedAlignment);
}

} // namespace ashlar::layout
