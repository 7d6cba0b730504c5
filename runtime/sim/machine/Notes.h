// What a compiler tells of its roles and its shared memory in `//@` lines:
//   //@ role load warps 8 1
//   //@ shared 16384 8192 stage 1 of the pipeline at gemm.cpp:26, tile 0
// A role has the warps from the first number on, as many as the second says.
// Shared memory is described from a byte offset in the dynamic part, for a
// number of bytes.
#pragma once

#include "runtime/sim/ptx/Module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::sim {

class Notes {
public:
  /// The notes of one function, and those of the module.
  Notes(const ptx::Module &module, const ptx::Function &function);

  /// The name of the role of a warp of a CTA, or "".
  std::string roleOf(uint32_t warp) const;
  /// What lies at an offset of the dynamic shared memory, or "".
  std::string describeShared(uint64_t offset) const;

private:
  struct Role {
    std::string name;
    uint32_t first = 0, count = 0;
  };
  struct Stretch {
    uint64_t offset = 0, sizeBytes = 0;
    std::string name;
  };
  std::vector<Role> roles;
  std::vector<Stretch> stretches;
};

} // namespace ashlar::sim
