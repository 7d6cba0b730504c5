// How a role combines the elements of a fragment along dimensions.

#pragma once

#include "compiler/layout/Fragment.h"

namespace ashlar::layout {

/// What is combined in a warp, and what is left: each thread combines its own
/// values, then lanes do by shuffles. Where more threads hold what belongs
/// together there are several parts of each result.
struct WarpReduction {
  /// The lanes that differ in one of these bits of their number combine what
  /// they hold; powers of two below the lanes of a warp, ascending.
  std::vector<int64_t> distances;
  /// How many parts of each result are left.
  int64_t parts;
  /// The parts: the dimensions that are kept, one of extent 1 where none are,
  /// then one that counts the parts if there are several.
  FragmentLayout partial;
  /// All parts in each thread that needs the result, in the same dimensions.
  FragmentLayout gathered;
  /// The result, as it is broadcast to the fragment again.
  FragmentLayout result;
};

/// Refuses where an element along a dimension that is combined lies in several
/// threads or values: it would count more than once.
Result<WarpReduction> warpReduction(const FragmentLayout &fragment,
                                    const std::vector<int> &dimensions);

/// The largest factor of `extent` that shuffles of a warp reach, for a mode of
/// threads that `position` threads come before in each step.
int64_t factorInWarp(int64_t position, int64_t extent);

/// The dimensions that are not combined.
std::vector<int> keptDimensions(int64_t rank,
                                const std::vector<int> &dimensions);

/// Of a thread's number: it holds the same as others do whose number differs by
/// multiples of `position` up to (extent - 1) · position.
struct Copies {
  int64_t position, extent;
  bool operator==(const Copies &) const = default;
};
/// The modes of threads that only repeat what others hold.
std::vector<Copies> copiesAmongThreads(const FragmentLayout &fragment);

/// A number for each thread, without gaps: the same for those that hold the
/// same.
Layout holders(const FragmentLayout &fragment);

} // namespace ashlar::layout
