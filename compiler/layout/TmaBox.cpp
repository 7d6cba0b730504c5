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

/// Extents and steps of the boxes.
struct BoxForm {
  std::vector<int64_t> box, step;

  /// Along a dimension, the elements of the box that has this one before it.
  int64_t before(size_t dimension, int64_t at) const {
    return at / step[dimension] % box[dimension];
  }
  /// The first element of that box.
  int64_t first(size_t dimension, int64_t at) const {
    return at - before(dimension, at) * step[dimension];
  }
};

/// How far apart elements are that lie one behind another: those of which a
/// dimension has every second one first, say, as (2,64):(8192,128) does.
int64_t stepOf(const Layout &mode, int64_t denseBytes) {
  const std::vector<int64_t> extents = mode.shape().flatten(),
                             strides = mode.stride().flatten();
  return extents.size() == 2 && strides[0] > denseBytes &&
                 strides[1] == denseBytes
             ? extents[0]
             : 1;
}

/// The form of the boxes, chosen from the inside out: a dimension joins the
/// box as long as the box stays dense in the tile.
Result<BoxForm> boxForm(const SwizzledLayout &tile,
                        const std::vector<int64_t> &shape,
                        int64_t elementBytes) {
  std::vector<int64_t> box(shape.size(), 1), step(shape.size(), 1);
  int64_t denseBytes = atomBytes(tile);
  box.back() = std::min(denseBytes / elementBytes, shape.back());
  // What is not swizzled may be longer than the atom, if it is dense: a row.
  const Layout row = tile.layout.mode(static_cast<int64_t>(shape.size()) - 1);
  if (!tile.swizzle.bits && row == Layout(row.size(), elementBytes))
    box.back() = std::max(box.back(), longestPart(shape.back(), elementBytes));
  for (size_t i = shape.size() - 1; i-- > 0;) {
    if (shape[i] == 1)
      continue;
    step[i] = stepOf(tile.layout.mode(i), denseBytes);
    if (tile.layout.mode(i)(step[i] % shape[i]) != denseBytes)
      break;
    const int64_t rows = shape[i] / step[i];
    int64_t parts =
        (shape[i] + target::tmaBoxExtent - 1) / target::tmaBoxExtent;
    auto fits = [&] {
      return rows % parts == 0 &&
             rows / parts * denseBytes % alignmentBytes(tile) == 0;
    };
    while (parts > 1 && parts < rows && !fits())
      ++parts;
    if (parts > 1 && !fits())
      return refuse(
          "dimension ", i, " of the shared tile ", shapeText(shape),
          " has extent ", shape[i], ", more than the ", target::tmaBoxExtent,
          " of a TMA box, and no even split of it starts at multiples of ",
          alignmentBytes(tile), " bytes: use a multiple of ",
          target::tmaBoxExtent);
    box[i] = rows / parts;
    denseBytes *= rows;
    if (parts > 1 || step[i] > 1)
      break;
  }
  return BoxForm{box, step};
}

/// Every box must be, at each of its coordinates, dense in the tile: linear
/// along every dimension, with the strides of its own row-major image.
std::optional<Refusal> whyNotDense(const SwizzledLayout &tile,
                                   const std::vector<int64_t> &shape,
                                   const BoxForm &form, int64_t elementBytes) {
  int64_t denseBytes = elementBytes;
  for (size_t i = shape.size(); i-- > 0;) {
    Layout mode = tile.layout.mode(i);
    for (int64_t at = 0; at < shape[i]; ++at)
      if (mode(at) != mode(form.first(i, at)) + form.before(i, at) * denseBytes)
        return refuse("the shared tile ", shapeText(shape),
                      " is not made of TMA boxes of ", shapeText(form.box),
                      ", since dimension ", i, " goes on elsewhere at ", at,
                      ": use parts of whole swizzle atoms, of 8 rows of ",
                      atomBytes(tile), " bytes");
    denseBytes =
        i + 1 == shape.size() ? atomBytes(tile) : denseBytes * form.box[i];
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
  Result<BoxForm> form = boxForm(tile, shape, elementBytes);
  if (!form)
    return form.refusal();
  const std::vector<int64_t> &box = form->box;
  if (shape.back() % box.back() != 0)
    return refuse("rows of ", shape.back(), " elements of the shared tile ",
                  shapeText(shape), " are not a multiple of the ", box.back(),
                  " of a swizzle atom: use such a multiple");
  if (auto refusal = whyNotDense(tile, shape, *form, elementBytes))
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
    boxes.push_back({box, form->step, offset, sharedOffset});
    size_t i = shape.size();
    for (more = false; i-- > 0 && !more;) {
      // The first element of the next box.
      do
        ++offset[i];
      while (offset[i] < shape[i] && form->before(i, offset[i]) != 0);
      more = offset[i] < shape[i];
      if (!more)
        offset[i] = 0;
    }
  }
  return boxes;
}

} // namespace ashlar::layout
