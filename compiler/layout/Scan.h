// How a role scans a fragment: each element becomes what those before it along
// a dimension are together.

#pragma once

#include "compiler/layout/Fragment.h"

namespace ashlar::layout {

/// A warp scans runs of neighbours along the dimension by itself, from single
/// elements on; where the runs of several threads or warps follow one another,
/// these tell what their runs are together.
struct WarpScan {
  /// So many runs that follow one another become one.
  struct Step {
    int64_t extent;
    /// They lie in the lanes that differ in this bit of their number; 0 where
    /// they lie in each thread.
    int64_t lane;
    bool operator==(const Step &) const = default;
  };
  std::vector<Step> steps;
  int64_t run;  ///< the elements of a run after the last step
  int64_t runs; ///< how many of them follow one another in the fragment
  /// What each run is together: the other dimensions of the fragment, then one
  /// that counts the runs.
  FragmentLayout totals;
  /// All of them in each thread that holds elements of the line.
  FragmentLayout gathered;
};

/// Refuses where an element lies in several threads or values that are not
/// copies of one another.
Result<WarpScan> warpScan(const FragmentLayout &fragment, int dimension);

} // namespace ashlar::layout
