// Which elements to look at when there is no time for all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ashlar::harness {

/// Some `count` different elements of a shape by their row-major number,
/// ascending: the corners, then in turn one at the end of some dimension and
/// one anywhere. All of them when there are no more than `count`.
std::vector<int64_t> sample(std::span<const int64_t> shape, int64_t count);

/// The coordinate of an element by its row-major number.
void coordinateOf(int64_t number, std::span<const int64_t> shape,
                  std::span<int64_t> coordinate);

} // namespace ashlar::harness
