// The kernels whose PTX the mutants are planted in. Each line that a report may
// have to name ends in a mark, such as `// [release]`.
#ifndef ASHLAR_TEST_MUTANTS_KERNELS_H
#define ASHLAR_TEST_MUTANTS_KERNELS_H

#include "ashlar/ashlar.h"

#include <ostream>
#include <string>
#include <vector>

namespace ashlar::test {

/// TMA with multicast in a cluster of 2, two warpgroups of wgmma, D stored by
/// the threads.
Kernel multicastGemm();
/// D staged in shared memory and stored by TMA, the rows of each warp by
/// itself.
Kernel stagedGemm();
/// A and B by cp.async.
Kernel asyncCopyGemm();
/// A and B through the producer's registers.
Kernel threadCopyGemm();
/// The transpose of D is computed, staged as D and stored by the whole role.
Kernel transposedGemm();
/// D staged in a stage of the ring, in a cluster of 2 with multicast.
Kernel reusedStageGemm();
/// A in f32 by TMA, converted to bf16 by a role of its own.
Kernel convertingGemm();

struct NamedKernel {
  std::string name;
  Kernel (*make)();
};
inline std::ostream &operator<<(std::ostream &out, const NamedKernel &kernel) {
  return out << kernel.name;
}
const std::vector<NamedKernel> &mutantKernels();

/// The number of the line that carries a mark.
unsigned lineOf(const std::string &mark);

} // namespace ashlar::test

#endif
