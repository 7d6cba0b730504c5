// GEMM in every shape the language allows, for the tests.
#ifndef ASHLAR_TEST_KERNELS_GEMM_H
#define ASHLAR_TEST_KERNELS_GEMM_H

#include "ashlar/ashlar.h"

#include <ostream>

namespace ashlar::test {

/// D = A · B: which types, how the operands lie, how the work is cut.
struct GemmSpec {
  ElementType a = bf16, b = bf16, accumulator = f32, d = bf16;
  int64_t bm = 128, bn = 256, bk = 64;
  int stages = 4;
  int64_t clusterM = 1, clusterN = 1;
  int64_t mathWarpgroups = 2;
  /// A lies as K×M, B as K×N: 16-bit types only.
  bool transposeA = false, transposeB = false;
  /// Of A and B; below 16 they are moved by cp.async or ordinary loads.
  int64_t alignment = 16;
  /// Of D; below 16 it is stored by ordinary stores of fewer bytes.
  int64_t alignmentOfD = 16;
  bool isPersistent = true;
  bool budgets = true;
  /// D goes through shared memory and TMA.
  bool stagedStore = false;
  /// A and B are loaded by a role each.
  bool twoLoaders = false;

  std::string str() const;
};

inline std::ostream &operator<<(std::ostream &out, const GemmSpec &spec) {
  return out << spec.str();
}

Kernel gemm(const GemmSpec &spec);

} // namespace ashlar::test

#endif
