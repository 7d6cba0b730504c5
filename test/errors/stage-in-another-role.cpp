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
      // CHECK: stage-in-another-role.cpp:[[@LINE+1]]: error: stage declared at stage-in-another-role.cpp:[[@LINE-5]] is used outside its role (at stage-in-another-role.cpp:[[@LINE-6]]); acquire or wait for a stage where you use it
      ring.release(*kept);
    });
  });
}
