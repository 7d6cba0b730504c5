// Waiting with a limit: the driver's own waits have none.
#pragma once

#include "runtime/DriverTypes.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ashlar {

/// Asks `query` until it answers something other than notReady or `limit` has
/// passed; returns its last answer. The sleeps start short, so that a short
/// kernel is not made to look long, and end at a millisecond.
template <typename Query>
driver::Result pollUntil(const Query &query, std::chrono::milliseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  std::chrono::microseconds pause(10);
  while (true) {
    driver::Result result = query();
    // In milliseconds: the greatest limit does not fit the clock's nanoseconds.
    auto waited = std::chrono::floor<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    if (result != driver::Result::notReady || waited >= limit)
      return result;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(1000));
  }
}

} // namespace ashlar
