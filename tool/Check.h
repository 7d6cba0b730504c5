// A tensor that a kernel wrote, against what it should hold.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/problem.h"

#include <functional>
#include <optional>
#include <string>

namespace ashlar::harness {

using ElementReference =
    std::function<double(const Problem &, std::span<const int64_t>)>;

struct CheckResult {
  int64_t elements = 0;
  int64_t compared = 0;  ///< with the reference
  int64_t unwritten = 0; ///< still poisoned
  int64_t wrong = 0;
  /// The norm of the difference over the norm of the reference, of what was
  /// compared.
  double relativeError = 0;
  std::string first; ///< the first mistake, in words

  bool passed() const { return unwritten == 0 && wrong == 0; }
};

/// The tolerance of a type when `ToolOptions` gives none.
double defaultTolerance(ElementType type);

/// Looks at every element for one that was never written, and compares every
/// one with the reference, or, when that would take more than `seconds`, as
/// many as it can, among them the corners and the last of each dimension.
CheckResult check(const Problem &problem, const HostTensor &result,
                  const ElementReference &reference,
                  std::optional<double> tolerance = {}, double seconds = 2);

} // namespace ashlar::harness
