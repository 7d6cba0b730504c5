// Cases of instructions that do the same in each thread: values in, values out.
#pragma once

#include "test/conformance/Case.h"

#include <string>
#include <vector>

namespace ashlar::conformance {

/// A thread loads a value of each source to %a0, %a1, ..., executes the text
/// and stores %d0, %d1, ... Predicates %p0 to %p3, and registers %h, %w, %x of
/// 16, 32 and 64 bits, four of each, are there for the text to use.
struct LaneCase {
  std::string family;
  std::string name; // and the text's first part, where `text` is empty
  std::string text; // empty: "name %d0, %a0, %a1, ...;"
  /// Types of the values: "s32", "f16x2"; also "shift", a small number of 32
  /// bits, and "byte", 0 to 255 with 32 bits, where it matters.
  std::vector<std::string> sources, results;
  Compare compare = Compare::bits;
  double absolute = 0, relative = 0;
  /// Where given (low < high) the f32 sources are only such numbers.
  double low = 0, high = 0;
  bool allHalves = false; // all 65536 values of a single 16-bit source
};

Case makeCase(const LaneCase &description);

/// The cases of a family whose instructions have one result.
class LaneCases {
public:
  explicit LaneCases(std::string family) : family(std::move(family)) {}

  void add(const std::string &name, const std::vector<std::string> &sources,
           const std::string &result, const std::string &text = "");
  /// "name.type", with so many sources of that type and a result of it.
  void addSame(const std::string &name, const std::string &type,
               unsigned sources);

  const std::string family;
  std::vector<Case> all;
};

/// The type that a pair consists of, or the type itself.
std::string elementOf(const std::string &type);

} // namespace ashlar::conformance
