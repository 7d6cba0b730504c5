// What the warps of a launch do with groups of wgmma, seen in the simulator.
#ifndef ASHLAR_TEST_CORPUS_OBSERVE_H
#define ASHLAR_TEST_CORPUS_OBSERVE_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ashlar::corpus {

/// wgmma.mma_async of one warp, counted.
struct WgmmaRecord {
  /// A wgmma.wait_group that completed something.
  struct Wait {
    int64_t issued = 0;    ///< until then
    int64_t completed = 0; ///< of them, the first, by this wait
  };
  int64_t issued = 0, completed = 0;
  std::vector<int64_t> groupEnds; ///< how many were issued at each commit
  std::vector<Wait> waits;
};

/// By the number of the CTA in the grid and of the warp in the CTA.
using WgmmaRecords = std::map<std::pair<uint32_t, uint32_t>, WgmmaRecord>;

/// Makes the modules that are loaded record what they do, from now on.
void observeWgmma();

/// What was recorded, once.
WgmmaRecords takeWgmmaRecords();

} // namespace ashlar::corpus

#endif
