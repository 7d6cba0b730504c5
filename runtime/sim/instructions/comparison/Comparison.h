// The comparisons of set and setp.
#pragma once

#include "runtime/sim/instructions/floating/Float.h"

#include <cstddef>
#include <optional>

namespace ashlar::sim {

enum class Comparison : uint8_t {
  // clang-format off
  equal, notEqual, less, lessEqual, greater, greaterEqual,
  lower, lowerSame, higher, higherSame, // of unsigned integers
  equalUnordered, notEqualUnordered, lessUnordered, lessEqualUnordered,
  greaterUnordered, greaterEqualUnordered, // true when a NaN is compared
  numbers, nan,
  // clang-format on
};

std::optional<Comparison> takeComparison(Decoder &decoder);

/// Compares the 32 values of two registers: bit i is set where those of lane i
/// compare so.
using CompareFunction = LaneMask (*)(const std::byte *a, const std::byte *b);

/// For values of the type, or null where it does not have the comparison.
/// `high`: the upper halves of pairs, else the lower.
CompareFunction compareFunction(Comparison comparison, ptx::Type type,
                                bool flush, bool high);

void addSelectionInstructions(OpcodeTable &table); // Selection.cpp

} // namespace ashlar::sim
