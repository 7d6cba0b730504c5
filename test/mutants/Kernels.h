// The kernels whose PTX the mutants are planted in. Each line that a report may
// have to name ends in a mark, such as `// [release]`.
#ifndef ASHLAR_TEST_MUTANTS_KERNELS_H
#define ASHLAR_TEST_MUTANTS_KERNELS_H

#include "test/mutants/References.h"

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
/// In a cluster of 2 each CTA copies half of B's rows to both.
Kernel peerCopyGemm();
/// Attention forward: K and V take turns in one ring, P is multiplied from
/// registers, O is staged and stored by a role of its own.
Kernel attention();

struct NamedKernel {
  std::string name;
  Kernel (*make)();
  std::vector<Expected> (*reference)(const Problem &);
  /// A few tiles, and more than there are CTAs: ragged, with more blocks of K,
  /// or of keys, than stages.
  std::vector<NamedSize> fewTiles, manyTiles;
};
inline std::ostream &operator<<(std::ostream &out, const NamedKernel &kernel) {
  return out << kernel.name;
}
const std::vector<NamedKernel> &mutantKernels();
/// Throws `Error` when there is none of the name.
const NamedKernel &mutantKernel(const std::string &name);

/// The line that carries a mark, as reports name it: "Kernels.cpp:29".
std::string lineOf(const std::string &mark);

} // namespace ashlar::test

#endif
