#include "compiler/layout/TmaBox.h"

#include "compiler/layout/SharedTile.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <optional>

namespace ashlar::layout {

namespace {

std::string shapeText(const std::vector<int64_t> &shape) {
  return IntTuple::of(shape).str();
}

/// The longest even part of a row that is a box, and behind which another may
/// begin; 0 if there is none.
int64_t longestPart(int64_t row, int64_t elementBytes) {
  for (int64_t part = std::min(row, target::tmaBoxExtent); part > 0; --part)
    if (row % part == 0 &&
        (part == row || part * elementBytes % target::tmaSharedAlignment == 0))
      return part;
  return 0;
}

/// The extents of the boxes, chosen from the inside out: a dimension joins the
/// box as long as the box stays dense in the tile.
Result<std::vector<int64_t>> boxExtents(const SwizzledLayout &tile,
                                        const std::vector<int64_t> &shape,
                                        int64_t elementBytes) {
  std::vector<int64_t> box(shape.size(), 1);
  int64_t denseBytes = atomBytes(tile);
  box.back() = std::min(denseBytes / elementBytes, shape.back());
  // What is not swizzled may be longer than the atom, if it is dense: a row.
  const Layout row = tile.layout.mode(static_cast<int64_t>(shape.size()) - 1);
  if (!tile.swizzle.bits && row == Layout(row.size(), elementBytes))
    box.back() = std::max(box.back(), longestPart(shape.back(), elementBytes));
  for (size_t i = shape.size() - 1; i-- > 0;) {
    if (shape[i] == 1)
      continue;
    if (tile.layout.mode(i)(1) != denseBytes)
      break;
    int64_t parts =
        (shape[i] + target::tmaBoxExtent - 1) / target::tmaBoxExtent;
    auto fits = [&] {
      return shape[i] % parts == 0 &&
             shape[i] / parts * denseBytes % alignmentBytes(tile) == 0;
    };
    while (parts > 1 && parts < shape[i] && !fits())
      ++parts;
    if (parts > 1 && !fits())
      return refuse(
          "dimension ", i, " of the shared tile ", shapeText(shape),
          " has extent ", shape[i], ", more than the ", target::tmaBoxExtent,
          " of a TMA box, and no even split of it starts at multiples of ",
          alignmentBytes(tile), " bytes: use a multiple of ",
          target::tmaBoxExtent);
    box[i] = shape[i] / parts;
    denseBytes *= shape[i];
    if (parts > 1)
      break;
  }
  return box;
}

/// Every box must be, at each of its coordinates, dense in the tile: linear
/// along every dimension, with the strides of its own row-major image.
std::optional<Refusal> whyNotDense(const SwizzledLayout &tile,
                                   const std::vector<int64_t> &shape,
                                   const std::vector<int64_t> &box,
                                   int64_t elementBytes) {
  int64_t denseBytes = elementBytes;
  for (size_t i = shape.size(); i-- > 0;) {
    Layout mode = tile.layout.mode(i);
    for (int64_t at = 0; at < shape[i]; ++at)
      if (mode(at) != mode(at / box[i] * box[i]) + at % box[i] * denseBytes)
        return refuse("the shared tile ", shapeText(shape),
                      " is not made of TMA boxes of ", shapeText(box),
                      ", since dimension ", i, " goes on elsewhere at ", at,
                      ": use parts of whole swizzle atoms, of 8 rows of ",
                      atomBytes(tile), " bytes");
    denseBytes = i + 1 == shape.size() ? atomBytes(tile) : denseBytes * box[i];
  }
  return std::nullopt;
}

} // namespace

Result<std::vector<TmaBox>> tmaBoxes(const SwizzledLayout &tile,
                                     std::vector<int64_t> shape,
                                     int64_t elementBytes) {
  if (elementBytes < 1 || atomBytes(tile) % elementBytes != 0)
    return refuse("rows of ", atomBytes(tile), " bytes in the swizzle of ",
                  tile, " do not hold elements of ", elementBytes, " bytes");
  if (tile.layout.rank() != static_cast<int64_t>(shape.size()))
    return refuse("the layout ", tile, " does not have the ", shape.size(),
                  " dimensions of the tile ", shapeText(shape));
  for (size_t i = 0; i < shape.size(); ++i)
    if (tile.layout.mode(i).size() != shape[i])
      return refuse("dimension ", i, " of the layout ", tile, " has extent ",
                    tile.layout.mode(i).size(), ", that of the tile ",
                    shapeText(shape), " has ", shape[i]);
  if (auto refusal = whyNotRows("the shared tile ", shape, elementBytes))
    return *refusal;
  Result<std::vector<int64_t>> extents = boxExtents(tile, shape, elementBytes);
  if (!extents)
    return extents.refusal();
  const std::vector<int64_t> &box = *extents;
  if (shape.back() % box.back() != 0)
    return refuse("rows of ", shape.back(), " elements of the shared tile ",
                  shapeText(shape), " are not a multiple of the ", box.back(),
                  " of a swizzle atom: use such a multiple");
  if (auto refusal = whyNotDense(tile, shape, box, elementBytes))
    return *refusal;

  // Box by box, the last dimension fastest.
  std::vector<TmaBox> boxes;
  std::vector<int64_t> offset(shape.size(), 0);
  for (bool more = true; more;) {
    int64_t sharedOffset = tile.layout.at(offset);
    if (sharedOffset % target::tmaSharedAlignment != 0)
      return refuse("the TMA box ", shapeText(box), " at ", shapeText(offset),
                    " of the tile ", shapeText(shape), " starts at byte ",
                    sharedOffset, "; TMA needs a multiple of ",
                    target::tmaSharedAlignment,
                    ": give it rows of a multiple of ",
                    target::mostSwizzleBytes / elementBytes, " elements");
    boxes.push_back({box, offset, sharedOffset});
    size_t i = shape.size();
    for (more = false; i-- > 0 && !more;) {
      offset[i] += box[i];
      more = offset[i] < shape[i];
      if (!more)
        offset[i] = 0;
    }
  }
  return boxes;
}

} // namespace ashlar::layout
