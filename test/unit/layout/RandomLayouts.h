// Random layouts for tests of laws, and the expectation of a refusal.

#pragma once

#include "compiler/layout/Layout.h"
#include "compiler/layout/Mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

/// Expects a result that is a refusal whose sentence contains `words`.
#define EXPECT_REFUSAL(result, words)                                          \
  EXPECT_THAT(::ashlar::layout::whyNot(result), ::testing::HasSubstr(words))

namespace ashlar::layout {

template <typename T> std::string whyNot(const Result<T> &result) {
  return result ? "it was not refused" : result.why();
}

/// A source of layouts that is the same in every run.
class RandomLayouts {
public:
  explicit RandomLayouts(uint64_t seed) : engine(seed) {}

  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  int64_t pick(const std::vector<int64_t> &choices) {
    return choices[number(0, choices.size() - 1)];
  }

  /// Up to four modes of any strides, nested at random.
  Layout any() {
    std::vector<Mode> modes;
    for (int64_t i = number(1, 4); i > 0; --i)
      modes.push_back({pick({1, 1, 2, 2, 3, 4, 4, 6, 8}),
                       pick({0, 1, 1, 2, 2, 3, 4, 4, 6, 8, 12, 16, 24})});
    return nested(modes);
  }

  /// Modes in any order that do not overlap, with gaps of whole multiples.
  Layout injective(int64_t maxGap) {
    std::vector<Mode> modes;
    int64_t stride = number(1, maxGap);
    for (int64_t i = number(1, 4); i > 0; --i) {
      modes.push_back({pick({1, 2, 3, 4, 5, 8}), stride});
      stride *= modes.back().extent * number(1, maxGap);
    }
    std::ranges::shuffle(modes, engine);
    return nested(modes);
  }

  /// A permutation of 0..size-1.
  Layout compact() { return injective(1); }

  /// These modes with a random tree over them, at least one level deep.
  Layout nested(const std::vector<Mode> &modes) {
    std::vector<Layout> level;
    for (Mode mode : modes)
      level.push_back(Layout(mode.extent, mode.stride));
    while (level.size() > 1 && number(0, 2) > 0) {
      size_t first = number(0, level.size() - 1);
      size_t last = number(first + 1, level.size());
      Layout group = concat({level.begin() + first, level.begin() + last});
      level.erase(level.begin() + first, level.begin() + last);
      level.insert(level.begin() + first, group);
    }
    return concat(level);
  }

private:
  std::mt19937_64 engine;
};

/// All offsets of a layout in the order of its linear coordinate.
inline std::vector<int64_t> offsets(const Layout &layout) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < layout.size(); ++i)
    result.push_back(layout(i));
  return result;
}

} // namespace ashlar::layout
