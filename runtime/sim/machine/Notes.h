// What a compiler tells of its roles and its shared memory in `//@` lines:
//   //@ role load warps 8 1
//   //@ shared 16384 8192 stage 1 of the pipeline at gemm.cpp:26, tile 0
//   //@ ring 3 memory 0 24576 full 73728 empty 73752
//   //@ tensor Done 4 pointer 3 strides p4 1
//   //@ tensor D 2 map 5
//   //@ around
// A role has the warps from the first number on, as many as the second says.
// Shared memory is described from a byte offset in the dynamic part, for a
// number of bytes. A ring has so many stages, at an offset and of a number of
// bytes each, and the offsets of its first full and its first empty mbarrier;
// the others follow. What is in a stage is not read any more when its empty
// barrier has completed a phase. A tensor has the bytes of an element, the
// number of the parameter that points to it, and the strides of its dimensions,
// outermost first: a number of elements, that of a parameter, or ? where none
// tells; or the number of the parameter that is its tensor map. The load in the
// line behind `around` is of words that lie around elements of a tensor.
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

  struct Ring {
    uint32_t stages = 0;
    uint64_t offset = 0, stageBytes = 0; // in the dynamic part
    uint64_t full = 0, empty = 0;        // of the first barriers
    uint64_t barrier(bool isFull, uint32_t stage) const {
      return (isFull ? full : empty) + uint64_t(stage) * 8;
    }
  };
  std::vector<Ring> rings;

  struct Tensor {
    std::string name;
    uint32_t elementBytes = 0;
    uint32_t parameter = 0; // its number: a pointer, or a tensor map
    bool isMap = false;
    struct Stride {
      enum class Kind : uint8_t { constant, parameter, unknown };
      Kind kind = Kind::unknown;
      uint64_t value = 0; // elements, or the number of the parameter
    };
    std::vector<Stride> strides; // outermost first; none of a map
  };
  std::vector<Tensor> tensors;

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
