// Layouts: functions from coordinates to offsets, given by a tree of extents
// and a congruent tree of strides. The notation and the algebra are those of
// CuTe (NVIDIA CUTLASS, "CuTe Layouts" and "CuTe Layout Algebra").

#pragma once

#include "compiler/layout/IntTuple.h"

namespace ashlar::layout {

/// The function that sums coordinate times stride over the leaves of a shape.
///
/// A coordinate may be given at any level of the tree: an integer where the
/// shape has a tree is taken apart colexicographically (leftmost fastest).
/// An integer beyond the extent continues along the last leaf, as in CuTe.
class Layout {
public:
  /// The layout of one element, 1:0.
  Layout() : Layout(1, 0) {}

  /// The compact layout of this shape, leftmost leaf fastest.
  explicit Layout(const IntTuple &shape);

  /// Shape and stride are as `make` wants them.
  Layout(IntTuple shape, IntTuple stride);

  /// Refuses unless shape and stride are congruent, every extent is at least 1,
  /// no stride is negative, and size and offsets are numbers that can be
  /// reckoned with.
  static Result<Layout> make(IntTuple shape, IntTuple stride);

  /// The compact layout of this shape, rightmost leaf fastest.
  static Layout rowMajor(const IntTuple &shape);

  /// Reads what str() writes, or says what the text is not.
  static Result<Layout> parse(std::string_view text);

  const IntTuple &shape() const { return theShape; }
  const IntTuple &stride() const { return theStride; }

  /// The number of top-level modes.
  int64_t rank() const { return theShape.size(); }
  Layout mode(int64_t i) const { return Layout(theShape[i], theStride[i]); }

  /// All top-level modes, such that concat(modes()) is this layout.
  std::vector<Layout> modes() const;

  /// The number of coordinates.
  int64_t size() const { return theShape.product(); }

  /// One more than the largest offset.
  int64_t cosize() const;

  /// A linear coordinate is not negative.
  int64_t operator()(int64_t linear) const;

  /// The coordinate has no more structure than the shape.
  int64_t operator()(const IntTuple &coordinate) const;

  /// The offset at one linear coordinate per top-level mode.
  int64_t at(std::span<const int64_t> coordinates) const;
  int64_t at(std::initializer_list<int64_t> coordinates) const {
    return at(std::span(coordinates.begin(), coordinates.size()));
  }

  /// "((8,16),64):((64,512),1)"
  std::string str() const;
  bool operator==(const Layout &other) const = default;

private:
  IntTuple theShape, theStride;
};

std::ostream &operator<<(std::ostream &out, const Layout &layout);

/// The layout whose top-level modes are these.
Layout concat(const std::vector<Layout> &modes);

} // namespace ashlar::layout
