// The XOR swizzle that keeps shared-memory tiles free of bank conflicts.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// XORs `bits` bits of an offset, `shift` places further up, onto the bits
/// from `base` on: x ^ ((x & mask) >> shift) with the mask of `bits` ones at
/// base + shift. It is its own inverse where bits <= shift.
///
/// On byte offsets the modes of TMA and wgmma are S<3,4,3> for 128-byte rows,
/// S<2,4,3> for 64 and S<1,4,3> for 32.
struct Swizzle {
  int bits = 0;
  int base = 4;
  int shift = 3;

  int64_t operator()(int64_t offset) const;
  int64_t apply(int64_t offset) const { return (*this)(offset); }

  /// "S<3,4,3>"
  std::string str() const;

  /// Refuses unless 0 <= bits <= shift and 0 <= base, all within 32 bits.
  static Result<Swizzle> parse(std::string_view text);
  bool operator==(const Swizzle &other) const = default;
};

/// A layout followed by a swizzle. For shared tiles the offsets are bytes.
struct SwizzledLayout {
  Swizzle swizzle;
  Layout layout;

  int64_t operator()(int64_t linear) const { return swizzle(layout(linear)); }
  int64_t operator()(const IntTuple &coordinate) const {
    return swizzle(layout(coordinate));
  }
  int64_t at(std::span<const int64_t> coordinates) const {
    return swizzle(layout.at(coordinates));
  }
  int64_t at(std::initializer_list<int64_t> coordinates) const {
    return swizzle(layout.at(coordinates));
  }

  int64_t size() const { return layout.size(); }

  /// One more than the largest offset of the layout before the swizzle, rounded
  /// up to the swizzle's row, for the swizzle moves offsets within it.
  int64_t cosize() const;

  /// "S<3,4,3> o (128,64):(128,2)"
  std::string str() const;
  static Result<SwizzledLayout> parse(std::string_view text);
  bool operator==(const SwizzledLayout &other) const = default;
};

std::ostream &operator<<(std::ostream &out, const Swizzle &swizzle);
std::ostream &operator<<(std::ostream &out, const SwizzledLayout &layout);

} // namespace ashlar::layout
