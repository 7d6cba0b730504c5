// Work spread over the host's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace ashlar::bench {

/// Calls `work(begin, end)` for parts of [0, count) that are at most `grain`
/// long, in any order, on all cores. `work` must not throw.
template <typename Work>
void inParallel(int64_t count, int64_t grain, const Work &work) {
  std::atomic<int64_t> next = 0;
  auto body = [&] {
    for (int64_t begin; (begin = next.fetch_add(grain)) < count;)
      work(begin, std::min(begin + grain, count));
  };
  const int64_t parts = (count + grain - 1) / grain;
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (int64_t i = 1; i < std::min(parts, cores); ++i)
    threads.emplace_back(body);
  body();
}

} // namespace ashlar::bench
