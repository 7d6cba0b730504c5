// Which coordinates to look at when there is no time for all.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace ashlar::harness {

/// Visits every coordinate of the shape, or, when a few visits show that this
/// would take more than `seconds`, the corners, then others in turn: one at
/// the end of some dimension, one anywhere.
void visitAsManyAsFit(
    std::span<const int64_t> shape, double seconds,
    const std::function<void(std::span<const int64_t>)> &visit);

} // namespace ashlar::harness
