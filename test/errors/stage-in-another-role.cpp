// Roles share stages through the pipeline, not through C++.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    std::optional<Stage> kept;
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      kept.emplace(ring.acquire());
      copy(A.tile({0, 0}), (*kept)[0]);
      ring.commit(*kept);
    });
    role("math", warpgroups(1), [&] {
      // CHECK
      ring.release(*kept);
    });
  });
}
