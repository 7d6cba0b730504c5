// Fuzzes the simulator with PTX: any text is parsed and decoded, or refused,
// and what is accepted can be launched; what is wrong with it is a finding.
#include "test/fuzz/LoadPtx.h"

#include <cstddef>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr uint64_t seeds = 5;
  ashlar::sim::loadAndLaunch({reinterpret_cast<const char *>(data), size},
                             size % seeds);
  return 0;
}
